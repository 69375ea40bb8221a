import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OpsError } from '../errors.js';
import { createShell } from './shell.js';
import { endingInWords } from './transcript.js';

/** A picture was not drawn. Nothing was sent anywhere. */
export class DrawingError extends OpsError {
  readonly code = 'drawing';
}

const TIMEOUT_MS = 30_000;
const KILL_DELAY_MS = 2_000;
const PNG_BYTES_MAX = 4 * 1024 * 1024;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/**
 * The drawing program beside this file's own place in `dist`: the libraries that draw are loaded there and nowhere else,
 * so that what they take is given back when it ends. From the sources it is the built one, too.
 */
const SCRIPT = fileURLToPath(new URL('../chart/main.js', import.meta.url)).replace(
  /\/src\/chart\/main\.js$/,
  (end, at: number, path: string) => (path.slice(0, at).endsWith('/dist') ? end : `/dist${end}`),
);

/** Draws a figure in a process that lives for one picture. Throws DrawingError. */
export async function drawPicture(figure: unknown): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'harbor-chart-'));
  try {
    const file = join(folder, 'figure.json');
    writeFileSync(file, JSON.stringify(figure));
    const { ending, stdout } = await createShell().read({
      argv: [process.execPath, SCRIPT, file],
      env: {},
      timeoutMs: TIMEOUT_MS,
      killDelayMs: KILL_DELAY_MS,
      outputBytesMax: PNG_BYTES_MAX,
    });
    if (ending.kind !== 'ok') throw new DrawingError(`draw a chart: ${endingInWords(ending)}`);
    if (!stdout.subarray(0, PNG.length).equals(PNG)) throw new DrawingError(`draw a chart: ${stdout.length} bytes that are no PNG`);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
