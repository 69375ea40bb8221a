import type { App, BlockAction, ButtonAction, ViewSubmitAction } from '@slack/bolt';
import type { Door } from '../src/slack/ingress.js';
import { buttons } from './buttons.js';
import { forms } from './forms.js';
import { type HeroDesk, heroDeploy } from './hero-deploy.js';
import { PLAN_CALLBACK } from './plan-form.js';

/** Registers what a person can ask for. Everything goes through the door first, and nothing is left unanswered. */
export function register(app: App, door: Door, desk: HeroDesk): void {
  app.command('/hero-deploy', door.command, heroDeploy(desk));
  app.command('/ferry', async ({ ack }) => {
    await ack({ response_type: 'ephemeral', text: 'Ferries are not part of this build yet. Nothing was done.' });
  });
  app.command(/^\/(?!hero-deploy$|ferry$)/, async ({ ack, command }) => {
    await ack({ response_type: 'ephemeral', text: `${command.command} is not one of my commands. Nothing was done.` });
  });
  app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id: /^harbor\./ }, door.click, buttons(desk));
  app.view<ViewSubmitAction>({ type: 'view_submission', callback_id: PLAN_CALLBACK }, door.submission, forms(desk));
  app.action(/^(?!harbor\.)/, async ({ ack }) => ack());
}
