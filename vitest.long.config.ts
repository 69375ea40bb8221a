import { defineConfig } from 'vitest/config';

/** `npm run test:long`: scenarios that play a whole local harbour for minutes. Apart from `npm test`, which stays short. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.ts'],
    testTimeout: 120_000,
    hookTimeout: 90_000,
    fileParallelism: false,
  },
});
