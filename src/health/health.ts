import type { DoorState } from '../slack/app.js';
import type { Finding } from '../workspace/finding.js';

/** How one part of the bot does. `red`: it does not do its work, and waiting mends nothing. `degraded`: it waits for another system. */
export interface Part {
  readonly name: string;
  readonly state: 'ok' | 'degraded' | 'red';
  readonly detail: string;
}

/** How the bot does: as its worst part. */
export interface HealthReport {
  readonly status: Part['state'];
  readonly pid: number;
  readonly startedAt: string;
  readonly parts: readonly Part[];
}

/** What one sink has still to be told. */
export interface Backlog {
  readonly sink: string;
  readonly waiting: number;
  /** When the oldest of it was recorded. */
  readonly oldestAt: Date;
  readonly error: string | null;
}

/** What health is read from; nothing here asks the outside. */
export interface Vitals {
  readonly now: Date;
  readonly startedAt: Date;
  readonly tickSeconds: number;
  /** When the monitor last finished a pass; null before the first. */
  readonly tickedAt: Date | null;
  readonly door: DoorState;
  readonly backlog: readonly Backlog[];
  readonly workspace: readonly Finding[];
}

/** A pass may wait for slow readings; a monitor that is silent for longer watches nothing. Milliseconds. */
const MONITOR_SILENT_MS = 120_000;
/** A line that waits for longer has not only been overtaken by a busy second. Milliseconds. */
const LINE_WAITS_MS = 60_000;
/** Slack recycles connections; one that stays away for longer is an outage. Milliseconds. */
const DOOR_SHUT_MS = 60_000;

/** Slack and GitHub codes that no waiting mends. Source: contracts/slack-github-platform.md, 4.7. */
const TOKEN_REFUSED =
  /\b(invalid_auth|not_authed|token_revoked|token_expired|account_inactive|missing_scope|not_allowed_token_type|team_access_not_granted|accesslimited|Bad credentials)\b/;

/** Reads the vitals. Pure. */
export function readHealth(vitals: Vitals): HealthReport {
  const parts = [
    monitorPart(vitals),
    doorPart(vitals),
    ...['thread', 'issue'].map((sink) => sinkPart(vitals, sink)),
    workspacePart(vitals),
  ];
  const status = parts.some(({ state }) => state === 'red') ? 'red' : parts.some(({ state }) => state === 'degraded') ? 'degraded' : 'ok';
  return { status, pid: process.pid, startedAt: vitals.startedAt.toISOString(), parts };
}

function monitorPart({ now, startedAt, tickedAt, tickSeconds }: Vitals): Part {
  const name = 'monitor';
  const silentMs = now.getTime() - (tickedAt ?? startedAt).getTime();
  const said = tickedAt === null ? 'no pass finished yet' : `the last pass finished ${seconds(silentMs)} ago`;
  return { name, state: silentMs > Math.max(MONITOR_SILENT_MS, 5 * tickSeconds * 1000) ? 'red' : 'ok', detail: said };
}

function doorPart({ now, door }: Vitals): Part {
  const name = 'slack door';
  const forMs = now.getTime() - door.since.getTime();
  if (door.kind === 'open') return { name, state: 'ok', detail: `${door.detail}, connection ${door.connections}` };
  if (door.kind === 'refused') return { name, state: 'red', detail: `Slack does not take our token: ${door.detail}` };
  return { name, state: forMs > DOOR_SHUT_MS ? 'degraded' : 'ok', detail: `connecting for ${seconds(forMs)}: ${door.detail}` };
}

function sinkPart({ now, backlog }: Vitals, sink: string): Part {
  const own = backlog.find((each) => each.sink === sink);
  if (own === undefined) return { name: sink, state: 'ok', detail: 'nothing waits' };
  const forMs = now.getTime() - own.oldestAt.getTime();
  const lines = `${own.waiting} ${own.waiting === 1 ? 'line waits' : 'lines wait'}, the oldest for ${seconds(forMs)}`;
  const detail = own.error === null ? lines : `${lines} (${own.error})`;
  if (own.error !== null && TOKEN_REFUSED.test(own.error)) return { name: sink, state: 'red', detail };
  return { name: sink, state: forMs > LINE_WAITS_MS ? 'degraded' : 'ok', detail };
}

function workspacePart({ workspace }: Vitals): Part {
  const name = 'workspace at start';
  const wrong = workspace.filter(({ kind }) => kind === 'wrong');
  const unknown = workspace.filter(({ kind }) => kind === 'unknown');
  if (wrong.length > 0)
    return { name, state: 'red', detail: wrong.map(({ side, about, detail }) => `${side} ${about}: ${detail}`).join('; ') };
  if (workspace.length === 0) return { name, state: 'ok', detail: 'not read yet' };
  return {
    name,
    state: 'ok',
    detail: unknown.length === 0 ? 'as it must be' : `not answered: ${unknown.map(({ side, about }) => `${side} ${about}`).join(', ')}`,
  };
}

function seconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s`;
}
