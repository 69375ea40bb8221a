import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Reserve } from '../../src/journal/reserve.js';

let folder = '';
let free = 1e9;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'harbor-reserve-'));
  free = 1e9;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const reserve = () => new Reserve({ folder, freeBytes: () => free, leastBytes: 1e6, reserveBytes: 1e5 });

test('room is held back while there is plenty, given up when there is little, and taken again later', () => {
  const store = reserve();
  expect(store.shortage()).toBeNull();
  expect(existsSync(join(folder, 'reserve'))).toBe(true);

  free = 9e5;
  expect(store.shortage()).toBe(9e5);
  expect(existsSync(join(folder, 'reserve'))).toBe(false);

  free = 1.1e6;
  expect(store.shortage()).toBeNull();
  expect(existsSync(join(folder, 'reserve'))).toBe(false);

  free = 1e9;
  store.shortage();
  expect(existsSync(join(folder, 'reserve'))).toBe(true);
});

test('a disk that cannot be read has no room', () => {
  const store = new Reserve({
    folder,
    freeBytes: () => {
      throw new Error('EIO');
    },
  });

  expect(store.shortage()).toBe(0);
});
