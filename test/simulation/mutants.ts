import type { Mutant } from './seed.js';
import type { Trouble } from './weather.js';

/** A safety, turned off; and the troubles in which its absence must be noticed. */
export interface Missing {
  readonly safety: string;
  readonly mutant: Mutant;
  readonly troubles: readonly Trouble[];
  /** What the invariant that breaks says. */
  readonly noticed: RegExp;
}

export const MISSING: readonly Missing[] = [
  {
    safety: 'the start of an intent is on file before anything is spawned',
    mutant: {
      sabotage: {
        schema: 'DROP TRIGGER intent_only_goes_forward',
        statement: (sql) => sql.replace("SET stage = 'starting' WHERE", "SET stage = 'recorded' WHERE"),
      },
    },
    troubles: [],
    noticed: /acts before its start is on file|acts twice/,
  },
  {
    safety: 'an act is over only when its processes are proven gone',
    mutant: { orphansGone: true },
    troubles: ['kills', 'crash_points', 'slow_acts'],
    noticed: /counts as over while its process is alive/,
  },
  {
    safety: 'what is delivered twice has one key',
    mutant: { everyDeliveryIsNew: true },
    troubles: ['doubled_deliveries'],
    noticed: /had moved something already|had been answered before/,
  },
  {
    safety: 'what may have been sent is looked up before it is sent again',
    mutant: { sabotage: { statement: (sql) => sql.replace("SET stage = 'sending', tries", "SET stage = 'waiting', tries") } },
    troubles: ['slack_drops', 'github_drops', 'crash_points'],
    noticed: /was told twice/,
  },
  {
    safety: 'one bot at a time works on a journal',
    mutant: { noOwner: true },
    troubles: ['second_bot', 'slow_sinks'],
    noticed: /was told twice|acts twice|logged a fault/,
  },
  {
    safety: 'a row that is inserted follows the last one',
    mutant: { sabotage: { schema: 'DROP TRIGGER transition_follows_the_last' } },
    troubles: ['meddler'],
    noticed: /does not follow row|does not fit the chain|did not ask for it/,
  },
  {
    safety: 'an unknown guard opens nothing',
    mutant: { unknownIsKnown: true },
    troubles: ['unknown_readings'],
    noticed: /was unknown/,
  },
];
