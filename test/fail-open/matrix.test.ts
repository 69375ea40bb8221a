import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Executable } from './executable.js';
import { KINDS } from './kinds.js';
import { cellKey, fillMatrix, type Matrix } from './matrix.js';
import { matrixPage, readable } from './page.js';
import { factsOf, play, playOn, SCENES, type Scene } from './scene.js';

const PAGE = join(import.meta.dirname, '../../docs/fail-open-matrix.md');
const folder = mkdtempSync(join(tmpdir(), 'harbor-matrix-'));
const matrices = new Map<Scene, Matrix>();

beforeAll(async () => {
  const executable = new Executable(folder);
  for (const scene of SCENES) {
    const bot = await play(scene);
    const { view, facts } = await factsOf(bot, scene);
    matrices.set(scene, await fillMatrix(view, facts, executable, bot.world.now));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function matrixOf(scene: Scene): Matrix {
  const matrix = matrices.get(scene);
  if (matrix === undefined) throw new Error(`${scene} was not tried`);
  return matrix;
}

test.each(SCENES)('no guard opens on a bad answer, of whatever kind: %s', (scene) => {
  const { guards, inner, cells } = matrixOf(scene);
  const outer = guards.filter((guard) => !inner.includes(guard));

  expect([...cells].filter(([, cell]) => cell.has('OPEN'))).toEqual([]);
  expect(outer.length).toBeGreaterThan(8);
  // Every guard that asks the outside was tried with every way in which a process can go wrong.
  const ways = KINDS.filter(({ of }) => of({ name: '', frame: 'text', stdout: 'x' }) !== null);
  const untried = outer.flatMap((guard) =>
    ways.filter(({ title }) => !cells.has(cellKey(guard, title))).map(({ title }) => cellKey(guard, title)),
  );
  expect(untried).toEqual([]);
});

test.each(SCENES)('every kind of bad answer is unknown or shut somewhere, but those that only look different: %s', (scene) => {
  const { cells } = matrixOf(scene);
  const found = (title: string) => [...cells].filter(([key]) => key.endsWith(`× ${title}`)).flatMap(([, cell]) => [...cell]);
  const onlyTrue = KINDS.map(({ title }) => title).filter((title) => found(title).every((cell) => cell === 'true'));

  // An old stamp is what it says: that a control must be stepping now is a guard of its own, where there is a control.
  expect(onlyTrue.filter((title) => title !== 'old stamp').toSorted()).toEqual(['LF']);
});

test.each(SCENES)('with what a bad answer left of a reading, the protocol does not act: %s', async (scene) => {
  const byOutcome = new Map(matrixOf(scene).doubts.map((doubt) => [`${doubt.need.name} ${doubt.reading.kind} ${doubt.on}`, doubt]));

  const ends = new Set<string>();
  for (const { need, reading, on } of byOutcome.values()) {
    const { state, acts, intents } = await playOn(scene, need, reading);
    expect({ on, acts, intents }).toEqual({ on, acts: 0, intents: 0 });
    ends.add(state);
  }

  expect(byOutcome.size).toBeGreaterThan(8);
  const waiting = scene === 'arming' ? ['awaiting_launch', 'blocked'] : ['nothing_running', 'held'];
  expect([...ends].filter((state) => !waiting.includes(state))).toEqual([]);
});

test('the published matrix is current (npm run matrix writes it)', () => {
  const page = matrixPage(SCENES.map((scene) => [scene, matrixOf(scene)] as const));
  if (process.env.HARBOR_MATRIX === 'write') writeFileSync(PAGE, page);

  expect(readable(readFileSync(PAGE, 'utf8'))).toBe(readable(page));
});
