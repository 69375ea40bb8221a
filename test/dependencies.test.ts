import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const { dependencies, devDependencies } = JSON.parse(text('package.json')) as Record<string, Record<string, string>>;
const all = Object.entries({ ...dependencies, ...devDependencies });

test.each(all)('%s is pinned exactly, and CONTRIBUTING says what it is for', (name, version) => {
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(text('CONTRIBUTING.md')).toContain(name);
});

test('the lock file names no registry', () => {
  expect(text('package-lock.json')).not.toContain('"resolved"');
});
