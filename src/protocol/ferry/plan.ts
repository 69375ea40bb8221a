import { z } from 'zod';

/**
 * What is proposed and cleared: one run of a lane. Every field decides what will be done or how it is judged, and so is
 * covered by the plan's hash.
 */

/** Names of runs, jobs and tags come from here: one zone (UTC), ASCII only. Source: contracts/iris-and-ferries.md 6.3. */
export const FERRY_RUN = /^[0-9]{8}-[0-9]{6}-[a-z0-9][a-z0-9-]{0,40}$/;
const COMMIT = /^[0-9a-f]{40}$/;

const Sha = z.string().regex(COMMIT, 'a full commit id of 40 hex digits');
const Seconds = z.number().positive();
const Short = z.string().min(1).max(500);
const Reference = z.strictObject({ number: z.int().min(1), title: z.string(), url: z.string() });
const UserId = z.string().min(1);

/** What a metric may be at the end; a bound that is not there bounds nothing. */
const Bound = z.strictObject({ min: z.number().optional(), max: z.number().optional() });

export const FerryPlan = z
  .strictObject({
    kind: z.enum(['canary', 'daily']),
    lane: z.string().min(1),
    cluster: z.string().min(1),
    /** `<YYYYMMDD-HHMMSS>-<lane>-ferry`, fixed when it was proposed, in UTC. */
    run: z.string().regex(FERRY_RUN, 'a run of the form YYYYMMDD-HHMMSS-<lane>-ferry'),
    /** What the job is named; a rerun adds `-r2`, `-r3`, … */
    jobName: z.string().min(1),
    /** What the run's name in the tracker begins with; the executor adds a suffix of its own. */
    trackerName: z.string().min(1),
    dir: z.string().min(1),
    commit: Sha,
    file: z.string().min(1),
    /** Whose approval clears it: the person who asked, or the owner of the schedule. */
    clears: UserId,
    /** The schedule's instant that asked for it; null when a person did. */
    scheduledFor: z.iso.datetime().nullable(),
    objective: Short,
    regression: z.boolean(),
    rationale: z.string().max(2_000),
    risk: z.enum(['low', 'medium', 'high']),
    fallback: z.string().max(1_000),
    /** How each changed setting of the lane's own file differs from the last ferry's, as git says it. */
    delta: z.array(z.strictObject({ name: z.string(), was: z.string().nullable(), is: z.string().nullable() })),
    context: z.strictObject({
      lastFerry: z.string().nullable(),
      lastCommit: Sha.nullable(),
      lastJob: z.string().nullable(),
      lastLink: z.string().nullable(),
      issues: z.array(Reference),
      pulls: z.array(Reference),
      commits: z.array(z.strictObject({ sha: Sha, subject: z.string() })),
    }),
    /** For a canary whose own file changed: what failed, and the pull request that changes it. */
    repairs: z.strictObject({ failure: z.int().min(1), pull: z.int().min(1) }).nullable(),
    /** The lane's failure issue as our record has it, by number: never found by its title. */
    failureIssue: z.int().min(1).nullable(),
    limits: z.strictObject({
      approvalSeconds: Seconds,
      guardsSeconds: Seconds,
      launchSeconds: Seconds,
      queuedSeconds: Seconds,
      expectedSeconds: Seconds,
      blindSeconds: Seconds,
      cancelSeconds: Seconds,
      evidenceSeconds: Seconds,
      diagnosisSeconds: Seconds,
      reminderSeconds: Seconds,
    }),
    evidence: z.strictObject({
      /** The step that a run which did its work has reached at least. */
      stepsMin: z.int().min(1),
      metrics: z.record(z.string().min(1), Bound),
      artefacts: z.boolean(),
      /** What the first evaluation is read from; null: a lane that does not evaluate. */
      evaluation: z.string().nullable(),
    }),
    seal: z.strictObject({ tag: z.string().min(1), log: z.string().min(1), labels: z.array(z.string().min(1)).min(1) }).nullable(),
    labels: z.strictObject({ proposal: z.array(z.string()), failure: z.array(z.string()) }),
    /** Who is named at once when it fails. */
    urgent: z.array(UserId),
  })
  .refine((plan) => plan.kind === 'canary' || plan.seal !== null, { path: ['seal'], message: 'a daily says how it is sealed' })
  .refine((plan) => plan.kind === 'canary' || plan.delta.length > 0 || plan.regression || plan.context.lastFerry === null, {
    path: ['delta'],
    message: 'nothing changed since the last ferry: say regression=yes if that is what it is to show',
  });

export type FerryPlan = z.infer<typeof FerryPlan>;

/** The name of an attempt, numbered from 1: the same attempt always has the same name, and no two share one. */
export function namedFor(name: string, attempt: number): string {
  return attempt <= 1 ? name : `${name}-r${attempt}`;
}

/** `ferry/daily/YYYYMMDD/<run>`: the date is that of the recorded launch, in UTC, whenever it is sealed. */
export function sealTag(pattern: string, launchedAt: string, slug: string): string {
  const date = new Date(launchedAt).toISOString().slice(0, 10).replaceAll('-', '');
  return pattern.replaceAll('{date}', date).replaceAll('{run}', slug);
}
