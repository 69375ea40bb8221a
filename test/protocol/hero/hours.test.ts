import { expect, test } from 'vitest';
import { closesAt, landsInHours, timeOfDay } from '../../../src/protocol/hero/hours.js';

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const berlin = (from: string, until: string, on = days) => ({ zone: 'Europe/Berlin', from, until, days: on });
const iso = (closing: ReturnType<typeof closesAt>): string | null =>
  closing instanceof Date ? closing.toISOString().slice(0, 16) : closing;

test('F98: hours end when the clocks of their zone say so, on the days on which they are changed too', () => {
  // 2026-03-29: 02:00 becomes 03:00. 2026-10-25: 03:00 becomes 02:00.
  expect(iso(closesAt(berlin('00:00', '18:00'), new Date('2026-03-28T22:30:00Z')))).toBeNull();
  expect(iso(closesAt(berlin('00:00', '18:00'), new Date('2026-03-28T23:30:00Z')))).toBe('2026-03-29T16:00');
  expect(iso(closesAt(berlin('00:00', '18:00'), new Date('2026-10-24T22:30:00Z')))).toBe('2026-10-25T17:00');
  expect(iso(closesAt(berlin('09:00', '18:00'), new Date('2026-11-30T12:00:00Z')))).toBe('2026-11-30T17:00');
});

test('F98: an end that the clocks skip is where they skip it, and one that they show twice is the first', () => {
  expect(iso(closesAt(berlin('00:00', '02:30'), new Date('2026-03-29T00:30:00Z')))).toBe('2026-03-29T01:00');
  expect(iso(closesAt(berlin('00:00', '02:30'), new Date('2026-10-25T00:10:00Z')))).toBe('2026-10-25T00:30');
  // 02:10 for the second time: the hours were over at the first 02:30.
  expect(closesAt(berlin('00:00', '02:30'), new Date('2026-10-25T01:10:00Z'))).toBeNull();
});

test('F98: a round trip over a change of the clocks is counted in seconds that pass, not in hours that are shown', () => {
  const hours = berlin('00:00', '04:00');
  // From 01:00 to 04:00 by the clocks: two hours in spring, four in autumn.
  expect(landsInHours(hours, new Date('2026-03-29T00:00:00Z'), 2 * 3_600)).toBe(true);
  expect(landsInHours(hours, new Date('2026-03-29T00:00:00Z'), 2 * 3_600 + 1)).toBe(false);
  expect(landsInHours(hours, new Date('2026-10-24T23:00:00Z'), 4 * 3_600)).toBe(true);
  expect(landsInHours(hours, new Date('2026-10-24T23:00:00Z'), 4 * 3_600 + 1)).toBe(false);
});

test('days without a break are one stretch, and a week of them never ends', () => {
  const weekdays = berlin('00:00', '24:00', ['mon', 'tue', 'wed', 'thu', 'fri']);

  expect(iso(closesAt(weekdays, new Date('2026-12-02T10:00:00Z')))).toBe('2026-12-04T23:00');
  expect(closesAt(weekdays, new Date('2026-12-05T10:00:00Z'))).toBeNull();
  expect(closesAt(berlin('00:00', '24:00'), new Date('2026-12-05T10:00:00Z'))).toBe('never');
});

test('before the hours, after them, and at their last minute nothing is open', () => {
  const hours = berlin('09:00', '18:00', ['mon']);

  expect(closesAt(hours, new Date('2026-11-30T07:59:59Z'))).toBeNull();
  expect(closesAt(hours, new Date('2026-11-30T17:00:00Z'))).toBeNull();
  expect(closesAt(hours, new Date('2026-12-01T12:00:00Z'))).toBeNull();
  expect(landsInHours(hours, new Date('2026-11-30T08:00:00Z'), 9 * 3_600)).toBe(true);
});

test('an instant is said as the clocks of the zone show it', () => {
  expect(timeOfDay(new Date('2026-07-01T13:49:00Z'), 'Europe/Berlin')).toBe('15:49 Europe/Berlin');
  expect(timeOfDay(new Date('2026-12-01T23:05:00Z'), 'America/Los_Angeles')).toBe('15:05 America/Los_Angeles');
});
