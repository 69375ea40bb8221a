import { defineConfig } from 'vitest/config';

/** Scenario tests start real processes and wait for real training: they need time, and no more company than there are cores. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**'],
    testTimeout: 90_000,
    hookTimeout: 90_000,
    maxWorkers: 3,
  },
});
