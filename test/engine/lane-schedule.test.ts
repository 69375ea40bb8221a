import { expect, test } from 'vitest';
import { nextInstant } from '../../src/lanes.js';
import { mrkdwn } from '../../src/render/mrkdwn.js';
import { refusalText } from '../../src/render/refusal.js';
import { BYSTANDER, DECIDER, REQUESTER, startFerries } from '../support/ferry-engine.js';

const HOUR = 3600;
const DAY = 24 * HOUR;

function laneBody(changes: Record<string, string | number> = {}) {
  return {
    lane: 'canary-tpu',
    kind: 'canary',
    cron: '30 1 * * *',
    owner: REQUESTER,
    late: 'skip',
    lateSeconds: HOUR,
    overdueSeconds: 8 * HOUR,
    standingWaiverDays: 14,
    ...changes,
  };
}

/** A schedule made at an instant, in the bot's own record. */
function scheduled(at: string, changes: Record<string, string | number> = {}) {
  const bot = startFerries();
  bot.world.nowMs = Date.parse(at);
  bot.engine.plan({ protocol: 'lane', body: laneBody(changes), inferred: [], by: 'bot', channel: 'C1', requestKey: 'schedule' });
  const rows = (event: string) => bot.journal.history('lane-1').filter((row) => row.event === event);
  const instants = () =>
    bot.journal.history('lane-1').flatMap((row) => (row.event.startsWith('due_') ? [`${JSON.parse(row.details).instant}`] : []));
  /** What asks for a ferry has done so. */
  const settle = (): void => {
    const { pending } = bot.engine.view('lane-1')?.facts ?? {};
    if (typeof pending === 'string') {
      bot.engine.request({ operationId: 'lane-1', on: 'ferry_proposed', by: 'bot', requestKey: `answered:${pending}` });
    }
  };
  return { ...bot, rows, instants, settle };
}

/** Every day at the same time in UTC, from the first after an instant until another. */
function daily(from: string, until: string, hour: number, minute: number): readonly string[] {
  const all: string[] = [];
  for (let at = Date.parse(`${from.slice(0, 10)}T00:00:00Z`); at < Date.parse(until); at += DAY * 1000) {
    const instant = at + (hour * 60 + minute) * 60_000;
    if (instant > Date.parse(from) && instant <= Date.parse(until)) all.push(new Date(instant).toISOString());
  }
  return all;
}

test('F98: over a year, with downtime, overlaps and both clock-change nights, each due instant is handled once and none is lost', () => {
  const from = '2026-01-01T12:00:00.000Z';
  const until = '2027-01-01T12:00:00.000Z';
  const bot = scheduled(from);
  let state = 98;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };

  while (bot.world.nowMs < Date.parse(until)) {
    // Now and then the bot is down: for a quarter of an hour, or for days.
    const down = random() < 0.01 ? random() * 4 * DAY : random() < 0.1 ? 900 : 900 + random() * 4_500;
    bot.world.nowMs = Math.min(Date.parse(until), bot.world.nowMs + down * 1000);
    while (bot.journal.duesBefore(bot.world.now()).length > 0) bot.monitor.fireDues();
    bot.settle();
  }

  const wanted = daily(from, until, 1, 30);
  expect(bot.instants()).toEqual(wanted);
  expect(wanted).toContain('2026-03-29T01:30:00.000Z');
  expect(wanted).toContain('2026-10-25T01:30:00.000Z');
  const late = bot.rows('due_skipped').map((row) => `${JSON.parse(row.details).sentence}`);
  expect(late.length).toBeGreaterThan(3);
  for (const sentence of late)
    expect(sentence).toMatch(/^due 2026-\d\d-\d\dT01:30Z, late by .*: (skipped, as this lane does with late ones|the one of)/);
  expect(bot.rows('due_came').length + late.length).toBe(wanted.length);
});

test('F98: no clock change of any zone moves, skips or doubles an instant', () => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'UTC']) {
    const before = process.env.TZ;
    process.env.TZ = zone;
    try {
      for (const [cron, from, expected] of [
        ['30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T02:30:00.000Z', '2026-03-30T02:30:00.000Z']],
        ['30 1 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T01:30:00.000Z', '2026-10-26T01:30:00.000Z']],
        ['30 1 * * *', '2026-10-31T12:00:00Z', ['2026-11-01T01:30:00.000Z', '2026-11-02T01:30:00.000Z']],
      ] as const) {
        const first = nextInstant(cron, new Date(from));
        const second = first === null ? null : nextInstant(cron, first);
        expect([first?.toISOString(), second?.toISOString()]).toEqual(expected);
      }
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  }
});

test('F98: a process that was asleep over a due instant, and starts a minute after it, fires it once', () => {
  const bot = scheduled('2026-11-30T00:00:00Z');

  bot.world.nowMs = Date.parse('2026-11-30T01:31:00Z');
  bot.monitor.fireDues();
  bot.monitor.fireDues();

  expect(bot.instants()).toEqual(['2026-11-30T01:30:00.000Z']);
  expect(bot.rows('due_came')).toHaveLength(1);
});

test('a late instant fires where the lane says so, and says how late it is', () => {
  const bot = scheduled('2026-11-30T00:00:00Z', { late: 'fire' });

  bot.world.nowMs = Date.parse('2026-11-30T05:30:00Z');
  bot.monitor.fireDues();

  expect(bot.said('due_came_late', 'lane-1')).toBe('due 2026-11-30T01:30Z, late by 4 h');
});

test('F39: a lane without a good run is said to be overdue once, then once a day, and never when it is off', () => {
  const bot = scheduled('2026-11-28T09:00:00Z', { cron: '0 10 * * *', overdueSeconds: 2 * HOUR });
  bot.engine.request({
    operationId: 'lane-1',
    on: 'ferry_was_good',
    by: 'bot',
    requestKey: 'good',
    facts: { lastGood: '2026-11-28T12:00:00.000Z', lastGoodFerry: 'ferry-7' },
  });
  const watchFor = (hours: number): void => {
    for (let n = 0; n < hours * 12; n++) {
      bot.world.advance(300);
      bot.monitor.fireDues();
      bot.settle();
    }
  };

  watchFor(27.25); // until 12:15 the next day: due 10:00, nothing good since
  expect(bot.rows('overdue')).toHaveLength(1);
  expect(bot.said('overdue', 'lane-1')).toBe('overdue by 2 h: due 2026-11-29T10:00Z, last good 2026-11-28T12:00Z (ferry-7)');
  watchFor(48);
  expect(bot.rows('overdue')).toHaveLength(3);

  bot.ask(DECIDER, 'switched_off', { reason: 'cluster is being moved' }, 'lane-1');
  watchFor(72);
  expect(bot.rows('overdue')).toHaveLength(3);
  expect(bot.ask(BYSTANDER, 'switched_on', {}, 'lane-1').kind).toBe('refused');
});

test('a standing waiver has a person, a scope and an end: only the owner gives it, within the lane’s days, and anybody of the lane takes it back', () => {
  const bot = scheduled('2026-11-30T00:00:00Z');
  const waive = (by: string, until: string, reason = 'same canary every night') => bot.ask(by, 'waiver_given', { until, reason }, 'lane-1');

  expect(waive(DECIDER, '2026-12-05')).toMatchObject({ kind: 'refused', refusal: 'not_the_requester' });
  expect(waive(REQUESTER, '2027-12-05')).toMatchObject({ kind: 'refused', refusal: 'not_proven' });
  expect(waive(REQUESTER, '2026-11-29')).toMatchObject({ kind: 'refused', refusal: 'not_proven' });
  expect(waive(REQUESTER, '2026-12-05', '')).toMatchObject({ kind: 'refused', refusal: 'reason_missing' });
  expect(waive(REQUESTER, '2026-12-05').kind).toBe('advanced');
  expect(bot.engine.view('lane-1')?.facts.waiver).toMatchObject({ by: REQUESTER, until: '2026-12-05T23:59:59.000Z' });
  bot.ask(DECIDER, 'waiver_revoked', {}, 'lane-1');
  expect(bot.engine.view('lane-1')?.facts.waiver).toBeNull();
});

test('a refused standing waiver says whose it is to give and which date it lacks, and blames no reading', () => {
  const bot = scheduled('2026-11-30T00:00:00Z');
  const told = (by: string, until: string): string => {
    const answer = bot.ask(by, 'waiver_given', { until, reason: 'every night' }, 'lane-1');
    return answer.kind === 'refused' ? mrkdwn(refusalText('lane-1', answer.refusal, answer.details)) : answer.kind;
  };

  expect(told(DECIDER, '2026-12-05')).toBe(
    `Only <@${REQUESTER}>, the owner of that schedule, can give its standing waiver. Nothing was changed.`,
  );
  for (const until of ['2026-11-29', '2027-12-05', '']) {
    expect(told(REQUESTER, until)).toContain('it needs an end date until=YYYY-MM-DD within 14 days. Nothing was changed.');
    expect(told(REQUESTER, until)).not.toContain('readings');
  }
});

test('two schedules for one lane cannot be, and a person makes none', () => {
  const bot = scheduled('2026-11-30T00:00:00Z');
  const again = bot.engine.plan({ protocol: 'lane', body: laneBody(), inferred: [], by: 'bot', channel: 'C1', requestKey: 'again' });
  const mine = bot.engine.plan({
    protocol: 'lane',
    body: laneBody({ lane: 'daily' }),
    inferred: [],
    by: REQUESTER,
    channel: 'C1',
    requestKey: 'mine',
  });

  expect(again).toMatchObject({ kind: 'refused', refusal: 'subject_locked' });
  expect(mine.kind).toBe('refused');
  expect(bot.journal.operation('lane-2')).toBeUndefined();
});
