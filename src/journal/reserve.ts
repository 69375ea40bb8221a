import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ReserveOptions {
  readonly folder: string;
  /** Bytes free on the folder's disk; tests say what they like. */
  readonly freeBytes?: (folder: string) => number;
  /** Below this, in bytes, nothing new is begun. */
  readonly leastBytes?: number;
  /** Bytes held back, and given up when the disk is low: for what must still be recorded and told. */
  readonly reserveBytes?: number;
}

const LEAST_BYTES = 64e6;
const RESERVE_BYTES = 16e6;

/**
 * Room on the journal's disk that is held back while there is plenty and given up when there is little, so that a full
 * disk stops what would begin and not what must end: a rollback, and telling of it.
 */
export class Reserve {
  private readonly file: string;
  private readonly free: () => number;
  private readonly least: number;
  private readonly size: number;

  constructor({ folder, freeBytes = freeBytesOf, leastBytes = LEAST_BYTES, reserveBytes = RESERVE_BYTES }: ReserveOptions) {
    this.file = join(folder, 'reserve');
    this.free = () => freeBytes(folder);
    this.least = leastBytes;
    this.size = reserveBytes;
  }

  /** Bytes left when that is too few to begin anything; null while there is room. A disk that cannot be read has none. */
  shortage(): number | null {
    const free = this.read();
    if (free < this.least) {
      rmSync(this.file, { force: true });
      return free;
    }
    if (!existsSync(this.file) && free > this.least + 2 * this.size) this.fill();
    return null;
  }

  private read(): number {
    try {
      return this.free();
    } catch {
      return 0;
    }
  }

  /** Real blocks, not a hole: zeros could be stored as nothing. */
  private fill(): void {
    try {
      writeFileSync(this.file, Buffer.alloc(this.size, 0x68));
    } catch {
      rmSync(this.file, { force: true }); // no room to hold back: the next look says so
    }
  }
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
