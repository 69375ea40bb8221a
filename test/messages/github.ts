import type { Outcome } from '../../src/protocol/ferry/facts.js';
import { commentText } from '../../src/render/comment.js';
import { ferryDocuments } from '../../src/render/ferry/documents.js';
import { continues, goesOnIn, opensAfter } from '../../src/render/follow-up.js';
import { failureIssue } from '../../src/render/hero/failure-issue.js';
import { toldMessage } from '../../src/render/hero/told.js';
import { stateInWords } from '../../src/render/state-words.js';
import { type StatusLine, statusBlock, withBlock } from '../../src/render/status-block.js';
import { ferryViewIn } from '../support/ferry-samples.js';
import { AT, MAY_DO, toldOf, viewIn } from '../support/samples.js';
import type { Scale } from './extreme.js';
import { HERO_TOLD, scaled } from './hero.js';
import type { Page, Part, Sample } from './outgoing.js';

const documents = ferryDocuments({ repository: 'marin-community/marin' });
const TAG = 'ferry/daily/20261130/ferry_daily_125m_20261130-120000-daily-ferry-8f31ab';
const OUTCOMES: Readonly<Record<Outcome, true>> = { succeeded: true, failed: true, stopped: true, unverified: true };

const comment = (name: string, body: string): Sample => ({ name, outgoing: { kind: 'comment', body } });
const issue = (name: string, { title, body }: { title: string; body: string }): Sample => ({
  name,
  outgoing: { kind: 'issue', title, body },
});

export function githubPage(scale: Scale): Page {
  return { file: 'github.md', title: 'On GitHub', parts: [statusIssue(scale), followUp(), failure(scale), ferries(scale)] };
}

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
  return {
    heading: 'The failure issue of a hero deploy',
    samples: [
      issue('it hung', failureIssue(view, 4321, evidence)),
      issue('rolled back by hand, unverified', failureIssue(unverified, 4321, evidence)),
    ],
  };
}

function ferries(scale: Scale): Part {
  const daily = scaled(ferryViewIn('running'), scale);
  const canary = scaled(ferryViewIn('triage', 'canary'), scale);
  const ends = Object.keys(OUTCOMES).map((outcome) => {
    const view = { ...daily, facts: { ...daily.facts, outcome: outcome as Outcome } };
    return comment(`the end of a run: ${outcome}`, documents.terminal(view));
  });
  return {
    heading: 'What a ferry writes',
    samples: [
      issue('the proposal', documents.proposal(daily)),
      ...ends,
      issue('the failure of a canary', documents.failure(canary)),
      { name: 'its entry in the log', outgoing: { kind: 'file', body: documents.logEntry(daily, TAG) } },
      issue('the pull request of the log', documents.pull(daily, TAG)),
    ],
  };
}
