import type { HealthReport } from './health/health.js';
import { readNote } from './health/note.js';

const ASK_MS = 2_000;

/** How the running bot of a data folder does, as lines; that it does not run, or does not answer, is a line too. */
export async function healthLines(folder: string): Promise<string> {
  const note = readNote(folder);
  if (note === null) return 'the bot is not running here\n';
  try {
    const response = await fetch(`http://127.0.0.1:${note.port}/healthz`, { signal: AbortSignal.timeout(ASK_MS) });
    const report: HealthReport = JSON.parse(await response.text());
    if (report.pid !== note.pid) return 'the bot is not running here\n';
    const parts = report.parts.map(({ name, state, detail }) => `  ${state.padEnd(8)}  ${name}: ${detail}\n`);
    return `bot ${report.pid}: ${report.status}, since ${report.startedAt}\n${parts.join('')}`;
  } catch {
    return `the bot does not answer on 127.0.0.1:${note.port}: it was killed, or hangs (process ${note.pid})\n`;
  }
}
