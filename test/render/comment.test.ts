import { expect, test } from 'vitest';
import { commentText } from '../../src/render/comment.js';
import { code, say, type Text, words } from '../../src/render/text.js';

const NOBODY = (): null => null;

function comment(lines: readonly Text[], evidence: readonly Text[] = [], charsMax = 60_000): string {
  return commentText({ mark: '⛔', title: say`${code('hero-12')} · blocked`, lines, evidence }, 'hero-12', charsMax, NOBODY);
}

/** Whether every fence of one line is closed again, as CommonMark reads it: by a run of as many backticks. */
function isClosed(line: string): boolean {
  let left = line.replace(/\\[^\w\s]/g, '');
  for (;;) {
    const open = /`+/.exec(left)?.[0];
    if (open === undefined) return true;
    left = left.slice(left.indexOf(open) + open.length);
    const close = new RegExp(`(?<!\`)${open}(?!\`)`).exec(left);
    if (close === null) return false;
    left = left.slice(close.index + open.length);
  }
}

test.each([
  ['90,000 characters in one line', [say`${words('x'.repeat(90_000))}`]],
  ['3 MB of debug lines', Array.from({ length: 30_000 }, (_, n) => say`${words(`${n} ${'debug '.repeat(16)}`)}`)],
  ['what doubles when it is escaped', [say`${words('<&*_@#'.repeat(9_000))}`]],
  ['code full of backticks', [say`${'a``b` '.repeat(20_000)} and ${'c'.repeat(70_000)}`]],
  ['pairs', [say`${words('😀'.repeat(40_000))} ${'😀'.repeat(40_000)}`]],
])('F76: %s are one comment with the verdict, the first and the last, what was left out, and where the whole is', (_what, lines) => {
  const text = comment([say`the first of it`, ...lines, say`the last of it`]);

  expect(text.length).toBeLessThanOrEqual(60_000);
  expect(text.length).toBeGreaterThan(30_000);
  expect(text).toMatch(/^⛔ `hero-12` · blocked\nthe first of it\n/);
  expect(text).toMatch(/\nthe last of it$/);
  expect(text).toMatch(/… Shortened: the full text is in the record \(`harbor log hero-12`\); `[1-9]\d*` characters are left out here\. …/);
  expect(text).not.toMatch(/\p{Surrogate}/u);
  for (const line of text.split('\n')) expect(isClosed(line)).toBe(true);
  expect(text.replaceAll('&amp;', '')).not.toContain('&');
});

test('F76: what is left out is counted to the character, as it was before it was escaped', () => {
  const text = comment([say`${words('<'.repeat(5_000))}`], [], 4_000);

  const [, count] = /; `(\d+)` characters/.exec(text) ?? [];
  expect(Number(count) + (text.match(/\\</g) ?? []).length).toBe(5_000);
});

test('F76: however little room there is, the verdict stays and nothing is cut inside a pair or a fence', () => {
  for (let charsMax = 300; charsMax < 900; charsMax += 7) {
    const text = comment([say`${words('😀&<`'.repeat(300))} ${'`😀'.repeat(300)}`], [say`${'evidence '.repeat(90)}`], charsMax);
    expect(text.length).toBeLessThanOrEqual(charsMax);
    expect(text).toContain('⛔ `hero-12` · blocked');
    expect(text).not.toMatch(/\p{Surrogate}/u);
    for (const line of text.split('\n')) expect(isClosed(line)).toBe(true);
  }
});

test('what fits is not touched', () => {
  expect(comment([say`a line`], [say`a fact`])).toBe('⛔ `hero-12` · blocked\na line\n\n- a fact');
});
