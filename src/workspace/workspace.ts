import { OpsError } from '../errors.js';
import { type Finding, findingTable } from './finding.js';

/** The workspace is not usable as it is, and nothing runs that would need the bot nonetheless: nothing was started. */
export class WorkspaceError extends OpsError {
  readonly code = 'workspace';
  override readonly exitCode = 8;
}

/** One part of the table, and what it is about if it does not answer in time. */
export interface Probe {
  readonly side: Finding['side'];
  readonly about: string;
  readonly read: () => Promise<readonly Finding[]>;
}

/** Reads the whole table at once. A part that has not answered after `limitMs` is unknown. Never throws. */
export async function readWorkspace(probes: readonly Probe[], limitMs: number): Promise<readonly Finding[]> {
  const findings = await Promise.all(probes.map((probe) => inTime(probe, limitMs)));
  return findings.flat();
}

async function inTime({ side, about, read }: Probe, limitMs: number): Promise<readonly Finding[]> {
  const unknown = (detail: string): readonly Finding[] => [{ side, about, kind: 'unknown', detail }];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => resolve(unknown(`no answer in ${limitMs / 1000} s`)), limitMs);
  });
  const answer = read().catch((fault: unknown) => unknown(fault instanceof Error ? fault.message : 'no answer'));
  const findings = await Promise.race([answer, late]);
  clearTimeout(timer);
  return findings;
}

/** What is surely wrong stops a start. What is unknown does not: an outage of Slack must not keep a run from being watched. */
export function refuseWrong(findings: readonly Finding[]): void {
  if (findings.some(({ kind }) => kind === 'wrong')) {
    throw new WorkspaceError(`the workspace is not as the bot needs it; nothing was started\n\n${findingTable(findings)}`);
  }
}
