import { test } from 'vitest';
import { killAtEvery, STORIES } from './killed.js';

// `npm run test:long` kills at every point.
test.each(STORIES)(
  'killed at any point of a $wants, it ends where it would without the kill, or waits for a person, and never further',
  (story) => killAtEvery(6, story),
);
