import type { Middleware, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { puttingOnFile } from '../src/render/hero/plan-form.js';
import { saying } from '../src/render/views.js';
import { type AtOnce, arrivalOf } from '../src/slack/ingress.js';
import type { HeroDesk } from './hero-deploy.js';
import { checkSubmitted, PLAN_CALLBACK, showAtOnce, submitPlan } from './plan-form.js';
import type { Submitted } from './submitted.js';

/** A form that was filled in: what is wrong was said beside its fields already; the rest is read, and put on file. */
export function forms(desk: HeroDesk): Middleware<SlackViewMiddlewareArgs<ViewSubmitAction>> {
  return async ({ view, body, context }) => submitPlan(desk, submittedIn(view), body.user.id, arrivalOf(context));
}

/** What the door does within Slack's three seconds. */
export function formsAtOnce(desk: HeroDesk): AtOnce {
  const { client } = desk;
  return {
    shows: (trigger) => showAtOnce(client, trigger),
    answers: (view) => {
      const errors = view.callback_id === PLAN_CALLBACK ? checkSubmitted(desk, submittedIn(view)) : null;
      if (errors !== null) return { ack: { response_action: 'errors', errors }, goesOn: false };
      const wait = saying(view.title.text, [puttingOnFile()]);
      return { ack: { response_action: 'update', view: wait }, goesOn: true };
    },
    tells: async (viewId, lines) => {
      await client.views.update({ view_id: viewId, view: saying('Not taken', lines) });
    },
  };
}

function submittedIn(view: ViewSubmitAction['view']): Submitted {
  const values = Object.entries(view.state.values).map(([block, inputs]) => [block, Object.values(inputs)[0]?.value ?? ''] as const);
  return { viewId: view.id, metadata: view.private_metadata, values: new Map(values) };
}
