import { randomUUID } from 'node:crypto';
import { closeSync, createWriteStream, fstatSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** What is kept of a child's two streams, within a limit. */
export interface Capture {
  readonly stdio: { readonly stdout: 'pipe' | Writable; readonly stderr: 'pipe' | Writable };
  attach(stdout: Readable | null, stderr: Readable | null): void;
  /** Stops listening, whoever still holds the other end. */
  detach(): void;
  onOverflow(listener: () => void): void;
  overflowed(): boolean;
  /** What was kept; ends the capture. */
  take(): { readonly stdout: Buffer; readonly stderr: Buffer; readonly droppedBytes: number };
}

/** For a read: pipes, and a listener that hears of the first byte too many. */
export function captureInMemory(bytesMax: number): Capture {
  const kept = { stdout: new KeptStart(bytesMax), stderr: new KeptStart(bytesMax) };
  let streams: readonly Readable[] = [];
  let overflow = (): void => undefined;

  const follow = (stream: Readable | null, into: KeptStart): readonly Readable[] => {
    stream?.on('data', (chunk: Buffer | string) => {
      if (!into.add(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk))) overflow();
    });
    // A pipe that breaks ends the child's output; how the child ended is told by the child.
    stream?.on('error', () => undefined);
    return stream === null ? [] : [stream];
  };

  return {
    stdio: { stdout: 'pipe', stderr: 'pipe' },
    attach: (stdout, stderr) => {
      streams = [...follow(stdout, kept.stdout), ...follow(stderr, kept.stderr)];
    },
    detach: () => {
      for (const stream of streams) stream.destroy();
    },
    onOverflow: (listener) => {
      overflow = listener;
    },
    overflowed: () => kept.stdout.droppedBytes + kept.stderr.droppedBytes > 0,
    take: () => ({
      stdout: kept.stdout.bytes(),
      stderr: kept.stderr.bytes(),
      droppedBytes: kept.stdout.droppedBytes + kept.stderr.droppedBytes,
    }),
  };
}

/**
 * For an act: two files that have no name any more. A pipe would break when we die, and kill an act in the middle; a
 * named file would keep secrets that nobody scrubbed. Throws if no file can be made.
 */
export function captureInFile(bytesMax: number): Capture {
  const stdout = openNameless();
  const stderr = openNameless();
  let taken = false;
  return {
    // A stream over a file is handed down as the file itself: nothing is ever written through it here.
    stdio: { stdout: overFile(stdout), stderr: overFile(stderr) },
    attach: () => undefined,
    detach: () => undefined,
    onOverflow: () => undefined,
    overflowed: () => fstatSync(stdout).size > bytesMax || fstatSync(stderr).size > bytesMax,
    take: () => {
      if (taken) return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), droppedBytes: 0 };
      taken = true;
      const out = readEnds(stdout, bytesMax);
      const err = readEnds(stderr, bytesMax);
      closeSync(stdout);
      closeSync(stderr);
      return { stdout: out.bytes, stderr: err.bytes, droppedBytes: out.droppedBytes + err.droppedBytes };
    },
  };
}

class KeptStart {
  droppedBytes = 0;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  readonly #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether all of it fitted. */
  add(chunk: Buffer): boolean {
    const room = this.#bytesMax - this.#size;
    const part = chunk.length <= room ? chunk : chunk.subarray(0, room);
    this.#chunks.push(part);
    this.#size += part.length;
    this.droppedBytes += chunk.length - part.length;
    return part.length === chunk.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

function openNameless(): number {
  const path = join(tmpdir(), `harbor-act-${randomUUID()}`);
  const file = openSync(path, 'ax+', 0o600);
  unlinkSync(path);
  return file;
}

function overFile(file: number): Writable {
  return createWriteStream('', { fd: file, autoClose: false });
}

// The end matters most (the job id is the last line), the start says what was tried: the middle goes.
function readEnds(file: number, bytesMax: number): { readonly bytes: Buffer; readonly droppedBytes: number } {
  const { size } = fstatSync(file);
  if (size <= bytesMax) return { bytes: readAt(file, 0, size), droppedBytes: 0 };
  const half = Math.floor(bytesMax / 2);
  const bytes = Buffer.concat([readAt(file, 0, half), Buffer.from('\n'), readAt(file, size - half, half)]);
  return { bytes, droppedBytes: size - 2 * half };
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const count = readSync(file, bytes, 0, length, position);
  return bytes.subarray(0, count);
}
