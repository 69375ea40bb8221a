import type { Logger, LogLevel } from '@slack/bolt';
import type { Logger as Pino } from 'pino';

/** Bolt's log lines as lines of our own log, warnings and worse only: never payloads. */
export function boltLogger(log: Pino): Logger {
  const join = (parts: readonly unknown[]): string =>
    parts
      .map((part) => (part instanceof Error ? part.message : `${part}`))
      .join(' ')
      .slice(0, 500);
  return {
    debug: () => {},
    info: () => {},
    warn: (...parts) => log.warn({ from: 'bolt' }, join(parts)),
    error: (...parts) => log.error({ from: 'bolt' }, join(parts)),
    setLevel: () => {},
    getLevel: () => 'warn' as LogLevel,
    setName: () => {},
  };
}
