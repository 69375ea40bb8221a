import type { UnknownReason } from '../../src/protocol/reading.js';
import type { Prng } from './prng.js';

/** What may go wrong in a seed. Each seed has some of them, so that no fault hides behind another. */
export const TROUBLES = [
  'kills',
  'crash_points',
  'unknown_readings',
  'slow_readings',
  'refused_acts',
  'failing_acts',
  'silent_acts',
  'slow_acts',
  'doubled_submits',
  'acts_not_started',
  'cancels_not_taking',
  'lingering_pods',
  'processes_not_told',
  'bad_candidate',
  'dying_control',
  'strangers',
  'hand_launches',
  'aged_rows',
  'lost_rows',
  'clock_back',
  'guards_shut',
  'slow_sinks',
  'slack_limits',
  'slack_drops',
  'slack_down',
  'roots_deleted',
  'github_limits',
  'github_drops',
  'github_down',
  'late_deliveries',
  'doubled_deliveries',
  'second_bot',
  'meddler',
] as const;
export type Trouble = (typeof TROUBLES)[number];

export const UNKNOWN: readonly [UnknownReason, ...UnknownReason[]] = ['timed_out', 'failed', 'unparsable', 'truncated', 'unreachable'];

/** The troubles of a seed: some seeds have none, most have a handful, a few have nearly all. */
export function troublesOf(prng: Prng): ReadonlySet<Trouble> {
  const share = prng.pick([0, 0.1, 0.15, 0.25, 0.25, 0.4, 0.7]);
  return new Set(TROUBLES.filter((trouble) => prng.chance(RARE.has(trouble) ? share / 3 : share)));
}

/** They cost time, or drown everything else. */
const RARE: ReadonlySet<Trouble> = new Set(['second_bot', 'guards_shut', 'dying_control']);
