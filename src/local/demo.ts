import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../errors.js';
import { maxLiveCoordinators } from './cluster/ledger.js';
import { FERRY_SCENARIOS } from './ferry-scenarios.js';
import { startHarbour } from './harbour.js';
import { Player, type Step } from './player.js';
import { SCENARIOS as HERO_SCENARIOS, type Scenario } from './scenarios.js';

/** Every demo, by name. */
export const SCENARIOS = { ...HERO_SCENARIOS, ...FERRY_SCENARIOS } satisfies Readonly<Record<string, Scenario>>;

/** The last line of a demo. `told` counts told rows, `thread` and `issue` what was found there under our keys. */
export interface DemoResult {
  readonly scenario: string;
  readonly verdict: 'as-expected' | 'unexpected';
  readonly state: string;
  readonly told: number;
  readonly thread: number;
  readonly issue: number;
}

/** Plays a scenario in a harbour of its own. */
export async function playDemo(name: string, onStep: (step: Step) => void, pace: number): Promise<DemoResult> {
  const scenario = SCENARIOS[name as keyof typeof SCENARIOS];
  if (scenario === undefined) throw new UsageError(`demo: there is no scenario "${name}"; there are ${Object.keys(SCENARIOS).join(', ')}`);
  const home = mkdtempSync(join(tmpdir(), 'harbor-demo-'));
  const harbour = await startHarbour({ home, pace });
  const player = new Player(harbour, onStep);
  try {
    const { operationId, asExpected } = await play(name, scenario, player);
    await player.settled(operationId);
    player.report();
    const { told, thread, issue } = await player.told(operationId);
    // By the cluster's own record: whoever else launched, never two because of us.
    const ours = (await player.ledger()).filter(({ jobId }) => jobId?.startsWith('/marin/') === true);
    const alone = Object.values(maxLiveCoordinators(ours)).every((most) => most <= 1);
    const mirrored = told.join() === thread.join() && told.join() === issue.join();
    return {
      scenario: name,
      verdict: asExpected && mirrored && alone ? 'as-expected' : 'unexpected',
      state: player.operation(operationId)?.state ?? 'none',
      told: told.length,
      thread: thread.length,
      issue: issue.length,
    };
  } finally {
    await harbour.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A scenario that takes another course than it should is unexpected, not a fault: why goes to standard error. */
async function play(name: string, scenario: Scenario, player: Player): ReturnType<Scenario> {
  try {
    return await scenario(player);
  } catch (fault) {
    const newest = player.newest();
    if (newest === undefined) throw fault;
    process.stderr.write(`demo ${name}: ${fault instanceof Error ? fault.message : fault}\n`);
    return { operationId: newest, asExpected: false };
  }
}
