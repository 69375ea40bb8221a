import { CronExpressionParser } from 'cron-parser';
import { validate } from 'node-cron';
import { z } from 'zod';
import { PersonId, PersonList } from './person-list.js';
import { isGroup } from './protocol/people.js';

/**
 * Ferry lanes in the fleet file: what a canary or a daily is launched from, how it is judged, when it is due, and who may
 * do what. Source: contracts/iris-and-ferries.md 6.
 */

const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, 'a name of letters, digits, "_", "." and "-"');
const LaneName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'a lane: small letters, digits and "-"');
const Seconds = z
  .number()
  .positive()
  .max(7 * 24 * 3600);
/** A path inside a repository: never up, never absolute, never an option. */
const Path = z.string().regex(/^(?![-/])(?!.*(?:^|\/)\.\.(?:\/|$))[A-Za-z0-9_./-]+$/, 'a path inside the repository');
const Label = z.string().min(1).max(50);
const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable of letters, digits and "_"');
const Bound = z.strictObject({ min: z.number().optional(), max: z.number().optional() });
const HOUR = 3600;

const Schedule = z.strictObject({
  /** Five fields, in UTC: no clock change ever skips or doubles an instant. */
  cron: z
    .string()
    .refine((text) => text.trim().split(/\s+/).length === 5 && validate(text) && parses(text), 'five cron fields, read in UTC'),
  /** Whose approval, or standing waiver, clears what the schedule asks for. */
  owner: PersonId,
  /** What becomes of an instant that is noticed late: after a downtime, say. */
  late: z.enum(['fire', 'skip']).default('skip'),
  /** From so many seconds on an instant counts as late. */
  lateSeconds: Seconds.default(HOUR),
  /** How long after a due instant without a good run since it is said that the lane is overdue. */
  overdueSeconds: Seconds.default(8 * HOUR),
});

export const Lane = z
  .strictObject({
    kind: z.enum(['canary', 'daily']),
    cluster: Name,
    /** The scheduler user under which a launch must land. */
    user: Name,
    repository: z.strictObject({ dir: z.string().min(1), remote: Name.default('origin'), branch: Name.default('main') }),
    /** The lane's own file: what it runs, and whose settings are compared with the last ferry's. */
    file: Path,
    /** Commits that touch these since the last ferry are part of a proposal. */
    paths: z.array(Path).min(1),
    launch: z.strictObject({
      /** Options of `iris job run` beside `--no-wait`, `--job-name` and `-e`. A parent that asks for an accelerator deadlocks. */
      options: z.array(z.string().regex(/^--[a-z][a-z-]*(?:=[A-Za-z0-9_.:-]+)?$/, 'an option such as --cpu=1')).default([]),
      command: z.array(z.string().min(1)).min(1),
      env: z.record(VariableName, z.string()).default({}),
      /** The variable that carries the run's date and name. */
      runVariable: VariableName.default('FERRY_DATE'),
    }),
    /** The run's name in the tracker; `{run}` stands for the run's date and name. */
    trackerName: z.string().regex(/^[A-Za-z0-9_.-]*\{run\}$/, 'a name that ends in {run}'),
    tracker: z.strictObject({ entity: Name, project: Name }),
    /** Object-store prefix of a run's `step-N` folders; `{run}` stands for its name in the tracker. */
    artefacts: z.string().includes('{run}').optional(),
    evidence: z.strictObject({
      stepsMin: z.int().min(1),
      metrics: z.record(z.string().min(1), Bound),
      /** The metric whose first value is told. */
      evaluation: z.string().min(1).optional(),
    }),
    limits: z
      .strictObject({
        approval: Seconds.default(4 * HOUR),
        guards: Seconds.default(60),
        launch: Seconds.default(5 * 60),
        queued: Seconds.default(30 * 60),
        expected: Seconds.default(5 * HOUR),
        blind: Seconds.default(20 * 60),
        cancel: Seconds.default(10 * 60),
        evidence: Seconds.default(30 * 60),
        diagnosis: Seconds.default(5 * 60),
        reminder: Seconds.default(2 * HOUR),
      })
      .prefault({}),
    schedule: Schedule.optional(),
    labels: z.strictObject({ proposal: z.array(Label).default([]), failure: z.array(Label).default([]) }).prefault({}),
    /** How a daily is sealed. `{date}` is the day of the launch in UTC, `{run}` the run's name in the tracker. */
    seal: z
      .strictObject({
        tag: z.string().regex(/^[A-Za-z0-9/_-]+\/\{date\}\/\{run\}$/, 'a tag that ends in /{date}/{run}'),
        log: Path,
        labels: z.array(Label).min(1),
      })
      .optional(),
    people: z.strictObject({
      ask: PersonList,
      decide: PersonList,
      onCall: PersonList,
      /** Who is named at once when a run of this lane fails. */
      urgent: PersonList,
    }),
    /** How long a standing waiver may hold at most; 0: this lane takes none. */
    standingWaiverDays: z.int().min(0).max(90).default(0),
  })
  .refine((lane) => lane.kind === 'canary' || lane.seal !== undefined, { path: ['seal'], message: 'a daily says how it is sealed' })
  .refine((lane) => lane.kind === 'canary' || lane.standingWaiverDays === 0, {
    path: ['standingWaiverDays'],
    message: 'a daily is cleared run by run: only a canary takes a standing waiver',
  })
  .refine(
    ({ schedule, people: { ask } }) => schedule === undefined || ask.length === 0 || ask.some(isGroup) || ask.includes(schedule.owner),
    {
      path: ['schedule', 'owner'],
      message: 'is not on people.ask, and so could clear nothing of what the schedule asks for',
    },
  )
  .refine((lane) => lane.kind === 'canary' || lane.labels.proposal.length > 0, {
    path: ['labels', 'proposal'],
    message: 'a daily is found again by the labels of its run issue',
  });

export const Lanes = z.record(LaneName, Lane).default({});
export type LaneConfig = z.infer<typeof Lane>;

/** The first instant of a schedule after a given one. UTC: no zone, no clock change. Null: it has none any more. */
export function nextInstant(cron: string, after: Date): Date | null {
  const expression = CronExpressionParser.parse(cron, { currentDate: after, tz: 'UTC' });
  return expression.hasNext() ? expression.next().toDate() : null;
}

function parses(text: string): boolean {
  try {
    return nextInstant(text, new Date(0)) !== null;
  } catch {
    return false;
  }
}
