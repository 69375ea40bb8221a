import { z } from 'zod';

/** What can be made to go wrong. All are off at the start. */
export const SwitchName = z.enum([
  'main_moved',
  'deploy_worktree_dirty',
  'rollback_worktree_dirty',
  'launch_record_placeholder',
  'checkpoint_incomplete',
  'tree_not_empty',
  'foreign_coordinator',
  'tracker_child_foreign',
  'launch_user_other',
  'tracker_project_other',
  'control_stands_still',
  'node_down',
  'node_disk_full',
  'pods_unseen',
  'old_command_line',
  'no_credentials',
  'gh_logged_out',
  'scheduler_down',
  'telemetry_down',
  'kubernetes_down',
  'objectstore_down',
  'tracker_down',
  'slow_replies',
  'cancel_not_taken',
  'pods_stuck',
  'submit_fails_after_acceptance',
  'submit_prints_nothing',
  'submit_refused',
  'submit_twice',
  'unlisted_state',
  'hide_restored_marker',
  'ferry_crashes',
  'ferry_metrics_missing',
  'ferry_reuses_output',
  'telemetry_clock_behind',
]);
export type SwitchName = z.infer<typeof SwitchName>;

/** Which switches are on. They are of the process, not of the file: a cluster that starts again is a well one. */
export class Switches {
  readonly #on = new Set<SwitchName>();
  readonly #waiting = new Set<() => void>();

  isOn(name: SwitchName): boolean {
    return this.#on.has(name);
  }

  set(name: SwitchName, on: boolean): void {
    if (on) this.#on.add(name);
    else this.#on.delete(name);
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when the switch is off, or when the signal is aborted. */
  async whenOff(name: SwitchName, signal: AbortSignal): Promise<void> {
    while (this.isOn(name) && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
    }
  }

  all(): Readonly<Record<SwitchName, boolean>> {
    return Object.fromEntries(SwitchName.options.map((name) => [name, this.isOn(name)])) as Record<SwitchName, boolean>;
  }
}
