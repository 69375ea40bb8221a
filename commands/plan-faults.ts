/** One thing that is wrong with a plan body: where, which kind of wrong, and the limits that were meant. */
interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly minimum?: number | bigint | undefined;
  readonly maximum?: number | bigint | undefined;
  readonly origin?: string | undefined;
}

/** The field that is typed for a part of the plan, where they are called differently. */
const FIELDS: Readonly<Record<string, string>> = {
  windowSteps: 'window',
  discardedStepsMax: 'discard',
  oldRun: 'old',
  newRun: 'new',
  handoffStep: 'handoff',
  handoffCheckpoint: 'handoff',
  onFailure: 'fail',
  finalStep: 'final',
  permanentWaiver: 'copy',
  notExercised: 'unseen',
  coreDump: 'dump',
  record: 'retention',
};

/** What is wrong, by the field that was typed, in words for who typed it. */
export function faultOf(issue: Issue): string {
  const [part, ...deeper] = issue.path.map(String);
  const field = FIELDS[part ?? ''] ?? part ?? 'plan';
  const item = ITEMS[part ?? ''];
  const [index, column] = deeper;
  const where = item === undefined || index === undefined ? field : `${field}, ${item} ${Number(index) + 1}`;
  return `${where}${part === 'downstream' ? (COLUMNS[column ?? ''] ?? '') : ''}: ${wordsOf(issue)}`;
}

/** What one of several is called, by the part of the plan that holds them. */
const ITEMS: Readonly<Record<string, string>> = { gate: 'criterion', downstream: 'row', notExercised: 'line' };

const COLUMNS: Readonly<Record<string, string>> = { what: ', column 1', link: ', column 2', done: ', column 3', undo: ', column 4' };

function wordsOf({ code, message, minimum, maximum, origin }: Issue): string {
  // A message of the plan's own is in plain words already; those that are not begin with the checker's.
  if (!/^(Invalid|Too (small|big)|Unrecognized)/.test(message)) return message.startsWith('a ') ? `must be ${message}` : message;
  const unit = origin === 'string' ? ' characters' : origin === 'array' ? ' of them' : '';
  switch (code) {
    case 'too_small':
      return origin === 'string' && Number(minimum) === 1 ? 'is empty' : `must be at least ${minimum}${unit}`;
    case 'too_big':
      return `must be at most ${maximum}${unit}`;
    case 'unrecognized_keys':
      return 'holds something that a plan has no place for';
    default:
      return 'is missing, or of a kind that does not belong here';
  }
}
