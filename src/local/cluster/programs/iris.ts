import type Database from 'better-sqlite3';
import { ask, QueryError, SCHEDULER_TABLES } from '../query.js';
import type { Scheduler } from '../scheduler.js';
import { type Answer, type Call, failed, ok, traceback, usageError } from './call.js';
import { parseOptions } from './options.js';
import { renderCsv, renderTable } from './table.js';

/** The only cluster config that the simulated `iris` knows. */
export const SCHEDULER_NAME = 'marin';

/** Rows that a query answers at most, without saying so. Source: contracts/iris-and-ferries.md 1.7. */
export const QUERY_ROWS_MAX = 1000;

const GLOBALS = {
  '--cluster': 'value',
  '--config': 'value',
  '--controller-url': 'value',
  '-v': 'flag',
  '--verbose': 'flag',
  '--traceback': 'flag',
  '--help': 'flag',
} as const;

const HELP: Readonly<Record<string, string>> = {
  iris: `Usage: iris [OPTIONS] COMMAND [ARGS]...

Options:
  --cluster NAME         Named cluster config.
  --config PATH          Path of a cluster config.
  --controller-url URL   Direct URL of a controller.
  -v, --verbose          Log at DEBUG.
  --traceback            Show full stack traces.
  --help                 Show this message and exit.

Commands:
  job    Manage jobs.
  query  Ask the controller's database.
`,
  query: `Usage: iris query [OPTIONS] SQL

  Run one SELECT against a snapshot of the controller's database.

Options:
  -f, --format [table|csv]  Output format.
  --help                    Show this message and exit.
`,
  'job stop': `Usage: iris job stop [OPTIONS] [JOB_ID]...

  Stop jobs and their children.

Options:
  --prefix / --exact  Match active jobs by prefix, or exactly (default).
  --stdin             Read job ids from standard input.
  --dry-run           Show what would be stopped.
  --help              Show this message and exit.
`,
  'job logs': `Usage: iris job logs [OPTIONS] JOB_ID

  Print the log of a job and of its descendants.

Options:
  --max-lines N  Lines at most, the last ones; 0 for 1000.
  --help         Show this message and exit.
`,
  'job run': `Usage: iris job run [OPTIONS] -- COMMAND...

  Submit a job.

Options:
  --no-wait                Submit and return.
  --job-name NAME          Name of the job.
  --user NAME              User prefix.
  -e KEY VALUE             Environment of the job.
  --cpu FLOAT              CPUs.
  --memory SIZE            Memory.
  --disk SIZE              Disk.
  --enable-extra-resources Allow accelerators and large jobs.
  --tpu VARIANT            TPU of the job.
  --gpu VARIANTxN          GPU of the job.
  --replicas N             Tasks of the job.
  --max-retries N          Failure budget.
  --timeout SECONDS        0 for none.
  --region NAME            Placement.
  --zone NAME              Placement.
  --target-cluster PEER    Federate the whole job to a peer.
  --priority BAND          production, interactive, batch or system.
  --system-reason TEXT     Why the system band is needed.
  --extra NAME             Python extra.
  --help                   Show this message and exit.
`,
};

export interface IrisContext {
  readonly scheduler: Scheduler;
  readonly reader: Database.Database;
  /** Where log lines are. */
  readonly database: Database.Database;
  /** Answers `iris job run`, whose rules fill a file of their own. */
  readonly run: (argv: readonly string[], call: Call) => Promise<Answer>;
}

/** The `iris` command line. Source: contracts/iris-and-ferries.md 1. */
export async function iris(context: IrisContext, call: Call): Promise<Answer> {
  const globals = parseOptions(call.argv, GLOBALS, true);
  if (typeof globals === 'string') return usageError('iris', globals);
  const [group, ...afterGroup] = globals.rest;
  if (globals.flags.has('--help') || group === undefined) return ok(HELP.iris ?? '');
  const command = group === 'job' ? `job ${afterGroup[0] ?? ''}` : group;
  const argv = group === 'job' ? afterGroup.slice(1) : afterGroup;
  const help = HELP[command];
  if (help === undefined) return usageError('iris', `No such command '${command.trim()}'.`);
  const ownEnd = argv.indexOf('--');
  const shownHelp = context.scheduler.region.switches.isOn('old_command_line')
    ? help.replace('--prefix / --exact ', '--include-children')
    : help;
  if (argv.slice(0, ownEnd < 0 ? argv.length : ownEnd).includes('--help')) return ok(shownHelp);

  const refused = refuseCluster(context, globals.values);
  if (refused !== null) return refused;
  if (command === 'query') return query(context, argv);
  if (command === 'job stop') return stop(context, argv);
  if (command === 'job logs') return logs(context, argv);
  return context.run(argv, call);
}

function refuseCluster({ scheduler }: IrisContext, values: ReadonlyMap<string, string>): Answer | null {
  const { switches } = scheduler.region;
  const cluster = values.get('--cluster');
  if (values.has('--config') && values.has('--controller-url'))
    return usageError('iris', '--config and --controller-url are mutually exclusive.');
  if (cluster === undefined && !values.has('--config') && !values.has('--controller-url')) {
    return failed('Error: No controller specified. Use --cluster, --config or --controller-url.');
  }
  if (cluster !== undefined && cluster !== SCHEDULER_NAME) {
    return usageError('iris', `Unknown cluster '${cluster}'. Run 'iris cluster list' to see the known ones.`);
  }
  if (switches.isOn('scheduler_down')) return failed('Error: Could not connect to controller: Connection refused');
  if (switches.isOn('no_credentials')) return failed("Error: No IAP credentials for this cluster.\nRun 'iris login' to sign in.");
  return null;
}

function query({ reader }: IrisContext, argv: readonly string[]): Answer {
  const parsed = parseOptions(argv, { '-f': 'value', '--format': 'value' });
  if (typeof parsed === 'string') return usageError('iris query', parsed);
  const format = parsed.values.get('-f') ?? parsed.values.get('--format') ?? 'table';
  const [sql, ...more] = parsed.rest;
  if (format !== 'csv' && format !== 'table')
    return usageError('iris query', `Invalid value for '-f': '${format}' is not one of 'table', 'csv'.`);
  if (sql === undefined || more.length > 0)
    return usageError('iris query', sql === undefined ? "Missing argument 'SQL'." : 'Got unexpected extra arguments.');
  if (!/^\s*select\b/i.test(sql)) return traceback('connectrpc.errors.ConnectError: only SELECT statements are allowed');
  if (sql.includes(';')) return traceback('connectrpc.errors.ConnectError: semicolons are not allowed');
  try {
    const table = ask(reader, sql, [...SCHEDULER_TABLES, 'sqlite_master'], QUERY_ROWS_MAX);
    return ok(format === 'csv' ? renderCsv(table) : renderTable(table));
  } catch (error) {
    if (error instanceof QueryError) return traceback(`connectrpc.errors.ConnectError: ${error.message}`);
    throw error;
  }
}

function stop({ scheduler }: IrisContext, argv: readonly string[]): Answer {
  const parsed = parseOptions(argv, { '--prefix': 'flag', '--exact': 'flag', '--dry-run': 'flag', '--stdin': 'flag' });
  if (typeof parsed === 'string') return usageError('iris job stop', parsed);
  if (parsed.rest.length === 0) return usageError('iris job stop', "Missing argument 'JOB_ID...'.");
  const known = scheduler.region.jobs.rows().map((row) => row.jobId);
  const unknown = parsed.flags.has('--prefix') ? undefined : parsed.rest.find((jobId) => !known.includes(jobId));
  if (unknown !== undefined) {
    const near = known.find((jobId) => jobId.startsWith(unknown) || unknown.startsWith(jobId));
    return failed(`Error: No job named '${unknown}'.${near === undefined ? '' : ` Did you mean: ${near}?`}`);
  }
  const matched = parsed.flags.has('--prefix')
    ? scheduler.liveJobIds().filter((jobId) => parsed.rest.some((prefix) => jobId.startsWith(prefix)))
    : parsed.rest;
  const lines = (jobIds: readonly string[]) => jobIds.map((jobId) => `  ${jobId}\n`).join('');
  if (matched.length === 0) return ok('No running jobs matched.\n');
  if (parsed.flags.has('--dry-run')) return ok(`[dry-run] would terminate ${matched.length} job(s):\n${lines(matched)}`);
  for (const jobId of matched) scheduler.requestCancel(jobId);
  return ok(`Terminated jobs:\n${lines(matched)}`);
}

/** `[HH:MM:SS] task=<id> | <text>`, the last lines. Source: contracts/iris-and-ferries.md 1.8. */
function logs({ database }: IrisContext, argv: readonly string[]): Answer {
  const parsed = parseOptions(argv, { '--max-lines': 'value' });
  if (typeof parsed === 'string') return usageError('iris job logs', parsed);
  const [jobId, ...more] = parsed.rest;
  if (jobId === undefined || more.length > 0) return usageError('iris job logs', "Missing argument 'JOB_ID'.");
  const most = Number(parsed.values.get('--max-lines') ?? 0) || 1000;
  const rows = database
    .prepare('SELECT key, epoch_ms, data FROM "log" WHERE substr(key, 1, ?) = ? ORDER BY seq DESC LIMIT ?')
    .all(jobId.length + 1, `${jobId}/`, most) as { key: string; epoch_ms: number; data: string }[];
  const line = ({ key, epoch_ms, data }: (typeof rows)[number]): string =>
    `[${new Date(epoch_ms).toISOString().slice(11, 19)}] task=${key.slice(0, key.lastIndexOf(':'))} | ${data}\n`;
  return ok(rows.reverse().map(line).join(''));
}
