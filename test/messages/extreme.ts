/** How much there is to say, and by whom it was written. */
export type Scale = 'usual' | 'extreme';

const HOSTILE = '<!channel> <@U0EVE> `*_~ & <https://evil.example|fine> @octo-org/team #12 ``` 😀 ';
/** Longer than any limit of one text, and whichever way it is escaped. */
const LONG = HOSTILE.repeat(60);
/** As long as a run id may be; a job's id has more around it. */
const LONG_ID = 'r'.repeat(100);

/** Fields that people or programs write as they please. */
const FREE = new Set(
  'sentence reason subject objective rationale fallback title quote what link undo copy retention source detail was is now error needs category coreDump file name fault instant_words text'.split(
    ' ',
  ),
);
/** Lists of such texts. */
const FREE_LISTS = new Set(['observations', 'diagnosis', 'notExercised', 'live', 'faults', 'inferred', 'command']);
/** Ids, which are bounded where they are read. */
const IDS = new Set(['oldRun', 'newRun', 'runId', 'jobId', 'oldCoordinator', 'newCoordinator', 'jobName', 'trackerName']);
const MANY = 40;
const INSTANT = /^\d{4}-\d{2}-\d{2}T/;

/** The same with the longest and worst in every field that is free, and forty of everything that is a list. */
export function extremeOf<T>(value: T): T {
  return stretched(value, '') as T;
}

function stretched(value: unknown, key: string): unknown {
  if (typeof value === 'string') {
    if (FREE.has(key) && !INSTANT.test(value)) return LONG;
    return IDS.has(key) ? value.replace(/[a-z0-9-]+$/i, LONG_ID) : value;
  }
  if (Array.isArray(value)) return listed(value, key);
  if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof Map || value instanceof Set) return value;
  const verdict = key === '' || typeof (value as { verdict?: unknown }).verdict !== 'string' ? {} : { verdict: wordOrLong(value) };
  return { ...Object.fromEntries(Object.entries(value).map(([name, each]) => [name, stretched(each, name)])), ...verdict };
}

/** What a ferry's verdict is, is a sentence; a criterion's is a word of the judge's. */
function wordOrLong(value: object): unknown {
  const { verdict } = value as { verdict: string };
  return /^[A-Z]+$/.test(verdict) ? verdict : LONG;
}

function listed(list: readonly unknown[], key: string): readonly unknown[] {
  const each = list.map((item) => (typeof item === 'string' && FREE_LISTS.has(key) ? LONG : stretched(item, key)));
  if (key === 'history' || key === 'asides' || key === 'acting' || key === 'days' || key === 'tuple') return each;
  return Array.from({ length: each.length === 0 ? 0 : MANY }, (_none, n) => each[n % each.length]);
}
