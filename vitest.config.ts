import { defineConfig } from 'vitest/config';

/**
 * Scenario tests start real processes and wait for real training: they need time, and no more company than there are cores.
 * The limits are for what hangs: a machine at a quarter of the speed stays inside them.
 */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 3,
  },
});
