/** What ends an operation from a state, once it has rested there long enough to have gone on by itself. */
export function wayToAnEnd(state: string, sinceMs: number): string | null {
  if (sinceMs < 30_000) return null;
  switch (state) {
    case 'planned':
    case 'agreed':
    case 'blocked':
    case 'preflighting':
    case 'ready':
    case 'awaiting_launch':
      return 'cancel';
    case 'nothing_running':
    case 'awaiting_anchor':
      return 'leave-down';
    case 'awaiting_decision':
      return sinceMs < 60_000 ? 'go' : 'rollback';
    case 'awaiting_rollback':
      return 'rollback';
    case 'held':
      return sinceMs < 150_000 ? null : 'abandon';
    case 'watching':
      return sinceMs < 300_000 ? null : 'rollback';
    case 'replaying':
      return sinceMs < 300_000 ? null : 'close-unverified';
    default:
      return null;
  }
}
