import type { BlockAction, ButtonAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { JsonObject } from '../src/protocol/table.js';
import { buttonOfAnotherChannel, formFault, notMyButton, notOnFileHere } from '../src/render/answers.js';
import { answerText } from '../src/render/blocks.js';
import { formOffer } from '../src/render/hero/plan-form.js';
import { type ButtonValue, parseButtonValue } from '../src/render/message.js';
import type { Text } from '../src/render/text.js';
import { saying } from '../src/render/views.js';
import { arrivalOf } from '../src/slack/ingress.js';
import { formValue, type HeroDesk, recordOf, replyTo } from './hero-deploy.js';
import { fillForm, type Wanted, wantedByButton } from './plan-form.js';
import { rehearse } from './rehearse.js';

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
  take: 'taken',
  adopt: 'adopt',
  declare_gone: 'declare_gone',
  called_off: 'called_off',
};

/** A click offers the event of its button, for the state and the plan it was drawn for. A taken click needs no answer: the thread tells. */
export function buttons(desk: HeroDesk): Middleware<SlackActionMiddlewareArgs<BlockAction<ButtonAction>>> {
  return async ({ action, body, context, respond }) => {
    const openForm = async (wanted: Wanted, channel: string): Promise<void> => {
      const arrival = arrivalOf(context);
      await arrival.decided();
      const { viewId, fault } = (await arrival.shown?.opened) ?? { viewId: null, fault: 'no trigger' };
      if (viewId !== null) return fillForm(desk, wanted, channel, viewId);
      await respond({ response_type: 'ephemeral', replace_original: false, ...formOffer(formValue(wanted), fault) });
    };
    const showEvidence = async ({ operationId, seq }: ButtonValue): Promise<void> => {
      const arrival = arrivalOf(context);
      await arrival.decided();
      const { viewId, fault } = (await arrival.shown?.opened) ?? { viewId: null, fault: 'no trigger' };
      const known = desk.engine.journal.operation(operationId);
      const lines =
        known !== undefined && known.channel === body.channel?.id && seq <= known.seq ? desk.evidence(operationId, seq) : [notOnFileHere()];
      if (viewId !== null) {
        await desk.client.views.update({ view_id: viewId, view: saying(`${operationId}, row ${seq}`, lines) });
        return;
      }
      await respond({
        response_type: 'ephemeral',
        replace_original: false,
        text: answerText([formFault(fault), ...lines]),
      });
    };
    const answer = async (text: readonly Text[]): Promise<void> => {
      await arrivalOf(context).decided();
      await respond({ response_type: 'ephemeral', replace_original: false, text: answerText(text) });
    };
    const wanted = wantedByButton(action.value ?? '');
    if (wanted !== null) return openForm(wanted, body.channel?.id ?? desk.fleet.slack.channel);
    const value = parseButtonValue(action.value ?? '');
    if (value === null) return answer([notMyButton()]);
    if (value.action === 'evidence') return showEvidence(value);
    const view = desk.engine.view(value.operationId);
    const on = value.action === 'retry_cancel' ? retryOf(view?.origin ?? null) : eventOf(value.action);
    if (value.action !== 'hand' && value.action !== 'rehearse' && on === undefined) return answer([notMyButton()]);
    if (desk.engine.journal.operation(value.operationId)?.channel !== body.channel?.id) {
      return answer([buttonOfAnotherChannel()]);
    }
    const { requestKey, askedAt, standing, note } = arrivalOf(context);
    if (value.action === 'rehearse') {
      return answer(await rehearse(desk, value.operationId, { by: body.user.id, requestKey, askedAt, standing }));
    }
    if (on === undefined) return answer(desk.hand(value.operationId));
    const outcome = desk.engine.request({
      operationId: value.operationId,
      on,
      by: body.user.id,
      requestKey,
      askedAt,
      standing,
      drawnFor: value.seq,
      drawnForPlan: value.hash8,
      details: detailsOf(value),
    });
    note(recordOf(outcome));
    const reply = outcome.kind !== 'advanced' ? replyTo(outcome, value.operationId) : on === 'taken' ? desk.brief(value.operationId) : [];
    if (reply.length > 0) return answer(reply);
  };
}

function eventOf(action: string): string | undefined {
  return Object.hasOwn(EVENTS, action) ? EVENTS[action] : undefined;
}

/** The cancel that is tried again is the one that was held. */
function retryOf(origin: string | null): string {
  return origin === 'stopping_new' ? 'retry_cancel_new' : 'retry_cancel_old';
}

/** The exact id that the button's confirm named. */
function detailsOf({ action, argument }: ButtonValue): JsonObject {
  if (argument === null) return {};
  return action === 'adopt' ? { jobId: argument } : { pods: argument === 'none' ? '' : argument };
}
