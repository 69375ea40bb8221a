import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Compares a generated page of `docs/` with what is committed. `WRITE_DOCS=1` writes it anew, to be looked at and committed. */
export function expectDocument(name: string, text: string): void {
  const path = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
  if (process.env.WRITE_DOCS === '1') writeFileSync(path, text);
  expect(text, `docs/${name} is not what the code says: write it anew with WRITE_DOCS=1`).toBe(readFileSync(path, 'utf8'));
}
