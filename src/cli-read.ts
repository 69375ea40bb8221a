import { UnsafeArgumentError } from './adapters/binding.js';
import type { CommandIo } from './cli-judge.js';
import { FleetError } from './errors.js';
import { loadFleet } from './fleet.js';
import { parseOnce } from './parse-once.js';
import type { Reading } from './protocol/reading.js';
import { placeOf, placesOf, type ReadPlace } from './read-place.js';
import { READ_VERBS, type ReadVerb, WrongArgumentError } from './read-verbs.js';

const EXIT = { known: 0, usage: 2, unknown: 3 } as const;

const USAGE = `usage: harbor read VERB [ARGS] [--json] [--fleet FILE] [--provider P] [--command EXE]
One reading of the outside, printed as it is; nothing is changed, nothing is repeated.

${Object.values(READ_VERBS)
  .map(({ usage, provider }) => `  ${usage.padEnd(58)} ${provider}`)
  .join('\n')}

  --fleet FILE       families, clusters and executables of this fleet file; without it those of a hero run
  --provider P       which outside system answers: iris finelog kubernetes objectstore git wandb
  --command EXE      this executable instead of the provider's; more words by repeating it
  --family F         a family of the fleet file (its only one, or hero)
  --cluster NAME --deployment NAME --namespace NAME --entity NAME --project NAME --remote NAME   other places than the fleet's
  --env NAME         hand this variable of ours to the executable, beside PATH and HOME; may be repeated
  --timeout SECONDS  10 unless the fleet file says otherwise

With --json one line on standard output: {"kind":"known","value",…} or {"kind":"unknown","why","detail",…}.
Exit codes: 0 known, 3 unknown, 2 usage.
`;

const OPTIONS = {
  fleet: { type: 'string' },
  provider: { type: 'string' },
  command: { type: 'string', multiple: true },
  env: { type: 'string', multiple: true },
  family: { type: 'string' },
  cluster: { type: 'string' },
  deployment: { type: 'string' },
  namespace: { type: 'string' },
  entity: { type: 'string' },
  project: { type: 'string' },
  remote: { type: 'string' },
  timeout: { type: 'string' },
  metrics: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  since: { type: 'string' },
  at: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** `harbor read VERB …`: asks the real adapter once and prints what it answers. Answers the exit code. */
export async function readCommand(args: readonly string[], io: CommandIo, env: NodeJS.ProcessEnv, now: () => Date): Promise<number> {
  try {
    const { values, positionals } = parseOnce({ args: [...args], options: OPTIONS, allowPositionals: true });
    if (values.help === true) return say(io.out, USAGE, EXIT.known);
    const [name = '', ...rest] = positionals;
    const verb = verbNamed(name);
    if (verb === undefined) return say(io.err, `harbor read: "${name}" is no verb that reads\n\n${USAGE}`, EXIT.usage);
    const place = placeOf(verb, values, env, values.fleet === undefined ? placesOf(values.family ?? 'hero') : loadFleet(values.fleet), now);
    const reading = await verb.read(place.outside, place.family, rest, values);
    io.out(values.json === true ? jsonOf(reading) : textOf(reading, place));
    return reading.kind === 'known' ? EXIT.known : EXIT.unknown;
  } catch (fault) {
    if (isUsage(fault)) return say(io.err, `harbor read: ${fault.message}\n`, EXIT.usage);
    throw fault;
  }
}

// `job_state` is how the engine and the documentation of adapters call it.
function verbNamed(name: string): ReadVerb | undefined {
  const known = name.replaceAll('_', '-');
  return Object.hasOwn(READ_VERBS, known) ? READ_VERBS[known] : undefined;
}

function isUsage(fault: unknown): fault is Error {
  if (fault instanceof UnsafeArgumentError || fault instanceof WrongArgumentError || fault instanceof FleetError) return true;
  return fault instanceof Error && 'code' in fault && `${fault.code}`.startsWith('ERR_PARSE_ARGS');
}

function say(write: (text: string) => void, text: string, exitCode: number): number {
  write(text);
  return exitCode;
}

function jsonOf(reading: Reading<unknown>): string {
  const { source, readAt } = reading;
  const said = reading.kind === 'known' ? { value: reading.value } : { why: reading.why, detail: reading.detail };
  return `${JSON.stringify({ kind: reading.kind, ...said, source, readAt })}\n`;
}

function textOf(reading: Reading<unknown>, { provider }: ReadPlace): string {
  const from = `${provider}: ${reading.source}, at ${reading.readAt.toISOString()}\n`;
  if (reading.kind === 'unknown') return `unknown (${reading.why}): ${reading.detail}\n${from}`;
  return `${JSON.stringify(reading.value, null, 2)}\n${from}`;
}
