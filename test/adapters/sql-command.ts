import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type FakeCommand, fakeCommand } from './fake-command.js';

// Answers the last argument from a real database, as CSV with CRLF or as JSON a line, with at most 1,000 CSV rows.
const SCRIPT = `
import { createRequire } from 'node:module';
const [module, file, format, ...args] = process.argv.slice(2);
const Database = createRequire(import.meta.url)(module);
const db = new Database(file, { readonly: true });
db.function('contains', (text, needle) => (text.includes(needle) ? 1 : 0));
const sql = args.at(-1);
if (sql.includes(';')) throw new Error('no ; anywhere');
const statement = db.prepare(sql);
const rows = statement.all();
if (format === 'jsonl') for (const row of rows) console.log(JSON.stringify(row));
else {
  const cell = (value) => (value === null ? '' : /[",\\n]/.test(String(value)) ? '"' + String(value).replaceAll('"', '""') + '"' : String(value));
  const lines = [statement.columns().map((column) => column.name), ...rows.slice(0, 1000).map((row) => Object.values(row).map(cell))];
  process.stdout.write(lines.map((line) => line.join(',') + '\\r\\n').join(''));
}
`;

/** An executable that runs the query it is given against a database with this schema and these rows. */
export function sqlCommand(format: 'csv' | 'jsonl', setUp: (db: Database.Database) => void): FakeCommand {
  const command = fakeCommand(`exec "$(cat "$dir/node")" "$dir/query.mjs" "$(cat "$dir/module")" "$dir/data.db" ${format} "$@"`);
  const file = join(command.dir, 'data.db');
  const db = new Database(file);
  setUp(db);
  db.close();
  writeFileSync(join(command.dir, 'node'), process.execPath);
  writeFileSync(join(command.dir, 'module'), createRequire(import.meta.url).resolve('better-sqlite3'));
  writeFileSync(join(command.dir, 'query.mjs'), SCRIPT);
  return command;
}
