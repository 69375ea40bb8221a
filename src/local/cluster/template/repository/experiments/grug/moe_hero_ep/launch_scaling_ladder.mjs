import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { log } from './report.mjs';
import { train } from './train.mjs';

const { values } = parseArgs({
  options: {
    'run-id': { type: 'string' },
    'initialize-from-checkpoint': { type: 'string' },
    size: { type: 'string' },
    version: { type: 'string' },
    run: { type: 'boolean' },
  },
});

let saves = 0;
// The training control: one line asks for a permanent checkpoint. Its end means that the machine is gone, and so are we.
createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === 'save permanent') saves += 1;
  })
  .on('close', () => process.exit(143));

function saveAsked() {
  const asked = saves > 0;
  saves = 0;
  return asked;
}

try {
  for (const name of ['run-id', 'initialize-from-checkpoint', 'version'])
    if (values[name] === undefined) throw new Error(`--${name} is needed`);
  if (values.size !== 'd6144') throw new Error(`no model of size ${values.size}`);
  await train({
    runId: values['run-id'],
    version: values.version,
    initializeFrom: values['initialize-from-checkpoint'],
    pace: Number(process.env.SIMULATED_PACE ?? '1'),
    saveAsked,
  });
  process.exit(0);
} catch (error) {
  if (/^Non-finite loss/.test(error.message)) log('E', error.message);
  log('C', `Fatal error in grug training loop; ${error.message}`);
  process.exit(1);
}
