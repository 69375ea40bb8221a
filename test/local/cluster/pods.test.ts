import { expect, test } from 'vitest';
import { labelValue, podName } from '../../../src/local/cluster/pods.js';

const TASK = '/marin/hero-ragged_a2a-ep-step54k-coord-1a2b3c4d/grug-train-hero-ragged_a2a-ep-step54k/17';

test('a pod name keeps its hash and attempt when its readable part is cut', () => {
  expect(podName(TASK, 0)).toBe('iris-marin-hero-ragged-a2a-ep-step54k-coord-1a2b3c4d-d4a8dcea-0');
  expect(podName(TASK, 1, 200)).toBe(
    'iris-marin-hero-ragged-a2a-ep-step54k-coord-1a2b3c4d-grug-train-hero-ragged-a2a-ep-step54k-17-d4a8dcea-1',
  );
});

test('a label keeps underscores, turns slashes into dots and is cut at 63 characters', () => {
  const gang = TASK.slice(0, TASK.lastIndexOf('/'));
  expect(labelValue(gang)).toBe('marin.hero-ragged_a2a-ep-step54k-coord-1a2b3c4d.grug-train-hero');
});
