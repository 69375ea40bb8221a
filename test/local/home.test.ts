import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { takeHome } from '../../src/local/home.js';

const root = mkdtempSync(join(tmpdir(), 'harbor-home-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a folder that no harbour made is left as it is', () => {
  const folder = join(root, 'somebody');
  mkdirSync(folder);
  writeFileSync(join(folder, 'thesis.txt'), 'years of work');

  expect(() => takeHome(folder)).toThrow('it is not empty and no local harbour made it');

  expect(readdirSync(folder)).toEqual(['thesis.txt']);
});

test('a second harbour in the folder of a running one is refused, and removes nothing of it', async () => {
  const folder = join(root, 'running');
  const first = takeHome(folder);
  writeFileSync(join(folder, 'harbor.yaml'), 'version: 1');

  expect(() => takeHome(folder)).toThrow(`process ${process.pid}`);
  expect(existsSync(join(folder, 'harbor.yaml'))).toBe(true);
  await first.stop();
  const second = takeHome(folder);

  expect(existsSync(join(folder, 'harbor.yaml'))).toBe(false);
  await second.stop();
});
