import { test } from 'vitest';
import { killAtEvery, STORIES } from './killed.js';

test.each(STORIES)('killed at each point of a $wants, one after the other', { timeout: 1_800_000 }, (story) => killAtEvery(1, story));
