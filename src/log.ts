import { type DestinationStream, type Logger, pino } from 'pino';

/** The bot's own log, a line an event: what another system answers may stand in a fault, so no line keeps a secret. */
export function createLog(destination: DestinationStream, scrub: (text: string) => string): Logger {
  return pino({ hooks: { streamWrite: scrub } }, destination);
}
