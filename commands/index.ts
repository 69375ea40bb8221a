import type { App, BlockAction, ButtonAction, Middleware, SlackActionMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { notMyCommand } from '../src/render/answers.js';
import { answerText } from '../src/render/blocks.js';
import type { Door } from '../src/slack/ingress.js';
import { buttons } from './buttons.js';
import { type FerryDesk, ferry, ferryButtons } from './ferry.js';
import { forms } from './forms.js';
import { type HeroDesk, heroDeploy } from './hero-deploy.js';
import { type HomeDesk, home } from './home.js';
import { PLAN_CALLBACK } from './plan-form.js';

/** Registers what a person can ask for. Everything that asks goes through the door first, and nothing is left unanswered. */
export function register(app: App, door: Door, desk: HeroDesk, ferryDesk: FerryDesk, homeDesk: HomeDesk): void {
  app.command('/hero-deploy', door.command, heroDeploy(desk));
  app.command('/ferry', door.command, ferry(ferryDesk));
  app.command(/^\/(?!hero-deploy$|ferry$)/, async ({ ack, command }) => {
    await ack({ response_type: 'ephemeral', text: answerText([notMyCommand(command.command)]) });
  });
  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: /^harbor\./ },
    door.click,
    byProtocol(buttons(desk), ferryButtons(ferryDesk)),
  );
  app.view<ViewSubmitAction>({ type: 'view_submission', callback_id: PLAN_CALLBACK }, door.submission, forms(desk));
  app.event('app_home_opened', home(homeDesk));
  app.action(/^(?!harbor\.)/, async ({ ack }) => ack());
}

type Click = Middleware<SlackActionMiddlewareArgs<BlockAction<ButtonAction>>>;

/** A button's value begins with its operation, and that with its protocol. */
function byProtocol(hero: Click, ferries: Click): Click {
  return (args) => (args.action.value?.startsWith('ferry-') === true ? ferries(args) : hero(args));
}
