import type { Credential, Reads } from '../protocol/outside.js';
import type { Known, Reading } from '../protocol/reading.js';
import { parseTable, quoted } from './frames.js';
import { queryArgs } from './iris.js';
import { ghQuestion, launcherQuestion, programsOfLaunch } from './launch-needs.js';
import type { Outside } from './outside.js';
import { combined, notUnderstood, type Question, understood } from './question.js';
import { trackerQuestion } from './tracker.js';

/**
 * What the protocol's acts need of the scheduler's command line. It changed shape several times: an option that is gone
 * is known before anything acts. Source: contracts/iris-and-ferries.md 0, 1.6, 4.2.
 */
const FLAGS: readonly (readonly [subCommand: readonly string[], flags: readonly string[]])[] = [
  [['job', 'stop'], ['--exact']],
  [['query'], ['-f']],
  [
    ['job', 'run'],
    ['--no-wait', '--job-name', '--max-retries', '--target-cluster', '--priority', '--system-reason', '--enable-extra-resources', '-e'],
  ],
];

/** A page that nobody has: asking for it is the cheapest proof that the tracker answers us. */
const NO_RUN = 'harbormaster-credential-probe';

/** The tools and logins that acts need, by reads only. A probe that could not be made leaves all of it unknown. */
export async function readCredentials(outside: Outside, { family }: Reads['credentials']['args']): Promise<Reading<readonly Credential[]>> {
  const key = launcherKey(outside);
  const questions = [
    ...FLAGS.map(([subCommand, flags]) => flagsQuestion(outside, family, subCommand, flags)),
    schedulerQuestion(outside, family),
    ghQuestion(outside),
    loginQuestion(outside),
    trackerReachable(outside, family),
    launcherQuestion(outside),
  ];
  const readings = await Promise.all(questions.map((question) => outside.ask(question)));
  const known: Known<Credential>[] = [];
  for (const reading of readings) {
    if (reading.kind === 'unknown') return reading;
    known.push(reading);
  }
  const [first, ...more] = known;
  if (first === undefined) throw new TypeError('no probe was made');
  const programs = await programsOfLaunch(outside, family);
  return combined([...known.map((reading) => reading.value), key, ...programs], first, ...more);
}

function flagsQuestion(outside: Outside, family: string, subCommand: readonly string[], flags: readonly string[]): Question<Credential> {
  const name = `iris ${subCommand.join(' ')}`;
  return {
    name: `${name} --help`,
    command: outside.commands.iris,
    args: ['--cluster', outside.clusterOf(family).scheduler, ...subCommand, '--help'],
    parse: (stdout) => {
      if (!/^\s*usage:/im.test(stdout)) return notUnderstood('unparsable', `no usage text of ${name}`);
      const missing = flags.filter((flag) => !new RegExp(`(?<![\\w-])${flag}(?![\\w-])`).test(stdout));
      const detail = missing.length === 0 ? `has ${flags.join(' ')}` : `lacks ${missing.join(' ')}`;
      return understood({ name, ok: missing.length === 0, detail });
    },
  };
}

function schedulerQuestion(outside: Outside, family: string): Question<Credential> {
  const { scheduler } = outside.clusterOf(family);
  return {
    name: 'iris query one row',
    command: outside.commands.iris,
    args: queryArgs(scheduler, "SELECT count(*) AS n FROM jobs WHERE job_id = '/harbormaster/credential-probe'"),
    parse: (stdout) => {
      const table = parseTable(stdout, ['n'], 2);
      if (table.kind === 'not_understood') return table;
      if (table.value[0]?.n !== '0') return notUnderstood('unparsable', 'no count of one row');
      return understood({ name: 'iris', ok: true, detail: `answers queries of ${scheduler}` });
    },
  };
}

function loginQuestion(outside: Outside): Question<Credential> {
  return {
    name: 'gh auth status',
    command: outside.commands.gh,
    args: ['auth', 'status'],
    // 1 is how it says that nobody is logged in. 0 alone says nothing: a wrapper may say it of what failed.
    exitCodes: [0, 1],
    onEitherStream: true,
    parse: (text, exitCode) => {
      if (exitCode !== 0) return understood({ name: 'gh', ok: false, detail: 'not logged in (gh auth status, exit 1)' });
      if (!/\blogged in to \S/i.test(text))
        return notUnderstood('unparsable', `exit 0, and nobody is said to be logged in: ${quoted(text)}`);
      return understood({ name: 'gh', ok: true, detail: 'logged in' });
    },
  };
}

function trackerReachable(outside: Outside, family: string): Question<Credential> {
  const question = trackerQuestion(outside, family, NO_RUN);
  return {
    ...question,
    parse: (stdout, exitCode, readAt) => {
      const child = question.parse(stdout, exitCode, readAt);
      return child.kind === 'not_understood' ? child : understood({ name: 'tracker', ok: true, detail: 'answers' });
    },
  };
}

// The launch script stops without it, after the old run has been stopped.
function launcherKey(outside: Outside): Credential {
  const ok = (outside.commands.launcher.env.WANDB_API_KEY ?? '') !== '';
  return { name: 'WANDB_API_KEY', ok, detail: ok ? 'given to the launcher' : 'not in adapters.launcher.env of the fleet file' };
}
