import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { type Fleet, parseFleet } from '../../src/fleet.js';

/** A real executable in a folder of its own, and the argument vectors with which it was called. */
export interface FakeCommand {
  readonly path: string;
  readonly dir: string;
  calls(): readonly (readonly string[])[];
}

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'harbor-test-'));
  folders.push(folder);
  return folder;
}

/** A bash script as an executable; `$dir` is its folder. It notes its arguments before it does anything. */
export function fakeCommand(script: string): FakeCommand {
  const dir = temporaryFolder();
  const path = join(dir, 'command');
  const note = 'printf "%s\\x1f" "$@" >> "$dir/calls"; printf "\\x1e" >> "$dir/calls"';
  writeFileSync(path, `#!/usr/bin/env bash\ndir=${JSON.stringify(dir)}\n${note}\n${script}\n`);
  chmodSync(path, 0o755);
  const calls = () => {
    const notes = join(dir, 'calls');
    if (!existsSync(notes)) return [];
    const records = readFileSync(notes, 'utf8').split('\x1e').slice(0, -1);
    return records.map((record) => record.split('\x1f').slice(0, -1));
  };
  return { path, dir, calls };
}

/** An executable that prints these bytes and ends with this code, whatever it is asked. */
export function fakeReply(stdout: string, { exit = 0, stderr = '' }: { exit?: number; stderr?: string } = {}): FakeCommand {
  const command = fakeCommand('cat "$dir/stdout"; cat "$dir/stderr" >&2; exit "$(cat "$dir/exit")"');
  writeFileSync(join(command.dir, 'stdout'), stdout);
  writeFileSync(join(command.dir, 'stderr'), stderr);
  writeFileSync(join(command.dir, 'exit'), String(exit));
  return command;
}

/** A fleet of one family, `hero`, whose outside systems are the given executables; the others are not there at all. */
export function fakeFleet(
  commands: Partial<Record<keyof Fleet['adapters'], FakeCommand>>,
  options: { readonly env?: Readonly<Record<string, string>> } = {},
): Fleet {
  const { env = {} } = options;
  const names = ['iris', 'finelog', 'kubectl', 'objectstore', 'tracker', 'gh'] as const;
  const given = Object.entries(commands).map(([name, { path }]) => [name, { command: [path], timeoutSeconds: 60, env }]);
  const absent = names.map((name) => [name, { command: [`/nowhere/${name}`] }]);
  const fleet = {
    version: 1,
    data: '/nowhere',
    clusters: { east: { scheduler: 'marin', telemetry: 'cw-us-east-08a', namespace: 'iris-jobs' } },
    families: {
      hero: {
        cluster: 'east',
        user: 'marin',
        gang: { tasks: 2, devices: 8 },
        repository: { deployWorktree: '/nowhere/deploy', rollbackWorktree: '/nowhere/rollback' },
        checkpoints: {
          permanent: 's3://hero/grug/{run}/2026.08.19.2/checkpoints',
          temporary: 's3://hero-checkpoints/tmp/ttl=14d/checkpoints-temp/hero/marin/grug/{run}/2026.08.19.2/checkpoints',
        },
        tracker: { entity: 'marin-community', project: 'marin_moe' },
        workingHours: { zone: 'UTC', from: '00:00', until: '24:00' },
      },
    },
    metrics: { train_loss: { better: 'lower' } },
    adapters: { ...Object.fromEntries(absent), ...Object.fromEntries(given) },
    people: { hero: { ask: [], agree: [], approve: ['U1FAKE'], decide: [], override: [], onCall: [] } },
    policy: { hero: {} },
    slack: { channel: 'C01HEROES' },
    github: { repository: 'marin-community/marin', issue: 8506 },
  };
  return parseFleet(JSON.stringify(fleet), 'fake fleet');
}
