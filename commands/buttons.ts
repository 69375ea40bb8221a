import type { BlockAction, ButtonAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import { parseButtonValue } from '../src/render/message.js';
import { mrkdwn } from '../src/render/mrkdwn.js';
import { arrivalOf } from '../src/slack/ingress.js';
import { type HeroDesk, replyTo } from './hero-deploy.js';

/** What each button offers. A button of another protocol brings its own events. */
const EVENTS: Readonly<Record<string, string>> = {
  agree: 'plan_agreed',
  preflight: 'preflight_asked',
  approve: 'launch_approved',
  reject: 'launch_rejected',
  cancel: 'cancel_asked',
  abort: 'abort_asked',
  go: 'go_approved',
  no_go: 'no_go',
  rollback: 'rollback_asked',
  recheck: 'recheck_asked',
  launch_again: 'launch_again',
  leave_down: 'leave_down',
  abandon: 'abandon',
  confirm_anchor: 'anchor_confirmed',
  close_unverified: 'close_unverified',
};

/** A click offers the event of its button, for the state and the plan it was drawn for. A taken click needs no answer: the thread tells. */
export function buttons(desk: HeroDesk): Middleware<SlackActionMiddlewareArgs<BlockAction<ButtonAction>>> {
  return async ({ action, body, context, respond }) => {
    const answer = async (text: string) => void (await respond({ response_type: 'ephemeral', replace_original: false, text }));
    const value = parseButtonValue(action.value ?? '');
    const on = value === null ? undefined : EVENTS[value.action];
    if (value === null || on === undefined) return answer('That button is not one of mine. Nothing was done.');
    if (desk.engine.journal.operation(value.operationId)?.channel !== body.channel?.id) {
      return answer('That button belongs to an operation of another channel. Nothing was done.');
    }
    const { requestKey, askedAt } = arrivalOf(context);
    const outcome = desk.engine.request({
      operationId: value.operationId,
      on,
      by: body.user.id,
      requestKey,
      askedAt,
      drawnFor: value.seq,
      drawnForPlan: value.hash8,
    });
    if (outcome.kind !== 'advanced') return answer(replyTo(outcome, value.operationId).map(mrkdwn).join('\n'));
  };
}
