#!/usr/bin/env node
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { checkCommand } from './cli-check.js';
import { judgeCommand } from './cli-judge.js';
import { readCommand } from './cli-read.js';
import { backupCommand, restoreCommand } from './cli-store.js';
import { OpsError, UsageError } from './errors.js';
import { type Fleet, loadFleet } from './fleet.js';
import { healthLines } from './health-report.js';
import { printLog, printStatus } from './journal-report.js';
import type { DemoResult } from './local/demo.js';
import type { Step } from './local/player.js';
import { parseOnce } from './parse-once.js';
import { findingTable } from './workspace/finding.js';

const USAGE = `harbor start  --fleet FILE             run the bot: prints the start-up table, then one line when it is ready
harbor local  [--home DIR] [--port N]  the local harbour: cluster, Slack and GitHub stand-ins, bot, a page
harbor demo   --scenario NAME|all [--json] [--pace P]   play a scenario without a browser
harbor check  --fleet FILE [--family NAME] [--json]   read everything that a swap rests on; nothing is changed
harbor judge  FILE [--json]            judge a file of {"type","input"}
harbor read   VERB [ARGS] [--json]     one reading of the outside, see harbor read --help
harbor log    OPERATION --fleet FILE [--format json|text] [--verify]   its history; checked against the status issue too
harbor status --fleet FILE             open operations, what is still to be told, and how the running bot does
harbor backup --fleet FILE --to FILE   copy the journal, beside a running bot
harbor restore --fleet FILE --from FILE   put a copy in its place; what was open in it waits until it is compared with the outside
harbor help | --version                this text, or the version

Exit codes of check and read: 0 all known, 2 usage or fleet file, 3 otherwise. Of judge: 0 PASS (serving: any verdict), 1 FAIL, 2 bad input, 3 otherwise. Of the others:
0 done, 1 a fault or an unexpected demo, 2 usage or fleet file, 4 database newer than this build, 5 broken history or damaged journal, 6 port taken, 7 another process owns the data,
8 the Slack or GitHub workspace is not as the bot needs it.
`;

/** Written out, so that an option that is not understood is an error and never left out. */
const OPTIONS = {
  fleet: { type: 'string' },
  home: { type: 'string' },
  port: { type: 'string' },
  scenario: { type: 'string' },
  json: { type: 'boolean' },
  pace: { type: 'string' },
  format: { type: 'string' },
  verify: { type: 'boolean' },
  to: { type: 'string' },
  from: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = { readonly [Name in keyof typeof OPTIONS]?: string | boolean | undefined };

async function main(argv: readonly string[]): Promise<number> {
  const [command = 'help', ...rest] = argv;
  if (command === 'judge') return judgeCommand(rest, { out: print, err: (text) => process.stderr.write(text) });
  if (command === 'read')
    return readCommand(rest, { out: print, err: (text) => process.stderr.write(text) }, process.env, () => new Date());
  if (command === 'check') return checkCommand(rest, process.env, { out: print, err: (text) => process.stderr.write(text) });
  if (['help', '--help', '-h'].includes(command)) return print(USAGE);
  if (['version', '--version'].includes(command)) return print(`harbormaster ${versionOf()}\n`);
  const { values, positionals } = parse(rest);
  if (values.help === true) return print(USAGE);
  switch (command) {
    case 'start':
      return start(values);
    case 'local':
      return local(values);
    case 'demo':
      return demo(values);
    case 'log':
      return log(values, named(positionals));
    case 'status':
      return status(loadFleet(required(values, 'fleet')));
    case 'backup':
      return backupCommand(required(values, 'fleet'), text(values.to));
    case 'restore':
      return restoreCommand(required(values, 'fleet'), text(values.from), new Date());
    default:
      throw new UsageError(`"${command}" is not a command of this build\n\n${USAGE}`);
  }
}

function parse(argv: readonly string[]): { readonly values: Values; readonly positionals: readonly string[] } {
  try {
    return parseOnce({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(`${cause instanceof Error ? cause.message : cause}\n\n${USAGE}`, { cause });
  }
}

/** Runs until it is told to stop. The one line on standard output says where it listens. */
async function start(values: Values): Promise<number> {
  const { startBot } = await import('./main.js');
  // A promise that nobody waits for has failed: what is on file is enough for the next start.
  process.on('unhandledRejection', (fault) => {
    process.stderr.write(`harbor: ${fault instanceof Error ? fault.stack : fault}\n`);
    process.exit(1);
  });
  const bot = await startBot({ fleet: loadFleet(required(values, 'fleet')), env: process.env });
  process.stderr.write(findingTable(bot.workspace));
  print(`${JSON.stringify({ ready: true, port: bot.port, healthPort: bot.healthPort })}\n`);
  await new Promise<void>((done) => {
    process.once('SIGTERM', () => done());
    process.once('SIGINT', () => done());
  });
  await bot.stop();
  return 0;
}

async function status(fleet: Fleet): Promise<number> {
  const code = printStatus(fleet);
  print(await healthLines(fleet.data));
  return code;
}

/** Of the package that this file is built into. */
function versionOf(): string {
  const { version } = createRequire(import.meta.url)('../../package.json');
  return `${version}`;
}

async function local(values: Values): Promise<number> {
  const { runLocal } = await import('./local/local.js');
  const port = values.port === undefined ? undefined : whole(values.port, 'port');
  return runLocal({ home: resolve(`${values.home ?? '.harbor/local'}`), ...(port === undefined ? {} : { port }) });
}

async function log(values: Values, operationId: string): Promise<number> {
  const fleet = loadFleet(required(values, 'fleet'));
  const format = oneOf(values.format, ['text', 'json']);
  if (values.verify !== true) return printLog(fleet, operationId, format);
  const { verifyLog } = await import('./cli-log.js');
  return verifyLog(fleet, process.env, operationId, format);
}

async function demo(values: Values): Promise<number> {
  const { playDemo } = await import('./local/demo.js');
  const pace = values.pace === undefined ? 0.5 : Number(values.pace);
  if (!(pace > 0 && pace <= 10)) throw new UsageError('demo: --pace is a number above 0 and at most 10');
  const named = required(values, 'scenario');
  const { SCENARIOS } = await import('./local/demo.js');
  let unexpected = 0;
  for (const name of named === 'all' ? Object.keys(SCENARIOS) : [named]) {
    const result = await playDemo(name, (step) => print(stepLine(step, values.json === true)), pace);
    print(resultLine(result, values.json === true));
    if (result.verdict === 'unexpected') unexpected += 1;
  }
  return unexpected === 0 ? 0 : 1;
}

function stepLine(step: Step, json: boolean): string {
  if (json) return `${JSON.stringify(step)}\n`;
  return `${step.at.slice(11, 19)}  ${step.operation}  ${step.from ?? '–'} → ${step.to}   ${step.event}, by ${step.actor}\n`;
}

function resultLine(result: DemoResult, json: boolean): string {
  if (json) return `${JSON.stringify(result)}\n`;
  const { scenario, verdict, state, told, thread, issue } = result;
  return `${scenario}: ${verdict}; ended ${state}; told ${told}, in the thread ${thread}, on the issue ${issue}\n`;
}

function required(values: Values, name: keyof Values): string {
  const value = values[name];
  if (typeof value !== 'string') throw new UsageError(`--${name} is missing\n\n${USAGE}`);
  return value;
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function named(positionals: readonly string[]): string {
  const [operationId] = positionals;
  if (operationId === undefined) throw new UsageError(`name an operation, such as hero-12\n\n${USAGE}`);
  return operationId;
}

function oneOf<T extends string>(value: string | boolean | undefined, allowed: readonly [T, ...T[]]): T {
  if (value === undefined) return allowed[0];
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new UsageError(`"${value}" is none of ${allowed.join(', ')}`);
  return found;
}

function whole(value: string | boolean, name: string): number {
  if (typeof value !== 'string' || !/^[0-9]{1,5}$/.test(value)) throw new UsageError(`--${name} is a whole number`);
  return Number(value);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (fault) {
  const known = fault instanceof OpsError;
  process.stderr.write(`harbor: ${known ? fault.message : fault instanceof Error ? fault.stack : fault}\n`);
  process.exit(known ? fault.exitCode : 1);
}
