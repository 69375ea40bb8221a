import { expect, test } from 'vitest';
import type { HeroView } from '../../../src/protocol/hero/facts.js';
import { noteLiveness, stallProposals, troubleOf } from '../../../src/protocol/hero/liveness.js';
import { type HeroMemory, remember } from '../../../src/protocol/hero/memory.js';
import { HeroPlan } from '../../../src/protocol/hero/plan.js';
import type { Sample } from '../../../src/protocol/outside.js';
import { planBody } from '../../support/plan.js';

/** Seconds, as the fleet file has them unless it says otherwise. */
const PACE = 18;
const TICK = 10;
const LIMITS = { stallSeconds: 180, hangSeconds: 900, evaluationSeconds: 600, evaluationEverySteps: 3_000 };
const body = planBody({ paceSecondsPerStep: 18.5 });
const plan = HeroPlan.parse({ ...body, limits: { ...(body.limits as object), ...LIMITS } });
const START = Date.parse('2026-09-02T00:00:00Z');
const view: HeroView = {
  operationId: 'hero-1',
  state: 'trial',
  seq: 9,
  enteredAtSeq: 9,
  enteredAt: new Date(START),
  lastAt: new Date(START),
  plan,
  planVersion: 1,
  planHash: 'f'.repeat(64),
  requester: 'U1',
  origin: null,
  facts: { newCoordinator: '/marin/hero-new-coord-2' },
  history: [],
  intent: null,
  asides: [],
  acting: [],
};

function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A run of 18 s a step with all that a healthy one does beside; from `stopsAt` on, in seconds, it makes no step. */
class Training {
  readonly rows: Sample[] = [];
  private readonly seen: { readonly step: number; readonly at: number; readonly shown: number }[] = [];
  private step = 54_000;
  private nextAt = PACE;
  private checkpointAt = 3_600;
  newest = -1;
  /** Whether an evaluation is what the run does at this instant. */
  evaluatesUntil = 0;

  constructor(
    private readonly random: () => number,
    private readonly stopsAt = Number.POSITIVE_INFINITY,
  ) {}

  advance(now: number): void {
    while (this.nextAt <= now && this.nextAt < this.stopsAt) this.complete();
    while (this.seen[0] !== undefined && this.seen[0].shown <= now) this.show(this.seen.shift() as (typeof this.seen)[number]);
  }

  private complete(): void {
    const { random } = this;
    const at = this.nextAt;
    this.seen.push({ step: this.step, at, shown: at + random() * 60 });
    this.seen.sort((one, other) => one.shown - other.shown);
    let takes = PACE * (0.9 + 0.2 * random());
    if (at >= this.checkpointAt) {
      takes += 120 * random();
      this.checkpointAt += 3_600;
    }
    if ((this.step + 1) % 3_000 === 0) {
      takes += 600 * (0.5 + 0.5 * random());
      this.evaluatesUntil = at + takes;
    }
    this.step += 1;
    this.nextAt = at + takes;
  }

  private show({ step, at }: { readonly step: number; readonly at: number }): void {
    this.newest = Math.max(this.newest, step);
    this.rows.push({ step, metric: 'train_loss', value: 2, attempt: 0, atMs: START + at * 1000, seq: step });
    if (this.rows.length > 60) this.rows.shift();
  }
}

/** Watches until an instant, in seconds; ends at the first suspicion or trouble, and says when. */
function watchUntil(training: Training, seconds: number): { readonly at: number; readonly what: string } | null {
  let memory: HeroMemory = remember(null, 9);
  for (let now = TICK; now <= seconds; now += TICK) {
    training.advance(now);
    if (training.newest === -1) continue;
    const at = new Date(START + now * 1000);
    const known = <T>(value: T) => ({ kind: 'known', value, source: 'test', readAt: at }) as const;
    const readings = {
      steps: known({ step: training.newest, atMs: at.getTime(), rows: 60 }),
      job: known('running'),
      series: known(training.rows),
    };
    memory = noteLiveness(view, readings, memory, at);
    const [stall] = stallProposals(view, readings, memory, at);
    if (stall !== undefined) return { at: now, what: `${stall.on}: ${stall.details?.sentence}` };
    const trouble = troubleOf(view, readings, memory, at);
    memory = trouble.memory;
    const [found] = trouble.found;
    if (found !== undefined) return { at: now, what: found.sentence };
  }
  return null;
}

test('a thousand hours of healthy training raise nothing: checkpoints, evaluations and late telemetry are no stall', () => {
  for (let run = 0; run < 10; run++) {
    expect(watchUntil(new Training(mulberry(100 + run)), 100 * 3_600)).toBeNull();
  }
});

test('a stall at a random moment is suspected within five minutes, in a hundred of a hundred, and is no verdict', () => {
  const late: number[] = [];
  for (let seed = 0; late.length < 100; seed++) {
    const stopsAt = 1_800 + mulberry(seed)() * 10 * 3_600;
    const training = new Training(mulberry(10_000 + seed), stopsAt);
    training.advance(stopsAt);
    if (training.evaluatesUntil >= stopsAt) continue; // it does not step at that moment: the test below

    const found = watchUntil(new Training(mulberry(10_000 + seed), stopsAt), stopsAt + 1_000);
    expect(found?.what).toMatch(/^stall_suspected/);
    late.push((found?.at ?? Number.POSITIVE_INFINITY) - stopsAt);
  }

  expect(Math.max(...late)).toBeLessThanOrEqual(300);
  expect(Math.min(...late)).toBeGreaterThan(60);
});

test('a run that stalls in its evaluation is suspected as soon as no evaluation explains it', () => {
  const probe = new Training(mulberry(5));
  probe.advance(3_000 * PACE * 1.2);
  const stopsAt = probe.evaluatesUntil - 1;
  const found = watchUntil(new Training(mulberry(5), stopsAt), stopsAt + 2_000);

  expect(found?.what).toMatch(/^stall_suspected/);
  expect((found?.at ?? 0) - stopsAt).toBeLessThanOrEqual(600 + 300);
});
