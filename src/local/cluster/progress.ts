import type { MetricBatch } from './telemetry.js';

export type RunPhase = 'queued' | 'initialising' | 'restoring' | 'compiling' | 'training' | 'ended';

/** What is known of a gang right now. */
export interface Progress {
  readonly attempt: number;
  readonly phase: RunPhase;
  readonly step: number | null;
  readonly secondsPerStep: number | null;
  readonly pid: number | null;
}

/** Progress after a row of metrics: a row with a step says that the gang trains. */
export function afterMetrics(progress: Progress, batch: MetricBatch): Progress {
  if (batch.step === null) return progress;
  const seconds = batch.rows.find((row) => row.name === 'progress_time_seconds')?.value;
  return {
    ...progress,
    phase: 'training',
    step: batch.step,
    secondsPerStep: typeof seconds === 'number' ? seconds : progress.secondsPerStep,
  };
}

/** Progress after a log line: the start-up phases are told by the log alone. */
export function afterLine(progress: Progress, line: string): Progress {
  if (line.includes('Loading checkpoint from')) return { ...progress, phase: 'restoring' };
  if (line.includes('Compiling')) return { ...progress, phase: 'compiling' };
  return progress;
}
