import { expect, test } from 'vitest';
import { type MetricTable, type NamedValues, parseGate } from '../../../src/protocol/gate/parse.js';
import { printCriterion, printGate, printPercent, readPercent } from '../../../src/protocol/gate/print.js';
import { Dice } from './runs.js';

const METRICS: MetricTable = {
  train_loss: { better: 'lower', every: 1, sameBatches: true },
  throughput_mfu: { better: 'higher', every: 10 },
  moe_drop_fraction: { better: 'lower', every: 10 },
  memory_peak_gib: { better: 'lower', every: 1 },
  grad_norm_total: { better: 'lower', every: 1 },
  old_name: { better: 'higher', every: 5 },
};
const VALUES: NamedValues = { hbm_release_threshold: 171.5, floor: -2 };

const GATE = `train_loss tracks within 0.002
throughput_mfu not worse by 1% every 10
moe_drop_fraction improves by 0.03 every 10
memory_peak_gib below hbm_release_threshold
absent watchdog, JaxRuntimeError, restarts
report only grad_norm_total tracks within 10%
new_name (was old_name) tracks within 0.5% every 5`;

test('the gate of the example is read, and printed as it was written', () => {
  const parsed = parseGate(GATE, METRICS, VALUES);

  if (parsed.kind === 'fault') throw new Error(parsed.message);
  expect(parsed.criteria).toEqual([
    { id: 'train_loss', metric: 'train_loss', kind: 'tracks', better: 'lower', sameBatches: true, margin: { abs: 0.002 }, logEvery: 1 },
    { id: 'throughput_mfu', metric: 'throughput_mfu', kind: 'not-worse', better: 'higher', margin: { rel: 0.01 }, logEvery: 10 },
    { id: 'moe_drop_fraction', metric: 'moe_drop_fraction', kind: 'improves-by', better: 'lower', expect: { abs: 0.03 }, logEvery: 10 },
    { id: 'memory_peak_gib:bounds', metric: 'memory_peak_gib', kind: 'bounded', max: 171.5, maxName: 'hbm_release_threshold', logEvery: 1 },
    { id: 'watchdog', kind: 'absent' },
    { id: 'JaxRuntimeError', kind: 'absent' },
    { id: 'restarts', kind: 'absent' },
    {
      id: 'grad_norm_total',
      metric: 'grad_norm_total',
      kind: 'tracks',
      better: 'lower',
      margin: { rel: 0.1 },
      logEvery: 1,
      reportOnly: true,
    },
    { id: 'new_name', metric: 'new_name', was: 'old_name', kind: 'tracks', better: 'higher', margin: { rel: 0.005 }, logEvery: 5 },
  ]);
  expect(printGate(parsed.criteria)).toBe(GATE);
});

test('a metric may be tracked and bounded in one gate, on one line', () => {
  const parsed = parseGate('train_loss  tracks within .002 ; train_loss below 9 · absent restarts', METRICS);

  expect(parsed).toMatchObject({ kind: 'gate', criteria: [{ id: 'train_loss' }, { id: 'train_loss:bounds', max: 9 }, { id: 'restarts' }] });
});

const FAULTS: readonly (readonly [text: string, line: number, column: number, message: RegExp])[] = [
  ['', 1, 1, /no criterion/],
  ['  \n ; ', 1, 1, /no criterion/],
  ['report only train_loss tracks within 1%', 1, 1, /report only/],
  ['train_lost tracks within 0.002', 1, 1, /"train_lost" is not in the fleet file's table/],
  ['train_loss below 9\n  train_lost tracks within 0.002', 2, 3, /which way is better is not known/],
  ['train_loss tracks 0.002', 1, 19, /expected "within"; found "0.002"/],
  ['train_loss tracks within', 1, 25, /expected a size.*the line ends here/],
  ['train_loss tracks within 0', 1, 26, /not a size above zero/],
  ['train_loss tracks within -1%', 1, 26, /not a size above zero/],
  ['train_loss tracks within 1e999', 1, 26, /not a size above zero/],
  ['train_loss tracks within 0x10', 1, 26, /not a size above zero/],
  ['train_loss tracks within 0.002 tomorrow', 1, 32, /nothing more is expected; found "tomorrow"/],
  ['train_loss is fine', 1, 12, /expected "tracks within"/],
  ['train_loss', 1, 11, /expected "tracks within".*the line ends here/],
  ['train_loss tracks within 1% or 2%', 1, 32, /one absolute size and one percentage/],
  ['train_loss not worse by 1% every 0', 1, 34, /whole number of at least 1/],
  ['throughput_mfu not worse by 1% every 15', 1, 38, /logged every 10 steps/],
  ['memory_peak_gib below hbm', 1, 23, /neither a number nor a named value/],
  ['memory_peak_gib between 5 and 4', 1, 31, /upper limit is below/],
  ['memory_peak_gib below 5 allowing 100%', 1, 34, /every row may break/],
  ['absent', 1, 7, /expected the name/],
  ['absent watchdog,', 1, 17, /expected the name/],
  ['absent watchdog, watchdog', 1, 18, /"watchdog" is there twice/],
  ['train_loss tracks within 1%; train_loss not worse by 1%', 1, 30, /there twice/],
  ['a (was b) tracks within 1%', 1, 8, /neither "a" nor "b"/],
  ['a (was old_name tracks within 1%', 1, 17, /expected "\)"; found "tracks"/],
  ['🚢 tracks', 1, 1, /letters, digits/],
  ['train_loss below 9 · 🚢 tracks', 1, 22, /letters, digits/],
  ['absent 🚢', 1, 8, /letters, digits/],
  ['constructor tracks within 1%', 1, 1, /not in the fleet file/],
  ['memory_peak_gib below toString', 1, 23, /neither a number/],
];

for (const [text, line, column, message] of FAULTS) {
  test(`"${text.replaceAll('\n', '⏎')}" is refused at line ${line}, column ${column}`, () => {
    const parsed = parseGate(text, METRICS, VALUES);

    expect(parsed).toMatchObject({ kind: 'fault', line, column });
    expect(parsed.kind === 'fault' && parsed.message).toMatch(message);
  });
}

test('whatever gate is read is printed so that it is read again as the same', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const text = randomGate(new Dice(seed));

    const once = parseGate(text, METRICS, VALUES);
    if (once.kind === 'fault') throw new Error(`seed ${seed}: ${text}: ${once.message}`);
    const printed = printGate(once.criteria);
    const again = parseGate(printed, METRICS, VALUES);

    expect(again, `seed ${seed}: ${printed}`).toEqual(once);
    expect(parseGate(once.criteria.map(printCriterion).join(' · '), METRICS, VALUES)).toEqual(once);
    if (again.kind === 'gate') expect(printGate(again.criteria)).toBe(printed);
  }
});

test('a percentage is the same number on paper and in the judge', () => {
  const dice = new Dice(3);
  for (const fraction of [
    0.01,
    0.1,
    0.005,
    0.07,
    1 / 3,
    1e-9,
    0.29,
    1,
    ...Array.from({ length: 500 }, () => dice.next() * 10 ** -dice.upTo(8)),
  ]) {
    expect(readPercent(printPercent(fraction).slice(0, -1))).toBe(fraction);
  }
  expect([0.01, 0.1, 0.005, 0.07, 0.29].map(printPercent)).toEqual(['1%', '10%', '0.5%', '7%', '29%']);
});

function randomGate(dice: Dice): string {
  const number = () => dice.pick('0.002', '.5', '3', '1e-4', `${dice.next()}`, `${dice.upTo(100) + 1}`);
  const size = () => dice.pick(number(), `${number()}%`, `${number()} or ${number()}%`);
  const limit = () => dice.pick(number(), '-3', 'hbm_release_threshold', 'floor');
  const options = () =>
    [
      dice.pick('', 'every 10', 'every 20 from 3', 'every 10 from 0'),
      dice.pick('', 'skip 5', 'skip 0'),
      dice.pick('', 'coverage 90%'),
      dice.pick('', 'gap at most 3'),
      dice.pick('', 'non-finite as gap'),
    ].join(' ');
  const lines = dice.shuffled(['train_loss', 'throughput_mfu', 'memory_peak_gib', 'fresh (was old_name)']).map((metric) => {
    const report = dice.pick('', '', 'report only ');
    const least = dice.pick('', 'samples at least 30');
    const form = dice.pick(
      `tracks within ${size()} ${least}`,
      `not worse by ${size()} ${least}`,
      `improves by ${size()} ${dice.pick('', 'proving 80%')} ${least}`,
      `${dice.pick('below', 'above')} ${limit()} ${dice.pick('', 'allowing 2', 'allowing 2%')}`,
      'between -5 and 400 allowing 0',
    );
    return `${report}${metric} ${form} ${options()}`;
  });
  const absent = `absent ${dice.pick('watchdog', 'watchdog, restarts,JaxRuntimeError')} ${dice.pick('', 'allowing 1')} ${dice.pick('', 'blind at most 60 s')}`;
  return dice.shuffled([...lines, absent]).join(dice.pick('\n', '\r\n', ' ; ', ' · '));
}
