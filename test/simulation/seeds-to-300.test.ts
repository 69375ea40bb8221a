import { expect, test } from 'vitest';
import { playShare, shares } from './shares.js';

test.each(shares(151))('no invariant breaks in the fifty seeds from %i', async (from) => {
  expect(await playShare(from)).toEqual([]);
});
