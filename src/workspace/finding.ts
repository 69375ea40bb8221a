/** One thing that must be so in the workspace for the bot to work, and whether it is. An unknown is never taken for right. */
export interface Finding {
  /** `slack` or `github`: whose side of the table it is. */
  readonly side: 'slack' | 'github';
  readonly about: string;
  readonly kind: 'right' | 'wrong' | 'unknown';
  /** What was found; for what is wrong, what would mend it. */
  readonly detail: string;
}

const MARKS = { right: 'ok     ', wrong: 'WRONG  ', unknown: 'unknown' } as const;

/** The start-up table, a line a finding. */
export function findingTable(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ about }) => about.length));
  return findings.map(({ side, about, kind, detail }) => `${MARKS[kind]}  ${side.padEnd(6)}  ${about.padEnd(width)}  ${detail}\n`).join('');
}

/** Milliseconds by which two clocks may differ: Slack's signatures allow 300 s, a GitHub App's key some 60 s. */
const SKEW_WRONG_MS = 60_000;

/** Whether our clock agrees with the `date` of an answer that has just come. HTTP dates are whole seconds. */
export function clockFinding(side: Finding['side'], date: string | null | undefined, now: Date): Finding {
  const about = 'clock';
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return { side, about, kind: 'unknown', detail: 'the answer carries no date' };
  const skewMs = now.getTime() - theirs;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= SKEW_WRONG_MS) return { side, about, kind: 'right', detail: `within ${Math.max(2, seconds)} s of theirs` };
  const which = skewMs > 0 ? 'ahead of' : 'behind';
  return { side, about, kind: 'wrong', detail: `ours is ${seconds} s ${which} theirs: set it by NTP` };
}
