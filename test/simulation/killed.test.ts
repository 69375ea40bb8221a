import { test } from 'vitest';
import { killAtEvery, STORIES } from './killed.js';

// At every twelfth point; `npm run test:long` kills at each.
test.each(STORIES)(
  'killed on the way to a $wants, it ends where it would without the kill, or waits for a person, and never further',
  (story) => killAtEvery(12, story),
);
