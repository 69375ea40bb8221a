import { readFile } from 'node:fs/promises';
import { issuesOf, Question } from './judge-question.js';
import { judge } from './protocol/gate/judge.js';
import { judgeServing, type ServingResult } from './protocol/gate/serving.js';
import type { GateResult } from './protocol/gate/verdict.js';

/** Where a command writes: what was asked for, and what went wrong. */
export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

const EXIT = { PASS: 0, FAIL: 1, bad: 2, other: 3 } as const;
const USAGE = 'usage: harbor judge FILE [--json]\n';

/**
 * `harbor judge FILE [--json]`: judges a file of `{"type","input"}` as contracts/gate-judge.md section 2 describes. Answers the
 * exit code: 0 PASS (serving: any verdict), 1 FAIL, 2 bad input, and then no verdict is printed, 3 otherwise.
 */
export async function judgeCommand(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes('--help')) {
    io.out(USAGE);
    return EXIT.PASS;
  }
  const json = args.includes('--json');
  const [file, ...rest] = args.filter((arg) => arg !== '--json');
  if (file === undefined || file.startsWith('-') || rest.length > 0) return refuse(io, USAGE);
  const read = await readJson(file);
  if (read.kind === 'fault') return refuse(io, `judge ${file}: ${read.message}\n`);
  const parsed = Question.safeParse(read.value);
  if (!parsed.success) return refuse(io, `judge ${file}:\n${issuesOf(parsed.error.issues)}`);

  if (parsed.data.type === 'serving') {
    const result = judgeServing(parsed.data.input);
    io.out(json ? servingJson(result) : servingTable(result));
    return result.overall === 'UNKNOWN' ? EXIT.other : EXIT.PASS;
  }
  const result = judge(parsed.data.input);
  io.out(json ? trainingJson(result) : trainingTable(result));
  return result.overall === 'PASS' ? EXIT.PASS : result.overall === 'FAIL' ? EXIT.FAIL : EXIT.other;
}

function refuse(io: CommandIo, message: string): number {
  io.err(message);
  return EXIT.bad;
}

async function readJson(file: string): Promise<{ kind: 'json'; value: unknown } | { kind: 'fault'; message: string }> {
  try {
    return { kind: 'json', value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))) };
  } catch (cause) {
    return { kind: 'fault', message: cause instanceof Error ? cause.message : `${cause}` };
  }
}

function trainingJson({ overall, criteria }: GateResult): string {
  const said = criteria.map(({ id, verdict, reason, decidedAt }) => [id, { verdict, reason, decidedAt }] as const);
  return `${JSON.stringify({ overall, criteria: Object.fromEntries(said) })}\n`;
}

function servingJson({ overall, quality, speed, reason }: ServingResult): string {
  return `${JSON.stringify({ overall, quality, speed, reason })}\n`;
}

function trainingTable({ overall, criteria }: GateResult): string {
  const rows = criteria.map((each) => [
    each.required ? each.id : `${each.id} (report only)`,
    each.verdict,
    each.lean === null ? each.reason : `${each.reason}, leans ${each.lean}`,
    each.decidedAt === null ? '-' : `${each.decidedAt}`,
    each.mean === null ? '-' : `${figure(each.mean)}${each.halfWidth === null ? '' : ` ± ${figure(each.halfWidth)}`}`,
    each.lo === null && each.hi === null
      ? '-'
      : `[${each.lo === null ? '-∞' : figure(each.lo)}, ${each.hi === null ? '∞' : figure(each.hi)}]`,
    each.expected === 0 ? '-' : `${each.pairs}/${each.expected}`,
    [
      ...(each.spikes > 0 ? [`${each.spikes} spikes`] : []),
      ...(each.dropped > 0 ? [`${each.dropped} rows dropped`] : []),
      ...each.exceptions.map(([step, value]) => `${figure(value)} at step ${step}`),
    ].join(', '),
  ]);
  const measured = criteria.filter(({ verdict }) => verdict !== 'UNKNOWN').length;
  const passed = criteria.filter(({ verdict }) => verdict === 'PASS').length;
  const head = ['criterion', 'verdict', 'reason', 'step', 'mean difference', 'agreed', 'rows', 'seen'];
  const count = `${passed} of ${criteria.length} passed, ${criteria.length - measured} could not be judged`;
  return `${tableOf([head, ...rows])}\n${overall}: ${count}\n`;
}

function servingTable(result: ServingResult): string {
  const { score, flips, cells = [] } = result;
  const lines = [
    `quality: ${result.quality}`,
    ...(score === undefined
      ? []
      : [`  score ${signed(score.difference)} ± ${figure(score.halfWidth)}${score.notWorseProven ? ', not worse proven' : ''}`]),
    ...(flips === undefined ? [] : [`  ${flips.up} scenarios up, ${flips.down} down, p ${figure(flips.p)}`]),
    ...(flips === undefined || flips.lost.length === 0 ? [] : [`  lost: ${flips.lost.join(', ')}`]),
    ...(flips === undefined || flips.lostUnconfirmed.length === 0
      ? []
      : [`  below in single runs, not confirmed: ${flips.lostUnconfirmed.join(', ')}`]),
    ...(result.speed === undefined ? [] : [`speed: ${result.speed}`]),
    ...cells.map((cell) => `  ${cell.name} ${cell.change} ${signed(100 * Math.expm1(cell.logRatio))}%`),
  ];
  return `${lines.join('\n')}\n${result.overall}${result.reason === undefined ? '' : `: ${result.reason}`}\n`;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? '')].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function figure(value: number): string {
  return value === 0 ? '0' : `${Number(value.toPrecision(4))}`;
}

function signed(value: number): string {
  return value > 0 ? `+${figure(value)}` : figure(value);
}
