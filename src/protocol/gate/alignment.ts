import type { FrozenControl } from './control.js';
import { clamp, lowerBound } from './grid.js';

const LAGS = [-2, -1, 0, 1, 2] as const;
const CANDIDATE_STEPS_MAX = 500;
const PAIRS_MIN = 30;
/** From so many pairs on, a low correlation at lag 0 says that the batches are not the same. */
const PAIRED_MIN = 50;
const SHIFTED_R = 0.5;
const SHIFTED_BY = 0.2;
const PAIRED_R = 0.3;

/**
 * Whether candidate and control train on the same batches at the same steps: first differences of both move together at
 * lag 0, and at no other lag more. Source: contracts/gate-judge.md, section 4.2, alignment. Where no two steps adjoin (a
 * sparse metric) nothing is checked.
 */
export class Alignment {
  private readonly lags = LAGS.map((lag) => ({ lag, correlation: new Correlation() }));
  private readonly clip: number;
  private seen = 0;
  private lastStep = Number.NaN;
  private lastValue = Number.NaN;

  constructor(private readonly control: FrozenControl) {
    this.clip = 3 * Math.SQRT2 * control.sigma;
  }

  /** The candidate's finite rows, in step order. */
  push(step: number, value: number): void {
    if (this.seen++ >= CANDIDATE_STEPS_MAX) return;
    const adjoins = step - this.lastStep === 1;
    const difference = clamp(value - this.lastValue, -this.clip, this.clip);
    this.lastStep = step;
    this.lastValue = value;
    if (!adjoins) return;
    for (const { lag, correlation } of this.lags) {
      const other = this.controlDifference(step + lag);
      if (other !== null) correlation.add(difference, other);
    }
  }

  private controlDifference(step: number): number | null {
    const { steps, values } = this.control;
    const at = lowerBound(steps, step);
    if (steps[at] !== step || steps[at - 1] !== step - 1) return null;
    return clamp((values[at] ?? Number.NaN) - (values[at - 1] ?? Number.NaN), -this.clip, this.clip);
  }

  /** Null while nothing speaks against the pairing. */
  get fault(): 'misaligned' | 'unpaired' | null {
    const judged = this.lags.filter(({ correlation }) => correlation.n >= PAIRS_MIN);
    const best = judged.reduce<(typeof judged)[number] | null>(
      (found, each) => (found === null || each.correlation.r > found.correlation.r ? each : found),
      null,
    );
    const zero = this.lags.find(({ lag }) => lag === 0)?.correlation;
    const r0 = zero !== undefined && zero.n >= PAIRS_MIN ? zero.r : 0;
    if (best !== null && best.lag !== 0 && best.correlation.r >= SHIFTED_R && best.correlation.r - r0 >= SHIFTED_BY) return 'misaligned';
    return zero !== undefined && zero.n >= PAIRED_MIN && !(r0 >= PAIRED_R) ? 'unpaired' : null;
  }
}

/** Pearson's r as the pairs come; 0 where one side does not vary, since that shows no pairing. */
class Correlation {
  n = 0;
  private x = 0;
  private y = 0;
  private xx = 0;
  private yy = 0;
  private xy = 0;

  add(x: number, y: number): void {
    this.n++;
    this.x += x;
    this.y += y;
    this.xx += x * x;
    this.yy += y * y;
    this.xy += x * y;
  }

  get r(): number {
    const { n } = this;
    const scale = Math.sqrt((this.xx - (this.x * this.x) / n) * (this.yy - (this.y * this.y) / n));
    return scale > 0 ? (this.xy - (this.x * this.y) / n) / scale : 0;
  }
}
