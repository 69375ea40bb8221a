import { defineConfig } from 'vitest/config';

/** `npm run test:browser` and `npm run screenshots`: the page in a real browser. Apart from `npm test`, which needs none. */
export default defineConfig({
  test: {
    include: ['test/browser/*.browser.ts', 'test/browser/*.shots.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
