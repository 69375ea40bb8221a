import type { Outcome } from '../../src/protocol/ferry/facts.js';
import { commentText } from '../../src/render/comment.js';
import { ferryDocuments } from '../../src/render/ferry/documents.js';
import { continues, goesOnIn, opensAfter } from '../../src/render/follow-up.js';
import { failureIssue } from '../../src/render/hero/failure-issue.js';
import { toldMessage } from '../../src/render/hero/told.js';
import { stateInWords } from '../../src/render/state-words.js';
import { labelOf, type StatusLine, statusBlock, withBlock } from '../../src/render/status-block.js';
import { ferryViewIn } from '../support/ferry-samples.js';
import { AT, MAY_DO, toldOf, viewIn } from '../support/samples.js';
import type { Scale } from './extreme.js';
import { HERO_TOLD, scaled } from './hero.js';
import type { Page, Part, Sample } from './outgoing.js';

const documents = ferryDocuments({ repository: 'marin-community/marin' });
const TAG = 'ferry/daily/20261130/ferry_daily_125m_20261130-120000-daily-ferry-8f31ab';
const OUTCOMES: Readonly<Record<Outcome, true>> = { succeeded: true, failed: true, stopped: true, unverified: true };

const NO_CONTEXT = { lastFerry: null, lastCommit: null, lastJob: null, lastLink: null, issues: [], pulls: [], commits: [] };

const comment = (name: string, body: string): Sample => ({ name, outgoing: { kind: 'comment', body } });
const issue = (name: string, { title, body }: { title: string; body: string }): Sample => ({
  name,
  outgoing: { kind: 'issue', title, body },
});

export function githubPage(scale: Scale): Page {
  return { file: 'github.md', title: 'On GitHub', parts: [statusIssue(scale), followUp(), failure(scale), ferries(scale)] };
}

/** What the label says of operations in these states. */
const LABELS: readonly (readonly string[])[] = [
  [],
  ['planned'],
  ['nothing_running', 'trial'],
  ['held'],
  ['awaiting_rollback'],
  ['awaiting_decision'],
  ['stopping_new'],
  ['starting'],
  ['watching', 'planned'],
];

/** A told row as it stands in a comment; every row of `hero.md` and `ferry.md` is mirrored so. */
function statusIssue(scale: Scale): Part {
  const rows = scale === 'usual' ? HERO_TOLD.filter(({ on }) => on === 'window_closed' || on === 'guards_shut') : HERO_TOLD;
  const line = (operationId: string, state: string): StatusLine => ({
    operationId,
    state,
    words: stateInWords(operationId, state),
    since: AT,
    seq: 9,
    head: 'abcdef0123456789',
  });
  const open = [line('hero-12', 'trial'), line('ferry-31', 'awaiting_seal')];
  const many = Array.from({ length: 300 }, (_none, n) => line(`hero-${n + 1}`, 'trial'));
  const bodies: readonly (readonly [string, string])[] = [
    ['nothing was planned', statusBlock([], [], 0)],
    ['something is open', statusBlock(open, [line('hero-11', 'rolled_back')], 12)],
    ['the issue is nearly full', statusBlock(open, [], 2_450)],
    ...(scale === 'usual' ? [] : [['many', withBlock('of people', statusBlock(many, [], 2_450)) ?? 'no room'] as const]),
  ];
  return {
    heading: 'The status issue',
    samples: [
      comment(
        'its one label, by the states of what is open',
        LABELS.map((states) => `${states.join(', ') || 'nothing is open'}: ${labelOf(states)}`).join('\n'),
      ),
      ...bodies.map(([name, body]) => comment(`its block: ${name}`, body)),
      ...rows.map((row) => {
        const { view, entry } = scaled(toldOf(row), scale);
        return comment(
          `a told row: ${row.on}`,
          commentText(toldMessage(view, entry, MAY_DO), 'hero-12', 59_000, () => null),
        );
      }),
    ],
  };
}

function followUp(): Part {
  return {
    heading: 'An issue that is full, and the one after it',
    samples: [
      comment('the body of the next one', opensAfter(4321)),
      comment('in the next one, where somebody else opened it', continues(4321)),
      comment('in the full one', goesOnIn(4400)),
    ],
  };
}

function failure(scale: Scale): Part {
  const view = scaled(viewIn('rolled_back'), scale);
  const evidence = Array.from({ length: scale === 'usual' ? 3 : 400 }, () => 'abcdef0123456789'.repeat(4));
  const unverified = { ...view, facts: { ...view.facts, failure: null, unverified: true } };
  const { verdict: _judged, ...unjudged } = view.facts;
  const early = { ...view, facts: unjudged };
  return {
    heading: 'The failure issue of a hero deploy',
    samples: [
      issue('no verdict was reached', failureIssue(early, 4321, evidence)),
      issue('it hung', failureIssue(view, 4321, evidence)),
      issue('rolled back by hand, unverified', failureIssue(unverified, 4321, evidence)),
    ],
  };
}

function ferries(scale: Scale): Part {
  const daily = scaled(ferryViewIn('running'), scale);
  const canary = scaled(ferryViewIn('triage', 'canary'), scale);
  const ends = Object.keys(OUTCOMES).map((outcome) => {
    const view = { ...daily, facts: { ...daily.facts, outcome: outcome as Outcome, fixUsed: false } };
    return comment(`the end of a run: ${outcome}`, documents.terminal(view));
  });
  return {
    heading: 'What a ferry writes',
    samples: [
      issue('the proposal', documents.proposal(daily)),
      issue('the proposal of an investigation', documents.proposal({ ...daily, plan: { ...daily.plan, regression: true, delta: [] } })),
      issue('the proposal of a first one', documents.proposal({ ...daily, plan: { ...daily.plan, delta: [], context: NO_CONTEXT } })),
      comment(
        'the end of its one fix',
        documents.terminal({ ...daily, facts: { ...daily.facts, outcome: 'failed', fixUsed: true, tracker: null } }),
      ),
      ...ends,
      issue('the failure of a canary', documents.failure(canary)),
      issue(
        'the same again',
        documents.failure({ ...canary, facts: { ...canary.facts, closedIssue: 4600, tracker: null, category: 'unknown' } }),
      ),
      { name: 'its entry in the log', outgoing: { kind: 'file', body: documents.logEntry(daily, TAG) } },
      issue('the pull request of the log', documents.pull(daily, TAG)),
    ],
  };
}
