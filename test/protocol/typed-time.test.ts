import { expect, test } from 'vitest';
import { readEndOfDay, readTimeOfDay } from '../../src/protocol/typed-time.js';

const BERLIN = { zone: 'Europe/Berlin', own: true };

function typed(clock: string, from: string, zone = BERLIN): string {
  const time = readTimeOfDay(clock, zone, new Date(from));
  return time.kind === 'instant' ? time.at.toISOString().slice(0, 16) : time.message;
}

test.each([
  ['17:30', '2026-07-01T12:00:00Z', '2026-07-01T15:30'],
  ['17:30', '2026-12-01T20:00:00Z', '2026-12-02T16:30'],
  ['13:00', '2026-12-01T12:00:00Z', '2026-12-02T12:00'], // this very minute is over
  ['00:10', '2026-12-31T22:30:00Z', '2026-12-31T23:10'],
  ['11:59', '2026-10-24T10:00:00Z', '2026-10-25T10:59'], // a day of 25 hours
  ['03:00', '2026-03-28T23:30:00Z', '2026-03-29T01:00'], // the first minute after the skipped hour
  ['03:00', '2026-10-24T23:30:00Z', '2026-10-25T02:00'], // the first minute after the doubled one
  ['02:30', '2026-03-29T10:00:00Z', '2026-03-30T00:30'], // the hour was skipped this morning, tomorrow it exists
  ['02:30', '2026-10-25T10:00:00Z', '2026-10-26T01:30'],
  ['02:30Z', '2026-10-24T20:00:00Z', '2026-10-25T02:30'],
])('F99: %s typed in Berlin at %s is %sZ', (clock, from, at) => {
  expect(typed(clock, from)).toBe(at);
});

test.each([
  ['02:30', '2026-03-28T20:00:00Z', '02:30 on 2026-03-29 in Europe/Berlin does not exist'],
  ['02:00', '2026-03-29T00:30:00Z', '02:00 on 2026-03-29 in Europe/Berlin does not exist'],
  ['02:30', '2026-10-24T20:00:00Z', '02:30 on 2026-10-25 in Europe/Berlin is there twice'],
  ['02:00', '2026-10-24T20:00:00Z', '00:00Z or 01:00Z'],
  ['02:30', '2026-10-25T00:45:00Z', 'is there twice'], // between the two of them
  ['25:00', '2026-07-01T12:00:00Z', 'is not a time of day'],
  ['5pm', '2026-07-01T12:00:00Z', 'is not a time of day'],
])('F99: %s typed in Berlin at %s is refused: %s', (clock, from, words) => {
  expect(typed(clock, from)).toContain(words);
});

test('F99: clocks that change by half an hour, and at midnight, are refused in the same way', () => {
  expect(typed('01:45', '2026-04-04T10:00:00Z', { zone: 'Australia/Lord_Howe', own: true })).toContain('is there twice');
  expect(typed('02:15', '2026-10-03T10:00:00Z', { zone: 'Australia/Lord_Howe', own: true })).toContain('does not exist');
  expect(typed('00:30', '2026-09-05T12:00:00Z', { zone: 'America/Santiago', own: true })).toContain('does not exist');
});

test('F99: a time is read back with its date and zone, and a zone that is a guess says so', () => {
  const at = new Date('2026-12-01T20:00:00Z');

  expect(readTimeOfDay('17:30', BERLIN, at)).toMatchObject({ readBack: '2026-12-02 17:30 Europe/Berlin, which is 2026-12-02 16:30Z' });
  expect(readTimeOfDay('17:30', { zone: 'UTC', own: false }, at)).toMatchObject({
    readBack: '2026-12-02 17:30 UTC (your own zone could not be read)',
  });
});

test('F99: a day ends as it ends where it was typed, and a day that no calendar has is refused', () => {
  expect(readEndOfDay('2026-12-05', { zone: 'America/Los_Angeles', own: true })).toMatchObject({ at: new Date('2026-12-06T07:59:00Z') });
  expect(readEndOfDay('2026-02-30', BERLIN)).toMatchObject({ kind: 'fault' });
  expect(readEndOfDay('tomorrow', BERLIN)).toMatchObject({ kind: 'fault' });
});
