import { escapeMarkdown } from './markdown.js';
import { utc } from './mrkdwn.js';

/** One operation as the status issue's body lists it. */
export interface StatusLine {
  readonly operationId: string;
  readonly state: string;
  /** The state as people call it. */
  readonly words: string;
  readonly since: Date;
  readonly seq: number;
  /** Hash of its newest row. */
  readonly head: string;
}

const BEGIN = '<!-- harbor-status:1 -->';
const END = '<!-- /harbor-status -->';
/** GitHub takes 65,536 characters; what is not ours keeps its room. Source: contracts/slack-github-platform.md, section 5. */
const BODY_MAX = 60_000;
/** Where an issue comes near GitHub's limit of 2,500 comments, its successor should be named. */
const COMMENTS_WARN = 2_400;
const COMMENTS_MAX = 2_500;

/** The block that says how things stand; it changes only when they do. The format is docs/status-issue.md. */
export function statusBlock(open: readonly StatusLine[], ended: readonly StatusLine[], comments: number): string {
  const rows = [...open, ...ended].map(
    ({ operationId, state, words, since, seq, head }) =>
      `| ${operationId} | \`${state}\` | ${escapeMarkdown(words)} | ${utc(since)} | ${seq} | \`${head.slice(0, 16)}\` |`,
  );
  const table = ['| operation | state | in words | since (UTC) | row | head |', '| --- | --- | --- | --- | --- | --- |', ...rows];
  const warning =
    comments < COMMENTS_WARN
      ? []
      : [
          `This issue holds more than ${COMMENTS_WARN} of the ${COMMENTS_MAX} comments that GitHub takes: name a new one in the fleet file soon.`,
          '',
        ];
  return [BEGIN, '### Harbormaster', '', ...warning, ...(rows.length === 0 ? ['Nothing has been planned.'] : table), END].join('\n');
}

/** A body with the block in it: in its place, or after what people wrote, which is never touched. Null: there is no room for it. */
export function withBlock(body: string, block: string): string | null {
  const from = body.indexOf(BEGIN);
  const to = from === -1 ? -1 : body.indexOf(END, from);
  const own = body.trimEnd();
  const next = to === -1 ? `${own}${own === '' ? '' : '\n\n'}${block}` : `${body.slice(0, from)}${block}${body.slice(to + END.length)}`;
  return next.length > BODY_MAX ? null : next;
}

/** The one label of ours that an issue carries: how the operation that needs people most stands. */
export function labelOf(states: readonly string[]): string {
  const stage = STAGES.find(({ of }) => states.some((state) => of.includes(state)));
  return `${LABEL_PREFIX}${stage?.label ?? (states.length === 0 ? 'idle' : 'under way')}`;
}

export const LABEL_PREFIX = 'harbor: ';

const STAGES: readonly { readonly label: string; readonly of: readonly string[] }[] = [
  { label: 'nothing running', of: ['nothing_running', 'awaiting_anchor'] },
  { label: 'held', of: ['held'] },
  { label: 'trial failed', of: ['awaiting_rollback'] },
  { label: 'decision awaited', of: ['awaiting_decision', 'awaiting_launch'] },
  { label: 'rolling back', of: ['stopping_new', 'anchoring', 'relaunching_old', 'replaying'] },
  { label: 'trial', of: ['starting', 'trial'] },
  { label: 'watching', of: ['watching'] },
];
