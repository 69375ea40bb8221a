import { OpsError } from '../../errors.js';

/** The desk was asked for what nobody could do in Slack: click a button that is not drawn, submit a closed modal. */
export class DeskError extends OpsError {
  readonly code = 'desk';
}
