import { expect, test } from 'vitest';
import { playDemo } from '../../src/local/demo.js';
import { PACE } from '../support/harbour.js';

test.each(['no-go'])('the demo %s ends as expected, told once in thread and issue, in order', async (name) => {
  const steps: string[] = [];

  const result = await playDemo(name, ({ from, to }) => steps.push(`${from} → ${to}`), PACE);

  expect(result).toMatchObject({ scenario: name, verdict: 'as-expected', thread: result.told, issue: result.told });
  expect(steps.length).toBeGreaterThan(5);
});
