import { z } from 'zod';
import type { ObjectStore } from './object-store.js';

/** Version component of every checkpoint path of the simulated fleet. */
export const VERSION = '2026.08.19.2';

const Metadata = z.object({ step: z.number(), is_temporary: z.boolean() });

export interface CheckpointView {
  readonly step: number;
  readonly path: string;
  readonly complete: boolean;
  readonly permanent: boolean;
}

/** The permanent tree of a run. */
export function permanentTree(runId: string): string {
  return `s3://hero/grug/${runId}/${VERSION}/checkpoints`;
}

/** The temporary tree of a run. */
export function temporaryTree(runId: string): string {
  return `s3://hero-checkpoints/tmp/ttl=14d/checkpoints-temp/hero/marin/grug/${runId}/${VERSION}/checkpoints`;
}

/** Every `step-N` of both trees of a run, by step. */
export function checkpointsOf(store: ObjectStore, runId: string): readonly CheckpointView[] {
  const found = new Map<string, CheckpointView>();
  const kept = permanentTree(runId);
  for (const tree of [kept, temporaryTree(runId)]) {
    for (const { key } of store.list(`${tree}/`)) {
      const step = /^step-(\d+)\//.exec(key.slice(tree.length + 1))?.[1];
      const path = `${tree}/step-${step}`;
      if (step === undefined || found.has(path)) continue;
      found.set(path, viewOf(store, path, Number(step), tree === kept));
    }
  }
  return [...found.values()].sort((a, b) => a.step - b.step);
}

/** The newest complete permanent checkpoint of a run, or null. */
export function newestPermanent(store: ObjectStore, runId: string): CheckpointView | null {
  return checkpointsOf(store, runId).findLast((checkpoint) => checkpoint.complete && checkpoint.permanent) ?? null;
}

function viewOf(store: ObjectStore, path: string, step: number, inPermanentTree: boolean): CheckpointView {
  const bytes = store.read(`${path}/metadata.json`);
  if (bytes === null) return { step, path, complete: false, permanent: inPermanentTree };
  return { step, path, complete: true, permanent: !Metadata.parse(JSON.parse(bytes.toString())).is_temporary };
}
