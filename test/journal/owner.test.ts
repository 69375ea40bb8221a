import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OwnedError, takeOwnership } from '../../src/journal/owner.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'harbor-owner-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = new Date('2026-11-30T12:00:00.000Z');

test('F70: a second owner is refused and told who holds it; after a release it may', () => {
  const owner = takeOwnership(folder, now);

  expect(() => takeOwnership(folder, now)).toThrow(OwnedError);
  expect(() => takeOwnership(folder, now)).toThrow(`process ${process.pid} on `);

  owner.release(true);
  takeOwnership(folder, now).release(true);
});

test('a killed owner holds nothing', async () => {
  const script = `
    import Sqlite from 'better-sqlite3';
    const database = new Sqlite(${JSON.stringify(join(folder, 'owner.db'))});
    database.exec('BEGIN EXCLUSIVE');
    console.log('held');
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: process.cwd(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  expect(() => takeOwnership(folder, now)).toThrow(OwnedError);

  holder.kill('SIGKILL');
  await once(holder, 'exit');

  takeOwnership(folder, now).release(true);
});
