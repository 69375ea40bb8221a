import { expect, test } from 'vitest';
import { PLANS } from './plans.js';
import { walk } from './walk.js';

test.each(Object.entries(PLANS))('nothing that must not be is reachable, and everybody can come to an end: %s', (_name, plan) => {
  const { counterExample, states } = walk({ plan, mishapsMax: 0 });

  expect(counterExample).toBeNull();
  expect(states).toBeGreaterThan(1_000);
});
