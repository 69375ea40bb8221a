import type { Published } from '../outside.js';
import { need } from '../read.js';
import type { Reading } from '../reading.js';
import type { IntentView, Need, Readings } from '../table.js';
import type { HeroFacts, HeroView } from './facts.js';
import { type HeroMemory, streak, twice } from './memory.js';
import { windowOf } from './plan.js';
import { HERO_ROWS, type HeroEffect, type HeroEvent } from './table.js';
import type { HeroProposal } from './watcher.js';

/**
 * What is published beside the run: a report, a chart, an issue. Each is done once by an intent on file, proven by being
 * read back, and never waited for: nothing of the run depends on it.
 */
interface Aside {
  readonly effect: HeroEffect;
  /** What its reading is called. */
  readonly reading: string;
  readonly what: string;
  readonly fact: 'report' | 'chart' | 'failureIssue';
  readonly done: HeroEvent;
  readonly missing: HeroEvent;
  readonly need: (view: HeroView, intent: IntentView) => Need;
}

const ASIDES: readonly Aside[] = [
  {
    effect: 'publish_report',
    reading: 'report',
    what: "the tracker's comparison report",
    fact: 'report',
    done: 'report_published',
    missing: 'report_missing',
    need: (view) => need('report', 'tracker_report', { family: view.plan.family, title: reportTitle(view) }),
  },
  {
    effect: 'post_chart',
    reading: 'chart',
    what: 'the chart of the trial',
    fact: 'chart',
    done: 'chart_posted',
    missing: 'chart_missing',
    need: ({ operationId }, { seq }) => need('chart', 'thread_chart', { operationId, seq }),
  },
  {
    effect: 'file_failure_issue',
    reading: 'failure_issue',
    what: 'the failure issue',
    fact: 'failureIssue',
    done: 'failure_filed',
    missing: 'failure_not_filed',
    need: ({ operationId }) => need('failure_issue', 'failure_issue', { operationId }),
  },
];

/** What was published and not read back in this time is said to be missing, in seconds. */
const GIVEN_UP_SECONDS = 600;

/** The report's name in the tracker: the change, against what, over which steps. It is found again by it. */
export function reportTitle({ operationId, plan }: HeroView): string {
  const { start, end } = windowOf(plan);
  return `${operationId} ${plan.newRun} against ${plan.oldRun}, steps ${start} to ${end}`;
}

/** The readings that would show what was published and is not proven yet. */
export function asideNeeds(view: HeroView): readonly Need[] {
  return pendingOf(view).map(({ aside, intent }) => aside.need(view, intent));
}

/** What the readings prove of it, one at a time. Not found counts only after its own process has ended, and seen twice. */
export function asideWatch(
  view: HeroView,
  readings: Readings,
  memory: HeroMemory,
  now: Date,
): { readonly proposals: readonly HeroProposal[]; readonly memory: HeroMemory } {
  let next = memory;
  const proposals: HeroProposal[] = [];
  for (const { aside, intent } of pendingOf(view)) {
    const reading = readings[aside.reading] as Reading<Published> | undefined;
    const over = intent.stage === 'over' || intent.stage === 'expired';
    next = streak(next, aside.reading, over ? reading : undefined, reading?.kind === 'known' && reading.value.url === null);
    const url = reading?.kind === 'known' ? reading.value.url : null;
    const base = { key: intent.intentId, evidence: reading?.evidence === undefined ? [] : [reading.evidence] };
    if (url !== null) {
      proposals.push({ ...base, on: aside.done, facts: factOf(aside, url), details: { url } });
    } else if (twice(next, aside.reading)) {
      const why = intent.problem === null ? '' : ` (${intent.problem})`;
      const sentence = `${aside.what} is not there, seen twice after it was tried${why}; it is not tried again by itself`;
      proposals.push({ ...base, on: aside.missing, facts: factOf(aside, null), details: { sentence } });
    } else if ((now.getTime() - intent.recordedAt.getTime()) / 1000 >= GIVEN_UP_SECONDS) {
      const sentence = `whether ${aside.what} is there could not be read; look before it is made by hand`;
      proposals.push({ ...base, on: aside.missing, facts: factOf(aside, null), details: { sentence } });
    }
  }
  return { proposals: proposals.slice(0, 1), memory: next };
}

function factOf({ fact }: Aside, url: string | null): Partial<HeroFacts> {
  return { [fact]: url };
}

/** Asides on file whose outcome is not, where the present state has a row for it. */
function pendingOf(view: HeroView): readonly { readonly aside: Aside; readonly intent: IntentView }[] {
  return ASIDES.flatMap((aside) => {
    const intent = view.asides.findLast(({ effect }) => effect === aside.effect);
    if (intent === undefined || !HERO_ROWS.some(({ from, on }) => from === view.state && on === aside.done)) return [];
    const settled = view.history.some(({ event, seq }) => seq > intent.seq && (event === aside.done || event === aside.missing));
    return settled ? [] : [{ aside, intent }];
  });
}
