import { defineConfig } from 'vitest/config';

/** `npm run test:long`: scenarios that play a whole local harbour for minutes. Apart from `npm test`, which stays short. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
