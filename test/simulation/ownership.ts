import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnedError, takeOwnership } from '../../src/journal/owner.js';

/** The lock on the data folder, on a real disk: what keeps a second bot from starting beside the first. */
export class Ownership {
  private readonly folder = mkdtempSync(join(tmpdir(), 'harbor-simulated-'));
  private held: { release(ended: boolean): void } | null = null;

  constructor(private readonly broken: boolean) {}

  /** Whether a bot may start now. */
  take(): boolean {
    if (this.broken) return true;
    try {
      this.held = takeOwnership(this.folder, new Date(0));
      return true;
    } catch (fault) {
      if (fault instanceof OwnedError) return false;
      throw fault;
    }
  }

  /** As the system does when a process dies. */
  release(): void {
    this.held?.release(false);
    this.held = null;
  }

  end(): void {
    this.release();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
