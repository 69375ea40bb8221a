import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Notes beside the journal where a running bot can be asked how it does; the answer takes the note away again. */
export function noteWhere(folder: string, port: number): () => void {
  const note = join(folder, 'health.json');
  writeFileSync(note, `${JSON.stringify({ pid: process.pid, port })}\n`);
  return () => rmSync(note, { force: true });
}

/** Where the bot of a data folder noted that it can be asked; null if none did. A killed bot leaves its note behind. */
export function readNote(folder: string): { readonly pid: number; readonly port: number } | null {
  try {
    const { pid, port } = JSON.parse(readFileSync(join(folder, 'health.json'), 'utf8'));
    return typeof pid === 'number' && typeof port === 'number' ? { pid, port } : null;
  } catch {
    return null; // no note is what a stopped bot leaves
  }
}
