import { judge } from '../gate/judge.js';
import { lineageOf } from '../gate/lineage.js';
import type { Sample } from '../outside.js';
import type { HeroView } from './facts.js';

/** The relaunched run against its own earlier rows: exactly where its trainer repeats itself, by the judge otherwise. */

/** A replayed loss this far from the run's own earlier row is another run. Source: contracts/iris-and-ferries.md, section 7. */
const REPLAY_TOLERANCE = 0.002;

export interface Replay {
  readonly outcome: 'replay_matches' | 'replay_differs' | 'replay_not_comparable' | null;
  readonly sentence: string;
  readonly compared: number;
  readonly largest: number;
  readonly last: number | null;
  readonly attempt: number;
  /** Whether the relaunched run began more than once. */
  readonly restarted: boolean;
}

/** The newest execution's rows against what the run itself logged before at the same steps. */
export function compareReplay(view: HeroView, samples: readonly Sample[]): Replay {
  const since = new Date(view.facts.relaunchedAt ?? view.enteredAt).getTime() - 60_000;
  const attempt = Math.max(0, ...samples.map((sample) => sample.attempt));
  const newest = samples.filter((sample) => sample.attempt === attempt);
  const begun = newest.some(({ atMs }) => atMs >= since) && attempt > 0;
  const again = attemptsAfterControl(view, samples);
  const blank = { compared: 0, largest: 0, attempt, last: null, restarted: again.length > 1 };
  if (!begun) return { ...blank, outcome: null, sentence: 'no step of the relaunched run yet' };

  const before = lineageOf(samples.filter((sample) => sample.attempt < attempt && !again.includes(sample.attempt)));
  const after = lineageOf(newest);
  const last = Math.max(...after.keys());
  const until = view.facts.controlLastStep ?? last;
  const shared = [...after.keys()].filter((step) => before.has(step) && step <= until);
  const differences = shared.map((step) => differenceOf(before.get(step), after.get(step)));
  const largest = Math.max(0, ...differences);
  const base = { ...blank, compared: shared.length, largest, last };
  const early = samples.filter((sample) => sample.attempt < attempt && !again.includes(sample.attempt));
  const doubt = view.plan.deterministic === true ? exactDoubt(largest) : tracksDoubt(largest, early, newest, shared, last >= until);
  if (doubt !== null) return { ...base, ...doubt };
  if (last < until) return { ...base, outcome: null, sentence: `replayed to step ${last} of ${until}` };
  if (shared.length === 0)
    return { ...base, outcome: 'replay_not_comparable', sentence: 'no replayed step has an earlier row to compare with' };
  const how = largest === 0 ? "equal the run's own rows exactly" : `track the run's own rows, the largest difference is ${largest}`;
  return { ...base, outcome: 'replay_matches', sentence: `${shared.length} replayed steps ${how}` };
}

type Doubt = Pick<Replay, 'outcome' | 'sentence'>;

/** A trainer that repeats a step bit by bit repeats its loss: any difference is another run. */
function exactDoubt(largest: number): Doubt | null {
  if (largest === 0) return null;
  return {
    outcome: 'replay_differs',
    sentence: `replayed loss differs from the run's own rows by up to ${largest}, and this trainer repeats exactly`,
  };
}

/** Any other trainer must track its own rows, by the judge's own rule; single steps may lie further apart than their mean. */
function tracksDoubt(
  largest: number,
  before: readonly Sample[],
  after: readonly Sample[],
  shared: readonly number[],
  ended: boolean,
): Doubt | null {
  if (largest <= REPLAY_TOLERANCE) return null;
  const differs = `replayed loss differs from the run's own rows by up to ${largest}`;
  // What is not a number on either side proves nothing, and no mean over the rest hides it.
  if (!Number.isFinite(largest)) return { outcome: 'replay_differs', sentence: differs };
  const { overall, criteria } = judge({
    window: { start: Math.min(...shared), end: Math.max(...shared) },
    state: ended ? 'ended' : 'running',
    criteria: [{ id: 'replay', kind: 'tracks', metric: 'train_loss', better: 'lower', margin: { abs: REPLAY_TOLERANCE }, logEvery: 1 }],
    candidate: { train_loss: after },
    control: { train_loss: before },
  });
  const [{ lean = null, mean = null } = {}] = criteria;
  const means = mean === null ? '' : `, ${mean} on average`;
  if (overall === 'FAIL' || (overall === 'INCONCLUSIVE' && lean === 'fail'))
    return { outcome: 'replay_differs', sentence: `${differs}${means}` };
  if (!ended || overall === 'PASS') return null;
  return {
    outcome: 'replay_not_comparable',
    sentence: `${differs}${means}: whether it tracks them within ${REPLAY_TOLERANCE} is not proven`,
  };
}

/** Executions that wrote their first row after the control was over: what they logged is not its own earlier rows. */
function attemptsAfterControl(view: HeroView, samples: readonly Sample[]): readonly number[] {
  const over = new Date(view.facts.launchedAt ?? view.facts.relaunchedAt ?? view.enteredAt).getTime();
  const first = new Map<number, number>();
  for (const { attempt, atMs } of samples) first.set(attempt, Math.min(atMs, first.get(attempt) ?? atMs));
  return [...first].filter(([, atMs]) => atMs >= over).map(([attempt]) => attempt);
}

/** Two equal non-finite values are no match: they prove nothing. */
function differenceOf(before: unknown, after: unknown): number {
  return typeof before === 'number' && typeof after === 'number' ? Math.abs(after - before) : Number.POSITIVE_INFINITY;
}
