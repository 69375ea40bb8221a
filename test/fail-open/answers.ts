/**
 * What an executable of the outside prints when all is well, and how the same answer looks when something is wrong that
 * only this answer can have: a state nobody listed, another user's row, an old stamp.
 */
export interface Good {
  /** What is answered, for people. */
  readonly name: string;
  readonly frame: 'csv' | 'json' | 'rows' | 'text';
  readonly stdout: string;
  readonly wrong?: Partial<Record<Meaning, string>>;
}

/** Ways to be wrong that need to know what an answer means. */
export type Meaning = 'none' | 'cap' | 'unlisted' | 'named' | 'two' | 'prefix' | 'other_user' | 'old' | 'future' | 'nan';

/** The facts of one scene: what is really so outside. */
export interface Facts {
  readonly oldRun: string;
  readonly newRun: string;
  readonly jobId: string;
  /** Whether the old coordinator is live, or was stopped. */
  readonly live: boolean;
  readonly forked: boolean;
  readonly handoff: number;
  readonly deploy: string;
  readonly rollback: string;
  readonly lastStep: { readonly step: number; readonly atMs: number; readonly rows: number };
  /** Instants of the old run's newest steps, oldest first, in milliseconds. */
  readonly pace: readonly { readonly step: number; readonly atMs: number; readonly seq: number }[];
}

const HELP = [
  'Usage: iris [OPTIONS]',
  '  --exact --prefix -f, --format [table|csv]',
  '  --no-wait --job-name --max-retries --target-cluster --priority --system-reason --enable-extra-resources -e',
  '',
].join('\n');

/** The good answer to one invocation. Throws for one that nobody has described: a new adapter needs its answers here. */
export function goodAnswer(argv: readonly string[], cwd: string | undefined, facts: Facts): Good {
  const line = argv.join(' ');
  const found = ANSWERS.find(([pattern]) => pattern.test(line));
  if (found === undefined) throw new Error(`describe in test/fail-open/answers.ts what is printed by: ${line}`);
  return found[1](facts, line, cwd ?? '');
}

const ANSWERS: readonly (readonly [pattern: RegExp, answer: (facts: Facts, line: string, cwd: string) => Good])[] = [
  [/ query -f csv SELECT job_id, state FROM jobs WHERE depth = 1/, coordinators],
  [/ query -f csv SELECT count/, countOfJobs],
  [
    / (?:job stop|job run|query) --help$/,
    () => ({
      name: 'flags of iris',
      frame: 'text',
      stdout: HELP,
      wrong: { unlisted: HELP.replace('--exact', '--exactly').replace(' -f,', '').replace(' -e', '') },
    }),
  ],
  [/ query \S+ WITH seen AS /, lastStep],
  [/ query \S+ SELECT timestamp_ms, execution_uid/, series],
  [/ query \S+ SELECT count/, countOfRows],
  [/^\S+ get pods /, pods],
  [/^\S+ get nodes /, nodes],
  [/^not-run --version$/, () => ({ name: 'version of the launcher', frame: 'text', stdout: 'GNU bash, version 5.2\n' })],
  [/ list s3:/, checkpointList],
  [/ read s3:.*metadata\.json$/, metadata],
  [/ rev-parse --show-prefix /, head],
  [/ status --porcelain/, status],
  [/ ls-files -v /, files],
  [/ ls-remote /, remoteHead],
  [/ cat-file blob \S+trigger_hero\.sh$/, launchScript],
  [/ cat-file blob \S+current_run\.py$/, runIdFile],
  [/ show marin-community\/marin_moe\//, trackerPage],
  [/ auth status$/, () => ({ name: 'gh auth status', frame: 'text', stdout: 'github.com\n  Logged in to github.com account harbor\n' })],
];

function coordinators({ jobId, oldRun, live }: Facts): Good {
  const table = (...rows: readonly string[]) => ['job_id,state', ...rows, ''].join('\r\n');
  const name = jobId.slice(jobId.lastIndexOf('/') + 1);
  return {
    name: 'coordinators',
    frame: 'csv',
    stdout: live ? table(`${jobId},3`) : table(),
    wrong: {
      none: table(),
      cap: table(...Array.from({ length: 1000 }, (_, n) => `/marin/hero-${n}-coord-1,3`)),
      unlisted: table(`${jobId},42`),
      named: table(`${jobId},RUNNING`),
      two: table(`${jobId},3`, `${jobId},3`),
      prefix: table(`/marin/${oldRun}5-coord-00000001,3`),
      other_user: table(`${jobId},3`, `/alice/${name},3`),
      nan: table(`${jobId},NaN`),
    },
  };
}

function countOfJobs(): Good {
  const table = (cell: string) => `n\r\n${cell}`;
  return {
    name: 'count of jobs',
    frame: 'csv',
    stdout: table('0\r\n'),
    wrong: { none: 'n\r\n', named: table('zero\r\n'), two: table('0\r\n0\r\n'), nan: table('NaN\r\n'), cap: table('0\r\n'.repeat(1000)) },
  };
}

function lastStep({ lastStep: { step, atMs, rows } }: Facts): Good {
  const row = (last_step: unknown, last_ms: unknown, n: unknown) => `${JSON.stringify({ last_step, last_ms, n })}\n`;
  const good = row(step, atMs, rows);
  return {
    name: 'last step',
    frame: 'rows',
    stdout: good,
    wrong: {
      none: row(null, null, 0),
      cap: good.repeat(1000),
      named: row(`${step}`, `${atMs}`, rows),
      two: good + good,
      old: row(step, atMs - 47 * 60_000, rows),
      future: row(step, atMs + 3_600_000, rows),
      nan: good.replace(`${step}`, 'NaN'),
    },
  };
}

function series({ pace }: Facts): Good {
  const row = (changes: object) => (sample: Facts['pace'][number]) =>
    `${JSON.stringify({ timestamp_ms: sample.atMs, execution_uid: 'e-0', step: sample.step, name: 'train_loss', value: 2, seq: sample.seq, ...changes })}\n`;
  const rows = (changes = {}) => pace.map(row(changes)).join('');
  const [first] = pace;
  return {
    name: 'series of the pace',
    frame: 'rows',
    stdout: rows(),
    wrong: {
      none: '{}\n',
      cap: pace
        .map(row({ seq: 1 }))
        .join('')
        .repeat(1000)
        .split('\n')
        .slice(0, 900)
        .join('\n')
        .concat('\n'),
      unlisted: rows({ name: 'train_perplexity' }),
      named: rows({ step: 'newest' }),
      two: first === undefined ? '' : row({})(first).repeat(2),
      prefix: rows({ step: 5 }),
      nan: rows().replace(/"timestamp_ms":\d+/, '"timestamp_ms":NaN'),
    },
  };
}

function countOfRows({ pace }: Facts): Good {
  return { name: 'count of rows', frame: 'rows', stdout: `{"n":${pace.length}}\n` };
}

function nodes(): Good {
  const node = (n: number, changes: { ready?: string; devices?: string } = {}) => ({
    metadata: { name: `node-${n}` },
    spec: {},
    status: {
      conditions: [
        { type: 'Ready', status: changes.ready ?? 'True' },
        { type: 'DiskPressure', status: 'False' },
      ],
      allocatable: { 'nvidia.com/gpu': changes.devices ?? '16' },
    },
  });
  const list = (items: readonly unknown[], metadata = {}) => `${JSON.stringify({ apiVersion: 'v1', kind: 'NodeList', metadata, items })}\n`;
  const all = [0, 1, 2, 3].map((n) => node(n));
  return {
    name: 'nodes',
    frame: 'json',
    stdout: list(all),
    wrong: {
      none: list([]),
      cap: list(all, { continue: 'eyJ2IjoibWV0YS5rOHMuaW8vdjEi' }),
      unlisted: list(all.map((_, n) => node(n, { ready: 'Perhaps' }))),
      named: list(all.map((_, n) => node(n, { devices: 'sixteen' }))),
      two: list([...all, node(3)]),
      nan: list(all.map((_, n) => node(n, { devices: 'NaN' }))),
    },
  };
}

function pods({ jobId, oldRun, live }: Facts): Good {
  const pod = (label: string, phase = 'Running') => ({
    metadata: { name: 'iris-pod-0', labels: { 'iris.managed': 'true', 'iris.job_id': label } },
    status: { phase },
  });
  const list = (items: readonly unknown[], metadata = {}) => `${JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata, items })}\n`;
  const label = jobId.slice(1).replaceAll('/', '.');
  return {
    name: 'pods',
    frame: 'json',
    stdout: list(live ? [pod(label)] : []),
    wrong: {
      none: 'NAME   READY   STATUS   RESTARTS   AGE\n',
      cap: list([pod(label)], { continue: 'eyJ2IjoibWV0YS5rOHMuaW8vdjEi' }),
      unlisted: list([pod(label, 'Frozen')]),
      named: list([{ ...pod(label), status: { phase: 1 } }]),
      two: list([pod(label)]) + list([pod(label)]),
      prefix: list([pod(label), pod(`marin.${oldRun}5-coord-00000001`)]),
      other_user: list([pod(label), pod(`alice.${oldRun}-coord-00000001`)]),
      nan: list([pod(label)]).replace('"Running"', 'NaN'),
    },
  };
}

function checkpointList({ oldRun, handoff }: Facts, line: string): Good {
  const tree = line.split(' ').at(-1) ?? '';
  const list = (keys: readonly string[]) => `${JSON.stringify(keys.map((key) => ({ key, size: 9 })))}\n`;
  const isOld = tree.includes(`/${oldRun}/`);
  const key = `${tree}step-${handoff}/metadata.json`;
  return {
    name: 'list of checkpoints',
    frame: 'json',
    stdout: list(isOld ? [key] : []),
    wrong: {
      none: isOld ? list([]) : '{}\n',
      cap: list(Array.from({ length: 1000 }, (_, n) => `${tree}step-${handoff}/part-${n}`)),
      unlisted: list([`${tree}step-${handoff}.tmp/metadata.json`]),
      named: `[{"key": ${JSON.stringify(key)}, "size": "9"}]\n`,
      two: list([key]) + list([key]),
      prefix: list([`${tree.replace('/checkpoints/', '/checkpoints-old/')}step-${handoff}/metadata.json`]),
      nan: list([key]).replace('9', 'NaN'),
    },
  };
}

function metadata({ handoff }: Facts): Good {
  const object = (step: unknown, temporary: unknown) =>
    `${JSON.stringify({ step, timestamp: '2026-11-30T11:00:00Z', is_temporary: temporary })}\n`;
  const good = object(handoff, false);
  return {
    name: 'metadata of a checkpoint',
    frame: 'json',
    stdout: good,
    wrong: {
      none: '{}\n',
      cap: good.repeat(1000),
      unlisted: object(handoff, 'maybe'),
      named: object('fifty-four thousand', false),
      two: good + good,
      prefix: object(Math.floor(handoff / 10), false),
      nan: good.replace(`${handoff}`, 'NaN'),
    },
  };
}

function head({ deploy, rollback }: Facts, _line: string, cwd: string): Good {
  const commit = cwd === '/deploy' ? deploy : rollback;
  const text = (sha: string) => `\n${sha}\n`;
  return {
    name: 'head of a worktree',
    frame: 'text',
    stdout: text(commit),
    wrong: {
      none: '\n\n',
      named: text('main'),
      two: text(commit) + text(commit),
      prefix: text(commit.slice(0, 12)),
      other_user: `other/${text(commit)}`,
    },
  };
}

function status(): Good {
  return {
    name: 'status of a worktree',
    frame: 'text',
    stdout: '## HEAD (no branch)\0',
    wrong: {
      none: '\0',
      unlisted: '## HEAD (no branch)\0Z! train.py\0',
      named: 'nothing to commit, working tree clean\n',
      two: '## main\0## main\0',
    },
  };
}

function files(): Good {
  const entry = (tag: string) => `${tag} experiments/train.py\0`;
  return {
    name: 'files that git was told not to look at',
    frame: 'text',
    stdout: entry('H'),
    wrong: { none: '\0', unlisted: `${entry('H')}train.py\0`, named: 'nothing hidden\n', two: entry('H') + entry('h') },
  };
}

function remoteHead({ deploy }: Facts): Good {
  const row = (ref: string) => `${deploy}\t${ref}\n`;
  return {
    name: 'head of main',
    frame: 'text',
    stdout: row('refs/heads/main'),
    wrong: {
      none: '\n',
      named: row('HEAD'),
      two: row('refs/heads/main').repeat(2),
      prefix: row('refs/heads/main-2'),
      other_user: row('refs/heads/alice/main'),
    },
  };
}

function launchScript({ oldRun, handoff }: Facts): Good {
  const script = (checkpoint: string) =>
    `#!/bin/bash\nexport IRIS_USER=marin\nexport WANDB_PROJECT=marin_moe\nHANDOFF_CHECKPOINT="${checkpoint}"\nWANDB_FORK_FROM="${oldRun}?_step=${handoff - 1}"\n`;
  const checkpoint = `s3://hero/grug/${oldRun}/v/checkpoints/step-${handoff}`;
  return {
    name: 'launch script',
    frame: 'text',
    stdout: script(checkpoint),
    wrong: {
      none: '#!/bin/bash\n',
      unlisted: script('REPLACE_BEFORE_DEPLOYMENT'),
      named: script('$NEWEST'),
      two: script(checkpoint) + script(checkpoint),
      prefix: script(checkpoint.slice(0, -1)),
      nan: script('NaN'),
    },
  };
}

function runIdFile({ newRun }: Facts): Good {
  const file = (run: string) => `CURRENT_HERO_RUN_ID = ${run}\n`;
  return {
    name: 'run id file',
    frame: 'text',
    stdout: file(`"${newRun}"`),
    wrong: {
      none: '\n',
      named: file('NEWEST'),
      two: file(`"${newRun}"`).repeat(2),
      prefix: file(`"${newRun.slice(0, -1)}"`),
      unlisted: file('"hero-REPLACE_BEFORE_DEPLOYMENT"'),
      nan: file('None'),
    },
  };
}

function trackerPage({ oldRun, newRun, handoff, deploy, forked }: Facts, line: string): Good {
  const config = {
    hero_handoff_checkpoint: `s3://hero/grug/${oldRun}/v/checkpoints/step-${handoff}`,
    hero_wandb_fork_from: `${oldRun}?_step=${handoff - 1}`,
    hero_launch_commit: deploy,
  };
  const page = (keys: object, last_step: unknown = handoff - 1) => `${JSON.stringify({ exists: true, config: keys, last_step })}\n`;
  const absent = '{"exists":false}\n';
  const exists = line.endsWith(`/${oldRun}`) || (forked && line.endsWith(`/${newRun}`));
  const good = exists ? page(config) : absent;
  return {
    name: 'page of the tracker',
    frame: 'json',
    stdout: good,
    wrong: {
      none: '{}\n',
      cap: good.repeat(1000),
      unlisted: '{"exists":"perhaps"}\n',
      named: '{"exists":"false"}\n',
      two: good + good,
      prefix: page({ ...config, hero_launch_commit: deploy.slice(0, 12) }),
      other_user: page({ ...config, hero_wandb_fork_from: `alice-run?_step=${handoff - 1}` }),
      nan: page(config).replace(`${handoff - 1}}`, 'NaN}'),
    },
  };
}
