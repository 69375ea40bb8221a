import { readTyped } from '../../commands/arguments.js';
import { faultsOfTyped } from '../../commands/plan-entry.js';
import { readEndOfDay, readTimeOfDay, type TypedTime } from '../../src/protocol/typed-time.js';
import { faultLines, notRead, notUnderstood } from '../../src/render/answers.js';
import { AT } from '../support/samples.js';
import { answered, type Page } from './outgoing.js';

import { FLEET } from './outside.js';
import { ferrySamples } from './typed-ferry.js';
import { planSamples } from './typed-plan.js';

/** Everything that may be wrong with what somebody typed, as the readers themselves say it. */

const BERLIN = { zone: 'Europe/Berlin', own: true };

const GATES: readonly string[] = [
  '',
  'report only train_loss tracks within 0.002',
  'train_loss tracks within 0.002 please',
  'train_loss is nice',
  'absent 7; absent watchdog, watchdog',
  'happiness tracks within 0.1',
  'happiness (was joy) tracks within 0.1',
  'train_loss (was 7) tracks within 0.1',
  '7 tracks within 0.1',
  'train_loss tracks within 0',
  'train_loss tracks within 0.1 or 0.2',
  'train_loss not better by 1%',
  'train_loss improves within 1%',
  'train_loss improves by 1% proving 200%',
  'train_loss tracks within 0.1 coverage 0%',
  'throughput_mfu tracks within 1% every 7',
  'train_loss tracks within 0.1 every none',
  'grad_norm_total between 2 and 1',
  'grad_norm_total below 1; grad_norm_total above 2',
  'grad_norm_total below x',
  'grad_norm_total below 1 allowing 100%',
  'absent watchdog blind at most 0 s',
  'train_loss tracks within',
  'train_loss tracks within 0.1 skip',
  'train_loss tracks within 0.1 coverage',
  'grad_norm_total below',
  'absent watchdog blind at most',
  'report only',
  'absent',
  'train_loss (was',
];

const COMMANDS: readonly string[] = [
  'agree hero-12 reason="open',
  'agree —now',
  'agree hero-12 \u202eno',
  'аgree',
  'agree hero-12 hero-13',
  'rollback reason="a" reason="b"',
];

function times(): readonly (readonly [string, TypedTime])[] {
  return [
    ['25:00', readTimeOfDay('25:00', BERLIN, AT)],
    ['02:30 as the clocks are put forward', readTimeOfDay('02:30', BERLIN, new Date('2027-03-27T12:00:00Z'))],
    ['02:30 as the clocks are put back', readTimeOfDay('02:30', BERLIN, new Date('2026-10-24T12:00:00Z'))],
    ['17:30 in a zone that is a guess', readTimeOfDay('17:30', { zone: 'America/Los_Angeles', own: false }, AT)],
    ['the 31st of February', readEndOfDay('2027-02-31', BERLIN)],
  ];
}

export async function typedPage(): Promise<Page> {
  const gates = GATES.map((gate) =>
    answered(
      gate === '' ? '(nothing)' : gate,
      faultLines(
        'No plan was made:',
        faultsOfTyped(
          FLEET,
          new Map([
            ['gate', gate],
            ['reason', 'r'],
          ]),
          null,
        ),
        '/hero-deploy',
      ),
    ),
  );
  const commands = COMMANDS.map((text) => {
    const typed = readTyped(text);
    return answered(text.replace(/\u202e/g, '(U+202E)'), notUnderstood(typed.kind === 'fault' ? typed.message : 'nothing'));
  });
  return {
    file: 'typed.md',
    title: 'What is wrong with what was typed',
    parts: [
      { heading: 'A command', samples: commands },
      {
        heading: 'A time',
        samples: times().map(([name, time]) =>
          answered(name, time.kind === 'fault' ? notRead(time.message) : notUnderstood(`Read as ${time.readBack}.`)),
        ),
      },
      { heading: 'A gate', samples: gates },
      { heading: 'A plan', samples: await planSamples() },
      { heading: 'A ferry', samples: await ferrySamples() },
    ],
  };
}
