import type { Log, Span } from '../gate/absent.js';
import type { Marker } from '../outside.js';
import type { Reading } from '../reading.js';

/** What a gate may agree to be absent, and the marker that would show it. `restarts` is read from the attempts. */
const MARKERS: Readonly<Record<string, Marker['kind']>> = {
  watchdog: 'watchdog',
  JaxRuntimeError: 'runtime_error',
  non_finite: 'non_finite',
  fatal: 'fatal',
};

/** Names that an `absent` line of a hero gate may use. */
export const ABSENT_NAMES: readonly string[] = ['restarts', ...Object.keys(MARKERS)];

/**
 * The candidate's log as the judge wants it: from the launch to the reading, one look. It proves reading only where
 * the line is there that every start writes; a log in which even that is missing proves no absence.
 */
export function logOf(
  name: string,
  markers: Reading<readonly Marker[]> | undefined,
  launched: Date,
  restartsAtMs: readonly number[],
): Log | null {
  if (markers?.kind !== 'known') return null;
  const kind = MARKERS[name];
  if (kind === undefined && name !== 'restarts') return null;
  const heartbeats = markers.value.filter((marker) => marker.kind === 'restore_began').length;
  const hitsMs = kind === undefined ? restartsAtMs : markers.value.filter((marker) => marker.kind === kind).map(({ atMs }) => atMs);
  return { probes: [{ ...spanOf(markers, launched), ok: true, heartbeats }], hits: hitsMs.map((ms) => ms / 1000) };
}

/** Seconds since 1970, as the judge counts them. */
export function spanOf(markers: Reading<unknown>, launched: Date): Span {
  return { from: launched.getTime() / 1000, to: markers.readAt.getTime() / 1000 };
}
