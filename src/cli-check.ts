import { WebClient } from '@slack/web-api';
import { pino } from 'pino';
import { draftView } from '../commands/draft.js';
import { askFor, readGuards } from '../commands/rehearse.js';
import { createRegistry } from './adapters/registry.js';
import type { CommandIo } from './cli-judge.js';
import { FleetError } from './errors.js';
import { type Fleet, loadFleet } from './fleet.js';
import { digestOf } from './journal/digest.js';
import { parseOnce } from './parse-once.js';
import { roleListsOf } from './person-list.js';
import type { HeroView } from './protocol/hero/facts.js';
import { type GuardAnswer, guard } from './protocol/hero/guard.js';
import { need } from './protocol/read.js';
import type { Reading } from './protocol/reading.js';
import type { Need } from './protocol/table.js';
import { boltLogger } from './slack/log.js';
import { People } from './slack/people.js';

const EXIT = { known: 0, bad: 2, other: 3 } as const;
const USAGE = 'usage: harbor check --fleet FILE [--family NAME] [--json]\n';

const OPTIONS = { fleet: { type: 'string' }, family: { type: 'string' }, json: { type: 'boolean' } } as const;

interface FamilyCheck {
  readonly family: string;
  readonly rows: readonly GuardAnswer[];
  readonly remarks: readonly string[];
}

/**
 * `harbor check --fleet FILE`: every read of the hero protocol, on any day, without a plan; nothing is changed. Answers
 * the exit code: 0 everything is known, open or shut; 3 something is not, and then it says which program did not answer;
 * 2 usage or fleet file.
 */
export async function checkCommand(args: readonly string[], env: NodeJS.ProcessEnv, io: CommandIo): Promise<number> {
  if (args.includes('--help')) {
    io.out(USAGE);
    return EXIT.known;
  }
  let wanted: { readonly fleet: Fleet; readonly file: string; readonly families: readonly string[]; readonly json: boolean };
  try {
    wanted = understand(args);
  } catch (fault) {
    io.err(fault instanceof FleetError ? `harbor: ${fault.message}\n` : `${fault instanceof Error ? fault.message : fault}\n${USAGE}`);
    return EXIT.bad;
  }
  const { fleet, file, families, json } = wanted;
  const lacking = unsetNames(fleet, env);
  const now = (): Date => new Date();
  const registry = createRegistry({ fleet, env: { ...env, ...Object.fromEntries(lacking.map((name) => [name, ''])) }, now });
  const checks: FamilyCheck[] = [];
  try {
    const people = await peopleOf(fleet, env, now);
    const ask: Ask = (verb, asked) => {
      const found = people === null ? unaskedOf(verb, now()) : people.read(verb, asked);
      return found === null ? registry.read(verb, asked) : Promise.resolve(found as never); // a verb of `PeopleReads`, asked by its need
    };
    for (const family of families) checks.push(await checkFamily(fleet, family, ask, now, people !== null));
  } finally {
    await registry.stop();
  }
  const at = now();
  io.out(json ? `${JSON.stringify(asJson(file, checks, lacking, at))}\n` : asTable(checks, lacking, at));
  return checks.every(({ rows }) => rows.every(({ answer }) => answer !== 'unknown')) ? EXIT.known : EXIT.other;
}

function understand(args: readonly string[]) {
  const { values } = parseOnce({ args: [...args], options: OPTIONS });
  if (values.fleet === undefined) throw new TypeError('--fleet is missing');
  const fleet = loadFleet(values.fleet);
  const all = Object.keys(fleet.families);
  if (values.family !== undefined && !all.includes(values.family)) {
    throw new TypeError(`the fleet file has no family "${values.family}"; it has ${all.join(', ')}`);
  }
  return { fleet, file: values.fleet, families: values.family === undefined ? all : [values.family], json: values.json === true };
}

/** Names that the fleet file takes from the environment and that are not set here: what needs them will say so itself. */
function unsetNames(fleet: Fleet, env: NodeJS.ProcessEnv): readonly string[] {
  const values = Object.values(fleet.adapters).flatMap((adapter) => Object.values(adapter.env));
  const names = values.flatMap((value) => /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1] ?? []);
  return [...new Set(names)].filter((name) => env[name] === undefined);
}

type Ask = Parameters<typeof readGuards>[0];

/** What is answered of people where Slack cannot be asked. */
function unaskedOf(verb: string, readAt: Date): Reading<unknown> | null {
  if (verb !== 'somebody' && verb !== 'account' && verb !== 'entitled') return null;
  return { kind: 'unknown', why: 'not_started', detail: 'SLACK_BOT_TOKEN is not set', source: 'Slack', readAt };
}

/** Slack, asked once of everybody that the fleet file names; null where there is no token to ask with. */
async function peopleOf(fleet: Fleet, env: NodeJS.ProcessEnv, now: () => Date): Promise<People | null> {
  if (env.SLACK_BOT_TOKEN === undefined || env.SLACK_BOT_TOKEN === '') return null;
  const { apiUrl } = fleet.slack;
  const logger = boltLogger(pino({ level: 'silent' }));
  const options = {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
    logger,
  };
  const people = new People(new WebClient(env.SLACK_BOT_TOKEN, options), roleListsOf(fleet), now);
  await people.keepWarm();
  return people;
}

async function checkFamily(fleet: Fleet, family: string, ask: Ask, now: () => Date, asksSlack: boolean): Promise<FamilyCheck> {
  const { view, coordinator, remarks } = await draftView(fleet, family, ask, now);
  const { guards } = await readGuards(ask, fleet, view, now);
  const isAskedHere = fleet.families[family]?.finalStep !== undefined;
  const readings = await Promise.all(otherNeeds(view, coordinator).map((each) => readingRow(ask, each)));
  const askedAbout = guards.filter(({ guard: name }) => (name !== 'final step' || isAskedHere) && (name !== 'approvers' || asksSlack));
  const unasked = asksSlack ? [] : ['SLACK_BOT_TOKEN is not set here, so nobody was asked who may approve'];
  return { family, rows: [...askedAbout, ...readings], remarks: [...remarks, ...unasked] };
}

/** What the protocol reads beside its guards: for these an answer is all that is asked. */
function otherNeeds({ plan }: HeroView, coordinator: string | null): readonly Need[] {
  const { family, oldRun, handoffStep, windowSteps, deploy, rollback } = plan;
  const to = handoffStep + windowSteps;
  return [
    need('control window', 'series', { family, runId: oldRun, metrics: ['train_loss'], from: handoffStep, to }),
    ...(deploy.commit === '' || rollback.commit === ''
      ? []
      : [need('commits', 'commits', { family, dir: deploy.worktree, from: rollback.commit, to: deploy.commit })]),
    ...(coordinator === null
      ? []
      : [
          need('job state', 'job_state', { family, jobId: coordinator }),
          need('pods by job', 'pods', { family, jobId: coordinator }),
          need('log markers', 'markers', { family, jobId: coordinator, sinceMs: 0 }),
        ]),
  ];
}

async function readingRow(ask: Ask, asked: Need): Promise<GuardAnswer> {
  return guard(asked.name, await askFor(ask, asked), () => ['open', 'answers']);
}

/** The programs that gave no answer that can be understood: the first word of what was asked. */
function silentPrograms(rows: readonly GuardAnswer[]): readonly string[] {
  return [...new Set(rows.filter(({ answer }) => answer === 'unknown').map(({ source, guard: name }) => source.split(' ')[0] || name))];
}

function asJson(fleet: string, checks: readonly FamilyCheck[], lacking: readonly string[], at: Date) {
  const notKnown = [...new Set(checks.flatMap(({ rows }) => silentPrograms(rows)))];
  return {
    fleet,
    at: at.toISOString(),
    known: notKnown.length === 0,
    notKnown,
    notSet: lacking,
    families: checks.map(({ family, rows, remarks }) => ({
      family,
      remarks,
      guards: rows.map(({ transcripts = [], ...row }) => ({ ...row, ageSeconds: ageOf(row, at), evidence: transcripts.map(digestOf) })),
    })),
  };
}

function ageOf({ readAt }: GuardAnswer, at: Date): number | null {
  return readAt === '' ? null : Math.max(0, Math.round((at.getTime() - new Date(readAt).getTime()) / 100) / 10);
}

function asTable(checks: readonly FamilyCheck[], lacking: readonly string[], at: Date): string {
  const lines = checks.flatMap(({ family, rows, remarks }) => {
    const table = rows.map((row) => [row.guard, row.answer, `${ageOf(row, at) ?? '-'} s`, sourceOf(row), row.sentence]);
    const silent = silentPrograms(rows);
    const count = (answer: GuardAnswer['answer']): number => rows.filter((row) => row.answer === answer).length;
    const verdict =
      silent.length === 0
        ? `all ${rows.length} known: ${count('open')} open, ${count('shut')} shut`
        : `NOT KNOWN: ${count('unknown')} of ${rows.length}, for want of an answer from ${silent.join(', ')}`;
    return [
      columns([['guard', 'answer', 'age', 'source', 'seen, or missing'], ...table]),
      ...remarks.map((each) => `note: ${each}`),
      `${family}: ${verdict}`,
    ];
  });
  const unset = lacking.length === 0 ? [] : [`note: not set in this environment: ${lacking.join(', ')}`];
  return `${[...lines, ...unset].join('\n')}\n`;
}

/** What was asked, without exit codes, sizes and timings. */
function sourceOf({ source }: GuardAnswer): string {
  const [first = '', ...more] = source.replace(/ \([^)]*\)/g, '').split('; ');
  return more.length === 0 ? first || '-' : `${first} +${more.length}`;
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_head, column) => Math.max(...rows.map((row) => [...(row[column] ?? '')].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
