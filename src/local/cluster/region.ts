import type { Jobs } from './jobs.js';
import type { Ledger } from './ledger.js';
import type { Nodes } from './nodes.js';
import type { Pods } from './pods.js';
import type { Submissions } from './submissions.js';
import type { Switches } from './switches.js';
import type { Telemetry } from './telemetry.js';

/** What the scheduler and its coordinators work with. */
export interface Region {
  readonly jobs: Jobs;
  readonly submissions: Submissions;
  readonly pods: Pods;
  readonly telemetry: Telemetry;
  readonly ledger: Ledger;
  readonly switches: Switches;
  readonly nodes: Nodes;
  /** Folder of the object store. */
  readonly store: string;
  readonly gangTasks: number;
  /** Factor on every duration. */
  readonly pace: number;
}
