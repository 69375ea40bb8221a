import { expect, test } from 'vitest';
import { readHealth, type Vitals } from '../../src/health/health.js';
import { Metrics } from '../../src/health/metrics.js';
import { HealthServer } from '../../src/health/server.js';

const NOW = new Date('2026-11-30T01:00:00Z');

function ago(seconds: number): Date {
  return new Date(NOW.getTime() - seconds * 1000);
}

/** A bot that does well; a test changes what it is about. */
function vitals(changes: Partial<Vitals> = {}): Vitals {
  return {
    now: NOW,
    startedAt: ago(3600),
    tickSeconds: 15,
    tickedAt: ago(4),
    door: { kind: 'open', since: ago(3000), detail: 'Socket Mode', connections: 2 },
    backlog: [],
    workspace: [{ side: 'slack', about: 'bot token', kind: 'right', detail: 'harbormaster' }],
    ...changes,
  };
}

function stateOf(name: string, changes: Partial<Vitals>): string {
  const { status, parts } = readHealth(vitals(changes));
  return `${parts.find((part) => part.name === name)?.state}, so ${status}`;
}

test('a bot that does well says so, part by part', () => {
  expect(readHealth(vitals())).toMatchObject({
    status: 'ok',
    parts: [
      { name: 'monitor', detail: 'the last pass finished 4 s ago' },
      { name: 'slack door', detail: 'Socket Mode, connection 2' },
      { name: 'thread', detail: 'nothing waits' },
      { name: 'issue', detail: 'nothing waits' },
      { name: 'workspace at start', detail: 'as it must be' },
    ],
  });
});

test('a monitor that has not finished a pass for two minutes watches nothing: red', () => {
  expect(stateOf('monitor', { tickedAt: ago(119) })).toBe('ok, so ok');
  expect(stateOf('monitor', { tickedAt: ago(121) })).toBe('red, so red');
  expect(stateOf('monitor', { tickedAt: null })).toBe('red, so red');
  expect(stateOf('monitor', { tickedAt: null, startedAt: ago(10) })).toBe('ok, so ok');
});

test('a door that is shut for a minute is degraded, since Slack is; one that is refused is red, since only a person mends a token', () => {
  const door = { detail: 'slack: fetch failed', connections: 2 } as const;

  expect(stateOf('slack door', { door: { ...door, kind: 'connecting', since: ago(59) } })).toBe('ok, so ok');
  expect(stateOf('slack door', { door: { ...door, kind: 'connecting', since: ago(61) } })).toBe('degraded, so degraded');
  expect(stateOf('slack door', { door: { ...door, kind: 'refused', since: ago(1) } })).toBe('red, so red');
});

test('lines that wait are degraded after a minute, and red when the token was refused', () => {
  const line = { sink: 'issue', waiting: 3, error: 'github: unavailable' };

  expect(stateOf('issue', { backlog: [{ ...line, oldestAt: ago(30) }] })).toBe('ok, so ok');
  expect(stateOf('issue', { backlog: [{ ...line, oldestAt: ago(90) }] })).toBe('degraded, so degraded');
  expect(stateOf('issue', { backlog: [{ ...line, oldestAt: ago(1), error: 'github: Bad credentials' }] })).toBe('red, so red');
  expect(stateOf('thread', { backlog: [{ ...line, sink: 'thread', oldestAt: ago(1), error: 'slack: token_revoked' }] })).toBe(
    'red, so red',
  );
});

test('what was wrong in the workspace at the start stays red; what did not answer is named', () => {
  const finding = { side: 'github', about: 'issue writable', detail: 'it is locked' } as const;

  expect(stateOf('workspace at start', { workspace: [{ ...finding, kind: 'wrong' }] })).toBe('red, so red');
  expect(readHealth(vitals({ workspace: [{ ...finding, kind: 'unknown' }] })).parts.at(-1)?.detail).toBe(
    'not answered: github issue writable',
  );
});

test('the address answers 503 only when red, and gives Prometheus its figures', async () => {
  let now = vitals({ backlog: [{ sink: 'thread', waiting: 2, oldestAt: ago(90), error: null }] });
  const metrics = new Metrics(() => ({ vitals: now, health: readHealth(now), open: [{ protocol: 'hero', state: 'trial' }] }));
  metrics.recorded('trial');
  metrics.read('pods', 'unknown');
  metrics.faulted();
  const server = new HealthServer({
    report: () => readHealth(now),
    metrics: async () => ({ text: await metrics.text(), contentType: metrics.contentType }),
  });
  const url = `http://127.0.0.1:${await server.listen(0)}`;

  const degraded = await fetch(`${url}/healthz`);
  const figures = await (await fetch(`${url}/metrics`)).text();
  now = vitals({ tickedAt: null });
  const red = await fetch(`${url}/healthz`);
  const posted = await fetch(`${url}/healthz`, { method: 'POST' });
  await server.close();

  expect([degraded.status, red.status, posted.status]).toEqual([200, 503, 405]);
  expect(await degraded.json()).toMatchObject({ status: 'degraded' });
  expect(figures.split('\n')).toEqual(
    expect.arrayContaining([
      'harbor_operations_open{protocol="hero",state="trial"} 1',
      'harbor_outbox_waiting{sink="thread"} 2',
      'harbor_outbox_oldest_seconds{sink="thread"} 90',
      'harbor_monitor_tick_age_seconds 4',
      'harbor_slack_open 1',
      'harbor_transitions_total{to_state="trial"} 1',
      'harbor_readings_total{verb="pods",kind="unknown"} 1',
      'harbor_faults_total 1',
      'harbor_health{part="thread"} 1',
    ]),
  );
});
