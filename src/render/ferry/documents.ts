import { type FerryDocuments, markerKey } from '../../protocol/ferry/effects.js';
import type { FerryView } from '../../protocol/ferry/facts.js';
import { namedFor } from '../../protocol/ferry/plan.js';
import { fittingBody, fittingTitle, shortened } from '../issue-text.js';
import { escapeMarkdown } from '../markdown.js';
import { utc } from '../mrkdwn.js';
import { isAddress } from '../text.js';
import { visible } from '../visible.js';

/**
 * What a ferry writes on GitHub. Formats are the contract's (contracts/iris-and-ferries.md 6.2, 6.3); text of people and
 * programs is inert. Each text begins with the hidden line it is found again by.
 */
export function ferryDocuments(links: { readonly repository: string }): FerryDocuments {
  return {
    proposal: (view) => ({ title: fittingTitle(titleOf(view)), body: fittingBody(proposal(view)) }),
    terminal: (view) => fittingBody([marker(view, 'end'), ...terminalLines(view, links.repository)].join('\n')),
    failure: (view) => ({ title: fittingTitle(failureTitle(view)), body: fittingBody(failure(view)) }),
    logEntry: (view, tag) => logEntry(view, tag, links.repository),
    pull: (view, tag) => ({
      title: fittingTitle(`Log ferry ${view.facts.tracker?.name ?? view.plan.run}`),
      body: `${marker(view, 'pull')}\nLog entry of ${code(tag)}, launched from ${code(view.plan.commit)}. It changes ${code(view.plan.seal?.log ?? '')} and nothing else.`,
    }),
  };
}

/** Characters of one text of people or programs; the whole of it is in the record. */
const WRITTEN_MAX = 3_000;

function marker(view: FerryView, what: 'issue' | 'end' | 'failure' | 'pull'): string {
  return `<!-- harbor:ferry:1 key=${what === 'pull' ? `${view.operationId}:pull:1` : markerKey(view, what)} -->`;
}

function titleOf({ plan }: FerryView): string {
  return `[ferry] ${plan.lane} ${plan.run}`;
}

function proposal(view: FerryView): string {
  const { plan } = view;
  const { context } = plan;
  const isFirst = context.lastFerry === null;
  // Nothing compared is not nothing changed.
  const none = isFirst ? '- not compared: no earlier ferry is on record' : '- none';
  const delta =
    plan.delta.length === 0 ? [none] : plan.delta.map(({ name, was, is }) => `- ${code(name)}: ${code(was ?? '–')} → ${code(is ?? '–')}`);
  const list = (all: readonly { readonly number: number; readonly title: string }[]): readonly string[] =>
    all.length === 0 ? ['- none'] : all.slice(0, 30).map(({ number, title }) => `- ${number}: ${inert(title)}`);
  return [
    marker(view, 'issue'),
    `**Objective:** ${inert(plan.objective)}${plan.regression ? ' (regression investigation: no intended change)' : ''}`,
    `**Run:** ${code(plan.run)} of lane ${code(plan.lane)}, operation ${code(view.operationId)}`,
    `**Launch commit:** ${code(plan.commit)}, which holds ${code(plan.file)}`,
    '',
    `**Config delta against the last ferry**${isFirst ? '' : ` (by git, ${plan.delta.length} ${plan.delta.length === 1 ? 'setting' : 'settings'})`}:`,
    ...delta,
    '',
    `**Why, and why not the last one again:** ${inert(plan.rationale)}`,
    `**Risk:** ${plan.risk}`,
    `**Fallback:** ${inert(plan.fallback)}`,
    '',
    `**Since the last ferry** (${context.lastFerry ?? 'none on record'}${context.lastCommit === null ? '' : `, ${code(context.lastCommit.slice(0, 10))}`}${context.lastJob === null ? '' : `, job ${code(context.lastJob)}`}${context.lastLink === null ? '' : `, ${code(context.lastLink)}`}):`,
    'Issues:',
    ...list(context.issues),
    'Pull requests:',
    ...list(context.pulls),
    'Commits:',
    ...(context.commits.length === 0
      ? [none]
      : context.commits.slice(-30).map(({ sha, subject }) => `- ${code(sha.slice(0, 10))} ${inert(subject)}`)),
    '',
    '**Checklist**',
    '- [x] launch commit pushed, with the lane’s file',
    isFirst ? '- [x] no earlier ferry to compare with' : '- [x] config delta read from git',
    '- [ ] cleared by its requester for this run',
    '- [ ] launched once, job proven',
    '- [ ] first evaluation',
    '- [ ] terminal state with evidence',
    '- [ ] sealed',
  ].join('\n');
}

/** The contract's six lines. */
function terminalLines(view: FerryView, repository: string): readonly string[] {
  const { plan, facts } = view;
  const status = { succeeded: 'SUCCEEDED', failed: 'FAILED', stopped: 'STOPPED', unverified: 'SUCCEEDED' }[facts.outcome ?? 'unverified'];
  const unverified = facts.outcome === 'unverified' ? ' (UNVERIFIED: the scheduler’s word alone)' : '';
  return [
    `Final status: ${status}${unverified}`,
    `Iris job id: ${code(facts.jobId ?? 'N/A')}`,
    `W&B link: ${address(facts.tracker?.url)}`,
    `Final eval summary: ${metricsLine(view)}`,
    `Experiment link: ${fileLink(view, repository)}`,
    `Recommendation / victory decision: ${recommendation(view)}`,
    '',
    inert(facts.verdict ?? ''),
    ...(facts.observations ?? []).map((line) => `- ${inert(line)}`),
    `Launched ${facts.launchedAt === undefined ? 'N/A' : utc(new Date(facts.launchedAt))} from ${code(plan.commit)}.`,
  ];
}

function recommendation({ facts }: FerryView): string {
  const outcome = facts.outcome ?? 'unverified';
  switch (outcome) {
    case 'succeeded':
      return 'evidence is complete; a person may seal it';
    case 'failed':
      return facts.fixUsed === true ? 'the one fix is used; escalate' : 'one bounded fix, then escalate';
    case 'stopped':
      return 'no verdict: it was stopped';
    case 'unverified':
      return 'do not seal: evidence is missing';
  }
}

function metricsLine({ plan, facts }: FerryView): string {
  return Object.keys(plan.evidence.metrics)
    .map((key) => `${code(key)} ${figure(facts.metrics?.[key])}`)
    .join(', ');
}

function failureTitle({ plan, facts }: FerryView): string {
  const lane = plan.lane.startsWith('canary-') ? plan.lane : `canary-${plan.lane}`;
  return `[${lane}] ${facts.category ?? 'failure'}, run ${namedFor(plan.run, facts.attempt ?? 1)}`;
}

function failure(view: FerryView): string {
  const { plan, facts } = view;
  const closed = (facts.closedIssue ?? null) === null ? [] : [`Follows the closed issue #${facts.closedIssue}.`];
  return [
    marker(view, 'failure'),
    `${plan.lane} failed: ${inert(facts.verdict ?? '')}`,
    `**Root cause:** ${inert(facts.category ?? 'unknown')}`,
    ...closed,
    `Run ${code(namedFor(plan.run, facts.attempt ?? 1))}, job ${code(facts.jobId ?? 'N/A')}, commit ${code(plan.commit)}, tracker ${address(facts.tracker?.url)}`,
    '',
    ...(facts.diagnosis ?? []).map((line) => `- ${code(line)}`),
  ].join('\n');
}

function logEntry({ plan, facts }: FerryView, tag: string, repository: string): string {
  const launched = (facts.launchedAt ?? '').slice(0, 10);
  const metrics = Object.keys(plan.evidence.metrics).map((key) => `  - ${code(key)}: ${code(figure(facts.metrics?.[key]))}`);
  return [
    `## ${launched} (completed ${(facts.endedAt ?? '').slice(0, 10)})`,
    '',
    `- Issue: ${address(facts.runIssue?.url)}`,
    `- Summary: ${inert(plan.objective)}`,
    `- Run: ${linked(facts.tracker?.name ?? plan.run, facts.tracker?.url)}`,
    `- Experiment: https://github.com/${repository}/blob/${plan.commit}/${plan.file}`,
    `- Data browser: N/A (job ${code(facts.jobId ?? 'N/A')})`,
    `- Seal tag: ${code(tag)}`,
    '- Metrics:',
    ...metrics,
    '- Notes:',
    '',
    `  ${inert(facts.verdict ?? '')}`,
    '',
  ].join('\n');
}

function fileLink({ plan }: FerryView, repository: string): string {
  return `https://github.com/${repository}/blob/${plan.commit}/${plan.file}`;
}

function figure(value: number | null | undefined): string {
  return value === undefined || value === null ? 'N/A' : value.toFixed(5);
}

/** An address as GitHub links it; what is none is shown as it is, and links nothing. */
function address(url: string | undefined): string {
  if (url === undefined) return 'N/A';
  return isAddress(url) ? url : code(url);
}

function linked(name: string, url: string | undefined): string {
  return url !== undefined && isAddress(url) ? `[${code(name)}](${url})` : code(name);
}

/** What people and programs wrote, shortened before it is escaped. */
function inert(text: string): string {
  return escapeMarkdown(shortened(text, WRITTEN_MAX));
}

function code(text: string): string {
  const flat = shortened(visible(text).replace(/\s+/g, ' '), WRITTEN_MAX);
  const longest = Math.max(0, ...(flat.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = flat.startsWith('`') || flat.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${flat}${pad}${fence}`;
}
