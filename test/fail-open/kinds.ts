import type { Good, Meaning } from './answers.js';

/** How an executable answers: what it prints and how it ends. */
export interface Answered {
  readonly stdout: string;
  readonly stderr?: string;
  /** An exit code; or a way to end, or not to begin. */
  readonly ends?: number | 'signal' | 'hangs' | 'grandchild' | 'missing' | 'denied';
  /** The limit of the output is below what is printed. */
  readonly overCap?: true;
}

/** One kind of bad answer. `of` is null where an answer has nothing that could be wrong in this way. */
export interface Kind {
  readonly title: string;
  readonly of: (good: Good) => Answered | null;
}

const means =
  (meaning: Meaning): Kind['of'] =>
  ({ wrong }) => {
    const stdout = wrong?.[meaning];
    return stdout === undefined ? null : { stdout };
  };

/** The kinds of bad answer, in the order of the columns. Some of them say the same as the good one: they must be read as it. */
export const KINDS: readonly Kind[] = [
  { title: 'nothing printed', of: () => ({ stdout: '' }) },
  { title: 'header only', of: means('none') },
  { title: 'wrong header', of: ({ stdout }) => ({ stdout: renamed(stdout) }) },
  { title: 'reordered', of: (good) => ({ stdout: reordered(good) }) },
  { title: 'extra column', of: (good) => ({ stdout: widened(good) }) },
  { title: 'CRLF', of: ({ stdout }) => ({ stdout: stdout.replace(/\r?\n/g, '\r\n') }) },
  { title: 'LF', of: ({ stdout }) => ({ stdout: stdout.replace(/\r\n/g, '\n') }) },
  { title: 'BOM', of: ({ stdout }) => ({ stdout: `\uFEFF${stdout}` }) },
  { title: 'row cut', of: ({ stdout }) => ({ stdout: stdout.slice(0, -3) }) },
  { title: 'exactly the row cap', of: means('cap') },
  { title: 'exit 1, good output', of: ({ stdout }) => ({ stdout, stderr: 'Traceback', ends: 1 }) },
  { title: 'exit 0, error on stderr, good output', of: ({ stdout }) => ({ stdout, stderr: 'Error: tunnel lost' }) },
  { title: 'exit 0, error on stderr, nothing else', of: () => ({ stdout: '', stderr: 'iris: command not found' }) },
  { title: 'exit 0, words', of: () => ({ stdout: 'permission denied\n' }) },
  { title: 'signal', of: ({ stdout }) => ({ stdout, ends: 'signal' }) },
  { title: 'time-out', of: ({ stdout }) => ({ stdout, ends: 'hangs' }) },
  { title: 'hung grandchild', of: ({ stdout }) => ({ stdout, ends: 'grandchild' }) },
  { title: 'over the cap', of: ({ stdout }) => ({ stdout: `${stdout}${'x'.repeat(8_192)}\n`, overCap: true }) },
  { title: 'unlisted state', of: means('unlisted') },
  { title: 'name for a code', of: means('named') },
  { title: 'two for one', of: means('two') },
  { title: 'prefix of another', of: means('prefix') },
  { title: "another user's", of: means('other_user') },
  { title: 'old stamp', of: means('old') },
  { title: 'future stamp', of: means('future') },
  { title: 'NaN', of: means('nan') },
  { title: 'old CLI', of: () => ({ stdout: '', stderr: "Usage: cli [OPTIONS]\nError: No such option: '-f'", ends: 2 }) },
  { title: 'executable missing', of: () => ({ stdout: '', ends: 'missing' }) },
  { title: 'permission denied', of: () => ({ stdout: '', ends: 'denied' }) },
];

// The first letter of what an answer begins with: a column, a key, a mark.
function renamed(stdout: string): string {
  const at = stdout.search(/[A-Za-z#]/);
  return at === -1 ? `?${stdout}` : `${stdout.slice(0, at)}Q${stdout.slice(at + 1)}`;
}

function reordered({ frame, stdout }: Good): string {
  if (frame === 'csv') return stdout.replace(/^([^,\r\n]+),([^,\r\n]+)(?=\r?$)/gm, '$2,$1');
  if (frame === 'text') return stdout.split('\n').reverse().join('\n');
  return eachLine(stdout, (value) =>
    JSON.stringify(value, (_key, inner) => (isObject(inner) ? Object.fromEntries(Object.entries(inner).reverse()) : inner)),
  );
}

function widened({ frame, stdout }: Good): string {
  if (frame === 'csv') return stdout.replace(/(?=\r\n)/g, ',x');
  if (frame === 'text') return `${stdout}degraded\n`;
  return eachLine(stdout, (value) =>
    JSON.stringify(
      Array.isArray(value) ? [...value, { key: 'x', size: 1, degraded: true }] : { ...(isObject(value) ? value : {}), degraded: true },
    ),
  );
}

function eachLine(stdout: string, change: (value: unknown) => string): string {
  const lines = stdout.split('\n').slice(0, -1);
  return lines.map((line) => `${change(JSON.parse(line))}\n`).join('');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
