import type Database from 'better-sqlite3';
import { ask, QueryError, TELEMETRY_TABLES } from '../query.js';
import type { Switches } from '../switches.js';
import { REGION } from '../telemetry.js';
import { type Answer, type Call, ok, traceback, usageError } from './call.js';
import { parseOptions } from './options.js';
import { renderJsonLines, renderTable } from './table.js';

/** The region, whose rows are freshest, and the hub. Here both show the same. */
export const DEPLOYMENTS: readonly string[] = [REGION, 'marin'];

/** The `finelog` command line. Source: contracts/iris-and-ferries.md 3.1. */
export function finelog(context: { readonly reader: Database.Database; readonly switches: Switches }, call: Call): Answer {
  const parsed = parseOptions(call.argv, { '--format': 'value', '--timeout': 'value', '--help': 'flag' });
  if (typeof parsed === 'string') return usageError('finelog', parsed);
  const [command, deployment, argument] = parsed.rest;
  if (parsed.flags.has('--help') || command === undefined) {
    return ok(
      'Usage: finelog [OPTIONS] COMMAND [ARGS]...\n\nCommands:\n  namespaces\n  query\n  schema\n\nOptions:\n  --format [json|table]\n  --timeout SECONDS\n  --help\n',
    );
  }
  if (deployment === undefined || !DEPLOYMENTS.includes(deployment))
    return usageError(`finelog ${command}`, `Unknown deployment '${deployment ?? ''}'.`);
  if (context.switches.isOn('telemetry_down')) return traceback('connectrpc.errors.ConnectError: UNAVAILABLE: upstream connect error');
  if (command === 'namespaces') return ok(TELEMETRY_TABLES.map((name) => `{"namespace": ${JSON.stringify(name)}}\n`).join(''));
  if (argument === undefined) return usageError(`finelog ${command}`, 'Missing argument.');
  try {
    if (command === 'schema') return schema(context.reader, argument);
    if (command !== 'query') return usageError('finelog', `No such command '${command}'.`);
    const table = ask(context.reader, argument, TELEMETRY_TABLES);
    return ok(parsed.values.get('--format') === 'table' ? renderTable(table) : renderJsonLines(table));
  } catch (error) {
    if (error instanceof QueryError) return traceback(`finelog.errors.QueryError: ${error.message}`);
    throw error;
  }
}

function schema(reader: Database.Database, namespace: string): Answer {
  if (!TELEMETRY_TABLES.some((name) => name === namespace)) throw new QueryError(`no such namespace: ${namespace}`);
  const rows = reader.prepare('SELECT name, type FROM pragma_table_info(?)').all(namespace) as { name: string; type: string }[];
  const implicit = ['seq', 'cluster'];
  const columns = rows.filter(({ name }) => !implicit.includes(name));
  return ok(`${JSON.stringify({ namespace, columns, implicit_columns: implicit })}\n`);
}
