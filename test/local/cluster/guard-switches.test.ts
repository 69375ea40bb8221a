import { readFileSync } from 'node:fs';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SwitchName } from '../../../src/local/cluster/switches.js';
import { type Harbour, startHarbour, until } from './harbour.js';

const CONTROL = 'hero-main-step54k';
let harbour: Harbour;

beforeAll(async () => {
  harbour = await startHarbour();
  await harbour.permanent(CONTROL);
});
afterAll(() => harbour.stop());

async function turn(name: SwitchName, on: boolean): Promise<void> {
  await harbour.cluster.control({ kind: 'switch', name, on });
}

/** What a program prints before, while and after a switch is on. */
async function around(name: SwitchName, look: () => Promise<unknown>): Promise<readonly unknown[]> {
  const before = await look();
  await turn(name, true);
  const during = await look();
  await turn(name, false);
  return [before, during, await look()];
}

async function kubectl(what: 'pods' | 'nodes'): Promise<readonly Record<string, { conditions: { type: string; status: string }[] }>[]> {
  return JSON.parse((await harbour.run('kubectl', ['get', what, '-n', 'iris', '-o', 'json'])).stdout).items;
}

async function conditions(type: string): Promise<readonly string[]> {
  const all = await kubectl('nodes');
  return all.flatMap(({ status }) => (status?.conditions ?? []).filter((each) => each.type === type).map((each) => each.status));
}

test('a node that is down is not ready, one with a full disk says so, and pods can be out of sight', async () => {
  expect(await around('node_down', () => conditions('Ready'))).toEqual([
    ['True', 'True'],
    ['True', 'Unknown'],
    ['True', 'True'],
  ]);
  expect(await around('node_disk_full', () => conditions('DiskPressure'))).toEqual([
    ['False', 'False'],
    ['False', 'True'],
    ['False', 'False'],
  ]);
  expect(await around('pods_unseen', async () => (await kubectl('pods')).length > 0)).toEqual([true, false, true]);
});

test('an old command line of the scheduler has no exact stop', async () => {
  const hasExact = async () => (await harbour.run('iris', ['--cluster', 'marin', 'job', 'stop', '--help'])).stdout.includes('--exact');

  expect(await around('old_command_line', hasExact)).toEqual([true, false, true]);
});

test('a live run can stand still while it is listed as running, and goes on where it was', async () => {
  const step = () => harbour.runView(CONTROL).step ?? 0;
  await turn('control_stands_still', true);
  const { pid } = harbour.runView(CONTROL);
  await until('its process is stopped', () => / T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')));
  await turnOfTheLoop(); // what it had said by then is heard
  const stopped = step();
  const listed = await harbour.run('iris', ['--cluster', 'marin', 'query', '-f', 'csv', 'SELECT state FROM jobs WHERE depth = 1']);

  expect(step()).toBe(stopped);
  expect(listed.stdout).toBe('state\r\n3\r\n');
  expect(harbour.runView(CONTROL).live).toBe(true);
  await turn('control_stands_still', false);
  await until('it steps again', () => step() > stopped);
});

test('the next run: its name is taken in the tracker, its script launches as another, and logs elsewhere', async () => {
  const { runId, deployWorktree } = await harbour.prepare('fast-a2a');
  const page = async () => JSON.parse((await harbour.run('tracker', ['show', `marin-community/marin_moe/${runId}`])).stdout).exists;
  const script = async (line: string) =>
    (await harbour.run('git', ['grep', '--quiet', line, 'HEAD', '--', '*trigger_hero.sh'], { cwd: deployWorktree })).code === 0;

  expect(await around('tracker_child_foreign', page)).toEqual([false, true, false]);
  expect(await around('launch_user_other', () => script('^export IRIS_USER=marin$'))).toEqual([true, false, true]);
  expect(await around('tracker_project_other', () => script('^TRACKER_PROJECT="marin-community/marin_moe"$'))).toEqual([true, false, true]);
});
