import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import { z } from 'zod';
import { FleetError } from './errors.js';
import { contradictionsIn } from './fleet-contradictions.js';
import { schemaFaults, yamlFaults } from './fleet-faults.js';
import { Lanes } from './lanes.js';
import { PersonList } from './person-list.js';

/**
 * The fleet file (`harbor.yaml`) and the environment. Strict: a key that is not known is an error, since a misspelt
 * limit that is silently left out is a limit that does not hold.
 */

const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, 'a name of letters, digits, "_", "." and "-"');
const ChannelId = z.string().regex(/^[CG][A-Z0-9]{2,}$/, 'a Slack channel id such as C012ABCDEF');
const Seconds = z
  .number()
  .positive()
  .max(7 * 24 * 3600);
const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'a time of day HH:MM');
const Zone = z.string().refine((zone) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}, 'an IANA time zone such as Europe/Berlin');
const AbsolutePath = z.string().refine(isAbsolute, 'an absolute path: what it is relative to would depend on where the bot was started');
/** A file of the worktree. */
const RepositoryPath = z
  .string()
  .min(1)
  .refine((path) => !isAbsolute(path) && !path.split('/').includes('..'), 'a path inside the repository');
/** Prefixes of a run's `step-N` folders; `{run}` stands for the run id, and nothing else for anything. */
const RunTree = z
  .string()
  .regex(/^[a-z][a-z0-9+.-]*:\/\/./, 'a URL such as s3://bucket/grug/{run}/checkpoints')
  .refine((tree) => tree.includes('{run}'), 'holds {run}, which stands for the run id')
  .refine((tree) => !/[{}]/.test(tree.replaceAll('{run}', '')), 'has an unknown placeholder: only {run} stands for anything');
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const EnvValue = z
  .string()
  .refine(
    (value) => !value.startsWith('$') || /^\$[A-Za-z_][A-Za-z0-9_]*$/.test(value),
    "a text, or $NAME for a variable of the bot's own",
  );

/** An executable that stands for one outside system. The adapters add the arguments; there is never a shell. */
const Command = z.strictObject({
  command: z
    .array(z.string().min(1))
    .min(1)
    .refine(([file = '']) => isAbsolute(file) || !file.includes('/'), 'an absolute path, or a bare name that is found in PATH'),
  cwd: AbsolutePath.optional(),
  /** Environment beside PATH and HOME. Values of the form `$NAME` are taken from the bot's own environment. */
  env: z.record(z.string(), EnvValue).default({}),
  timeoutSeconds: Seconds.default(30),
});

const Cluster = z.strictObject({
  /** `iris --cluster NAME`. */
  scheduler: Name,
  /** The finelog deployment that holds the freshest rows of this cluster. */
  telemetry: Name,
  /** The Kubernetes namespace in which the scheduler's pods live. */
  namespace: Name,
  /** The nodes that a gang may run on. */
  nodes: z
    .strictObject({
      /** A label selector; without one, all nodes that have devices. */
      selector: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9_./=!, ()-]{0,250}$/, 'a label selector such as pool=hero')
        .optional(),
      /** The resource that nodes count their devices under. */
      device: z
        .string()
        .regex(/^[a-z0-9][a-z0-9./-]{0,100}$/, 'a resource name such as nvidia.com/gpu')
        .default('nvidia.com/gpu'),
    })
    .prefault({}),
});

const Family = z.strictObject({
  cluster: Name,
  /** The scheduler user under which a launch must land. */
  user: Name,
  gang: z.strictObject({ tasks: z.int().min(1), devices: z.int().min(1) }),
  repository: z.strictObject({
    remote: Name.default('origin'),
    branch: Name.default('main'),
    deployWorktree: AbsolutePath,
    rollbackWorktree: AbsolutePath,
    launchScript: RepositoryPath.default('experiments/grug/moe_hero_ep/trigger_hero.sh'),
    runIdFile: RepositoryPath.default('experiments/grug/moe_hero_ep/current_run.py'),
    /** Programs that the launch script calls by name: each must be found on the launcher's PATH. */
    launchNeeds: z.array(Name).default(['gh', 'git']),
  }),
  /** Object-store prefixes of a run's `step-N` folders; `{run}` stands for the run id. */
  checkpoints: z.strictObject({
    permanent: RunTree,
    temporary: RunTree.optional(),
  }),
  tracker: z.strictObject({ entity: Name, project: Name }),
  /** Every how many steps the trainer evaluates; 0: never. */
  evaluationEverySteps: z.int().min(0).default(3_000),
  /** Whether the trainer repeats a step bit by bit: a replay after a rollback must then equal the run's own rows. */
  deterministic: z.boolean().default(false),
  /** Standing alerts: `rows` newest rows of a metric all above or below. The defaults are those of the hero's own alerts. */
  alerts: z
    .array(
      z.strictObject({
        metric: z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/),
        above: z.number().optional(),
        below: z.number().optional(),
        rows: z.int().min(1).default(3),
      }),
    )
    .max(40)
    .default([
      { metric: 'grad_norm_total', above: 2, rows: 3 },
      { metric: 'moe_drop_fraction', above: 0.07, rows: 3 },
      { metric: 'optim_skipped_step', above: 0, rows: 3 },
      { metric: 'train_router_routing_entropy_mean', below: 5.92, rows: 3 },
      { metric: 'train_router_bias_max', above: 400, rows: 3 },
      { metric: 'train_router_bias_min', below: -400, rows: 3 },
    ]),
  /** The step at which a run of this family ends by itself. A plan must name it where it does not stand here. */
  finalStep: z.int().min(1).optional(),
  /** How long checkpoints are kept, in words; shown with each plan. */
  retention: z.string().min(1).max(200).optional(),
  windowSteps: z.int().min(20).max(10_000).default(200),
  /** How many steps of the control a cut may throw away unless a plan says otherwise: window plus overshoot. */
  discardedSteps: z.int().min(20).default(400),
  /** Seconds; those that depend on the run's pace are in the plan. */
  limits: z
    .strictObject({
      queued: Seconds.default(30 * 60),
      startUp: Seconds.default(80 * 60),
      /** What a healthy run may pause beside two steps of its own pace: a checkpoint (120 s) and late telemetry (60 s). */
      stall: Seconds.default(3 * 60),
      /** How long an evaluation may take. */
      evaluation: Seconds.default(10 * 60),
      hang: Seconds.default(15 * 60),
      cancel: Seconds.default(10 * 60),
      launch: Seconds.default(5 * 60),
      watch: Seconds.default(60 * 60),
      /** How long guards may be re-read before an unanswered one counts as unknown. */
      guards: Seconds.default(60),
      /** Until the first reminder that a person is awaited. */
      reminder: Seconds.default(15 * 60),
    })
    .prefault({}),
  /** A swap starts only if its rollback still lands inside these hours of the named zone; 00:00 to 24:00 is all day. */
  workingHours: z.strictObject({
    zone: Zone,
    from: Clock,
    until: Clock,
    days: z.array(z.enum(WEEKDAYS)).min(1).default(['mon', 'tue', 'wed', 'thu', 'fri']),
  }),
});

const HeroPeople = z.strictObject({
  ask: PersonList,
  agree: PersonList,
  approve: PersonList,
  decide: PersonList,
  override: PersonList,
  onCall: PersonList,
});

const Fleet = z.strictObject({
  version: z.literal(1),
  /** Where the journal lives: a folder on a local disk. */
  data: AbsolutePath,
  /** Megabytes that must be free there before a swap: a record that cannot be written would stop it half way. */
  dataFreeMegabytes: z.int().min(1).default(512),
  clusters: z.record(Name, Cluster),
  families: z.record(Name, Family),
  /** Ferry lanes; a fleet without any sails none. */
  lanes: Lanes,
  /** Which way each metric is better, and every how many steps it is logged. A gate can name no other. */
  metrics: z.record(
    z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/),
    z.strictObject({
      better: z.enum(['lower', 'higher']),
      every: z.int().min(1).default(1),
      /** Trained on the same batches by both runs, so that their steps must line up: loss and cross entropy. */
      sameBatches: z.boolean().default(false),
    }),
  ),
  /** Numbers that a gate may name instead of writing them out, such as `below hbm_release_threshold`. */
  values: z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/), z.number()).default({}),
  adapters: z.strictObject({
    iris: Command,
    finelog: Command,
    kubectl: Command,
    git: Command.default({ command: ['git'], env: {}, timeoutSeconds: 30 }),
    objectstore: Command,
    tracker: Command,
    gh: Command.default({ command: ['gh'], env: {}, timeoutSeconds: 30 }),
    /** The lanes' analysis of a run: `--run <run> --format json` is added. */
    analysis: Command.default({ command: ['uv', 'run', 'python', 'scripts/ferries/daily_analysis.py'], env: {}, timeoutSeconds: 120 }),
    /** What runs a launch script: the script's path and its sub-command are added. */
    launcher: Command.default({ command: ['bash'], env: {}, timeoutSeconds: 300 }),
  }),
  people: z.strictObject({ hero: HeroPeople }),
  policy: z.strictObject({
    hero: z.strictObject({
      /** Whether the person who asked may also agree and approve. */
      requesterMayApprove: z.boolean().default(false),
      approvalSeconds: Seconds.default(60 * 60),
      /** How old a click or a command may be when it reaches us. */
      requestSeconds: Seconds.default(5 * 60),
      /** How old the last good rehearsal of a plan may be, in hours; 0 asks for none. */
      rehearsalHours: z
        .number()
        .min(0)
        .max(24 * 60)
        .default(72),
    }),
  }),
  slack: z.strictObject({
    /** The channel in which heroes are swapped; commands of other channels are refused. */
    channel: ChannelId,
    /** Where those who are on duty look when the channel takes no posts any more. */
    secondChannel: ChannelId.optional(),
    /** `socket`: Slack is reached over a socket that we open. `http`: Slack posts to our port, behind a proxy with TLS. */
    mode: z.enum(['socket', 'http']).default('socket'),
    /** Of `http` only. */
    port: z.int().min(0).max(65535).default(3000),
    apiUrl: z.url().optional(),
  }),
  github: z.strictObject({
    repository: z.string().regex(/^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/, 'owner/name'),
    /** The status issue to which every told transition is mirrored. */
    issue: z.int().min(1),
    /** When the issue takes no more comments: a person is asked to name another (also when left out), or the bot opens one. */
    followUp: z.enum(['ask', 'open']).optional(),
    /** The issue that this one follows: both link each other, and what was told there counts. */
    follows: z.int().min(1).optional(),
    apiUrl: z.url().optional(),
  }),
  /** Where a supervisor and Prometheus look, on 127.0.0.1 only: `/healthz` and `/metrics`. */
  health: z.strictObject({ port: z.int().min(0).max(65535).default(9464) }).prefault({}),
  monitor: z.strictObject({ tickSeconds: z.number().min(0.1).max(600).default(10) }).prefault({}),
});

export type Fleet = z.infer<typeof Fleet>;
export type { LaneConfig } from './lanes.js';
export type FamilyConfig = z.infer<typeof Family>;
export type ClusterConfig = z.infer<typeof Cluster>;
export type CommandConfig = z.infer<typeof Command>;
export type HeroPeopleConfig = z.infer<typeof HeroPeople>;

/** Reads and checks a fleet file. Throws FleetError naming the path of each wrong field. */
export function loadFleet(path: string): Fleet {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new FleetError(`read fleet file ${path}: ${(cause as Error).message}`, { cause });
  }
  return parseFleet(text, path);
}

/** As `loadFleet`, from text; `name` is what errors call it. */
export function parseFleet(text: string, name: string): Fleet {
  const document = parseDocument(text, { uniqueKeys: true });
  if (document.errors.length > 0) throw new FleetError(`parse fleet file ${name}:\n${listed(yamlFaults(document))}`);
  const parsed = Fleet.safeParse(plainOf(document, name));
  if (!parsed.success) throw new FleetError(`check fleet file ${name}:\n${listed(schemaFaults(parsed.error))}`);
  const contradictions = contradictionsIn(parsed.data);
  if (contradictions.length > 0) throw new FleetError(`check fleet file ${name}:\n${listed(contradictions)}`);
  return parsed.data;
}

/** An alias of nothing, or of too much, is found only now. */
function plainOf(document: Document.Parsed, name: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new FleetError(`parse fleet file ${name}:\n  ${what}; write the values out, without anchors and aliases`, { cause });
  }
}

function listed(faults: readonly string[]): string {
  return faults.map((fault) => `  ${fault}`).join('\n');
}
