import { expect, test } from 'vitest';
import { playShare, shares } from './shares.js';

test.each(shares(1))('no invariant breaks in the fifty seeds from %i', { timeout: 180_000 }, async (from) => {
  expect(await playShare(from)).toEqual([]);
});
