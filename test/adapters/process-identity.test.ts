import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identify, isGone, isIntentGone, type ProcessIdentity } from '../../src/adapters/process-identity.js';
import { gist, NOW, until } from './asking.js';
import { fakeCommand } from './fake-command.js';

function start(script: string, intentId: string) {
  const command = fakeCommand(script);
  const child = spawn(command.path, { detached: true, stdio: 'ignore', env: { PATH: process.env.PATH, HARBOR_INTENT: intentId } });
  const { pid } = child;
  if (pid === undefined) throw new Error('not spawned');
  const identity = identify(pid);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return { identity, exited, dir: command.dir };
}

function commandLine(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
}

function gone(identity: ProcessIdentity, intentId: string) {
  return gist(isGone({ ...identity, intentId }, NOW));
}

test('a group is gone when its last member is, not when its leader is', async () => {
  const { identity, exited, dir } = start('sleep 600 & echo $! > "$dir/member"', 'gone-1');
  await exited;

  expect(gone(identity, 'gone-1')).toEqual({ known: false });

  process.kill(Number(readFileSync(join(dir, 'member'), 'utf8')), 'SIGKILL');
  await until(() => 'known' in gone(identity, 'gone-1') && JSON.stringify(gone(identity, 'gone-1')) === '{"known":true}');
});

test('a process that left group and session is told by the intent it carries', async () => {
  const { identity, exited, dir } = start(
    'setsid bash -c \'echo $$ > "$0/stray.new"; mv "$0/stray.new" "$0/stray"; exec sleep 600\' "$dir" &',
    'gone-2',
  );
  await exited;
  await until(() => existsSync(join(dir, 'stray')));
  const stray = Number(readFileSync(join(dir, 'stray'), 'utf8'));
  await until(() => commandLine(stray).startsWith('sleep')); // before that it may be in the middle of its exec

  expect(gone(identity, 'gone-2')).toEqual({ known: false });
  expect(gist(isIntentGone('gone-2', NOW))).toEqual({ known: false });
  expect(gone(identity, 'gone-2b')).toEqual({ known: true });

  process.kill(stray, 'SIGKILL');
  await until(() => JSON.stringify(gist(isIntentGone('gone-2', NOW))) === '{"known":true}');
});

test('a process that is in the middle of becoming another program, and shows nothing of itself just then, is not gone', async () => {
  const { exited, dir } = start(
    `printf '#!/bin/sh\\n[ "$1" -eq 0 ] || exec "$0" $(($1 - 1))\\n' > "$dir/again"
     chmod +x "$dir/again"
     setsid "$dir/again" 100000 &
     echo $! > "$dir/stray"`,
    'gone-5',
  );
  await exited;
  const stray = Number(readFileSync(join(dir, 'stray'), 'utf8'));
  await until(() => commandLine(stray).includes('again'));

  for (let look = 0; look < 20; look += 1) expect(gist(isIntentGone('gone-5', NOW))).not.toEqual({ known: true });

  process.kill(stray, 'SIGKILL');
  await until(() => JSON.stringify(gist(isIntentGone('gone-5', NOW))) === '{"known":true}');
});

test('nothing of an earlier boot is left, and a pid that was given out again is somebody else', () => {
  const own = identify(process.pid);

  expect(gone({ ...own, bootId: '00000000-0000-0000-0000-000000000000' }, 'gone-3')).toEqual({ known: true });
  expect(gone({ ...own, startTicks: own.startTicks - 1 }, 'gone-3')).toEqual({ known: true });
});

test('without an identity that /proc gave, gone is never said', () => {
  const { pid } = identify(process.pid);

  expect(gone({ pid: 4_000_000, startTicks: 0, bootId: '' }, 'gone-4')).toMatchObject({ unknown: 'unreachable' });
  expect(pid).toBe(process.pid);
});
