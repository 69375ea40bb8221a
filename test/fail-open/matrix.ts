import { createRegistry, type Registry } from '../../src/adapters/registry.js';
import type { Invocation, Outcome } from '../../src/adapters/shell.js';
import { canonicalJson } from '../../src/journal/digest.js';
import type { HeroView } from '../../src/protocol/hero/facts.js';
import { type GuardAnswer, guardNeeds } from '../../src/protocol/hero/guards.js';
import { createHero } from '../../src/protocol/hero/hero.js';
import type { Reads } from '../../src/protocol/outside.js';
import type { Reading } from '../../src/protocol/reading.js';
import type { Need, Readings } from '../../src/protocol/table.js';
import { type Facts, goodAnswer } from './answers.js';
import { type Executable, shellOf } from './executable.js';
import { FLEET, POLICY } from './fleet.js';
import { type Answered, KINDS, type Kind } from './kinds.js';

/** What became of one bad answer in one guard. `true`: it was read as what it says, and that opens as it should. */
export type Cell = 'shut' | 'unknown' | 'true' | 'OPEN';

/** A reading of a bad answer that is not what the good one says, and must not let anything act. */
export interface Doubt {
  readonly need: Need;
  readonly answer: string;
  readonly kind: string;
  readonly reading: Reading<unknown>;
  /** What the protocol made of it. */
  readonly on: string;
}

export interface Matrix {
  readonly guards: readonly string[];
  /** Guards that rest on our own record alone. */
  readonly inner: readonly string[];
  readonly cells: ReadonlyMap<string, ReadonlySet<Cell>>;
  readonly doubts: readonly Doubt[];
}

export function cellKey(guard: string, kind: string): string {
  return `${guard} × ${kind}`;
}

/** Slack is asked of people, not an executable: what a bad answer of it does is tried in test/slack/people.test.ts. */
const OF_PEOPLE: Readings = {
  approvers: { kind: 'known', value: 'U0APPROVE', source: 'Slack', readAt: new Date(0) },
  approver: { kind: 'known', value: 'member', source: 'Slack', readAt: new Date(0) },
};

/** Tries every kind of bad answer on everything that the guards of a view read. Throws where the good answers open nothing. */
export async function fillMatrix(view: HeroView, facts: Facts, executable: Executable, now: () => Date): Promise<Matrix> {
  const cells = new Map<string, Set<Cell>>();
  const doubts: Doubt[] = [];
  const needs = guardNeeds(view, view.state === 'rearming' ? 'rearming' : 'arming').filter(({ name }) => !Object.hasOwn(OF_PEOPLE, name));
  const good = new Map(await Promise.all(needs.map(async (need) => [need.name, await readGood(need, facts, executable, now)] as const)));
  const baseline = { ...OF_PEOPLE, ...Object.fromEntries([...good].map(([name, { reading }]) => [name, reading])) };
  const opened = assess(view, baseline);
  if (!opened.opens)
    throw new Error(`the good answers do not open: ${JSON.stringify(opened.guards.filter(({ answer }) => answer !== 'open'))}`);

  const note = (guard: string, kind: string, cell: Cell): void => {
    const key = cellKey(guard, kind);
    cells.set(key, (cells.get(key) ?? new Set()).add(cell));
  };
  const resting = new Map(needs.map((need) => [need.name, guardsOn(need, view, baseline)]));
  const tries = needs.flatMap((need) =>
    [...new Set(good.get(need.name)?.answers ?? [])].flatMap((answer) => KINDS.map((kind) => ({ need, answer, kind }))),
  );
  await Promise.all(
    tries.map(async ({ need, answer, kind }) => {
      const before = good.get(need.name);
      if (before === undefined) throw new Error(`${need.name} was not read`);
      const reading = await readBad({ need, answer, kind, facts, outcomes: before.outcomes, executable, now });
      if (reading === null) return;
      const dependents = resting.get(need.name) ?? [];
      if (
        reading.kind === 'known' &&
        before.reading.kind === 'known' &&
        canonicalJson(reading.value) === canonicalJson(before.reading.value)
      ) {
        for (const guard of dependents) note(guard, kind.title, 'true');
        return;
      }
      const seen = assess(view, { ...baseline, [need.name]: reading });
      for (const guard of dependents) note(guard, kind.title, cellOf(guard, seen.guards, opened.guards));
      // Known, and every guard says just what it says of the good answer: what differs is nothing that they look at.
      const isTheSame = dependents.every((guard) => cellOf(guard, seen.guards, opened.guards) === 'true');
      if (seen.opens && !isTheSame) for (const guard of dependents) note(guard, kind.title, 'OPEN');
      if (!seen.opens) doubts.push({ need, answer, kind: kind.title, reading, on: seen.on });
    }),
  );
  const guards = opened.guards.map(({ guard }) => guard);
  const outer = new Set([...resting.values()].flat());
  return { guards, inner: guards.filter((guard) => !outer.has(guard)), cells, doubts };
}

interface GoodReading {
  readonly reading: Reading<unknown>;
  /** The names of the answers on which it rests. */
  readonly answers: readonly string[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

async function readGood(need: Need, facts: Facts, executable: Executable, now: () => Date): Promise<GoodReading> {
  const answers: string[] = [];
  const outcomes = new Map<string, Outcome>();
  const shell = shellOf(async (invocation) => {
    const { name, stdout } = goodAnswer(invocation.argv, invocation.cwd, facts);
    const outcome = await executable.answer({ stdout });
    answers.push(name);
    outcomes.set(keyOf(invocation), outcome);
    return outcome;
  });
  const reading = await readNeed(registryOf(shell, now), need);
  if (reading.kind === 'unknown') throw new Error(`${need.name} is unknown of good answers: ${reading.why}, ${reading.detail}`);
  return { reading, answers, outcomes };
}

interface BadTry {
  readonly need: Need;
  readonly answer: string;
  readonly kind: Kind;
  readonly facts: Facts;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly executable: Executable;
  readonly now: () => Date;
}

/** The reading with one of its answers bad, by a process of its own; the others are those of the good reading. Null: cannot be so. */
async function readBad({ need, answer, kind, facts, outcomes, executable, now }: BadTry): Promise<Reading<unknown> | null> {
  let happened = false;
  const shell = shellOf(async (invocation) => {
    const good = goodAnswer(invocation.argv, invocation.cwd, facts);
    const bad: Answered | null = good.name === answer ? kind.of(good) : null;
    if (bad !== null) {
      happened = true;
      return executable.answer(bad);
    }
    return outcomes.get(keyOf(invocation)) ?? executable.answer({ stdout: good.stdout });
  });
  const reading = await readNeed(registryOf(shell, now), need);
  return happened ? reading : null;
}

function registryOf(shell: ReturnType<typeof shellOf>, now: () => Date): Registry {
  return createRegistry({ fleet: FLEET, env: { PATH: process.env.PATH, WANDB_API_KEY: 'of-the-matrix' }, now, backoffMs: [], shell });
}

function readNeed(registry: Registry, { verb, args }: Need): Promise<Reading<unknown>> {
  return registry.read(verb as keyof Reads, args as never);
}

function keyOf({ argv, cwd }: Invocation): string {
  return JSON.stringify([argv, cwd]);
}

/** What the protocol makes of these readings once the time for repeated ones is over. */
function assess(
  view: HeroView,
  readings: Readings,
): { readonly opens: boolean; readonly on: string; readonly guards: readonly GuardAnswer[] } {
  const at = new Date(view.enteredAt.getTime() + (view.plan.limits.guardsSeconds + 1) * 1000);
  const [proposal] = createHero(POLICY).watch(view, readings, null, at).proposals;
  if (proposal === undefined) throw new Error('the guards came to nothing');
  const guards = (proposal.details?.guards ?? []) as unknown as readonly GuardAnswer[];
  return { opens: proposal.on.startsWith('guards_open'), on: proposal.on, guards };
}

function guardsOn(need: Need, view: HeroView, baseline: Readings): readonly string[] {
  const unknown: Reading<unknown> = { kind: 'unknown', why: 'failed', detail: 'left out', source: need.name, readAt: view.enteredAt };
  const { guards } = assess(view, { ...baseline, [need.name]: unknown });
  return guards.filter(({ answer }) => answer !== 'open').map(({ guard }) => guard);
}

function cellOf(name: string, now: readonly GuardAnswer[], before: readonly GuardAnswer[]): Cell {
  const find = (all: readonly GuardAnswer[]) => all.find(({ guard }) => guard === name);
  const seen = find(now);
  if (seen === undefined) return 'OPEN';
  if (seen.answer !== 'open') return seen.answer;
  return seen.sentence === find(before)?.sentence ? 'true' : 'OPEN';
}
