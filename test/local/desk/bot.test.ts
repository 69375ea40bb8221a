import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Desk } from '../../../src/local/desk/desk.js';
import { ANA, BO, HERO, openDesk, type SmallBot, startSmallBot, until } from './support/small-bot.js';

let clock = new Date('2027-01-04T10:00:00Z');
let desk: Desk;
let bot: SmallBot;
const seen: { command: string[]; triggers: string[]; clicks: string[]; submissions: unknown[] } = {
  command: [],
  triggers: [],
  clicks: [],
  submissions: [],
};
const responders: ((message: { text: string; response_type?: 'ephemeral' | 'in_channel' }) => Promise<unknown>)[] = [];

function saying(title: string): ModalView {
  const text = { type: 'plain_text', text: title } as const;
  return { type: 'modal', title: text, blocks: [{ type: 'section', text }] };
}

beforeAll(async () => {
  desk = await openDesk({ now: () => clock });
  bot = await startSmallBot(desk, (app) => {
    app.command('/hero-deploy', async ({ ack, command, respond, client }) => {
      seen.command.push(command.text);
      seen.triggers.push(command.trigger_id);
      if (command.text === 'modal') {
        await ack();
        await client.views.open({
          trigger_id: command.trigger_id,
          view: {
            type: 'modal',
            callback_id: 'reason',
            title: { type: 'plain_text', text: 'Say why' },
            submit: { type: 'plain_text', text: 'Override' },
            blocks: [
              {
                type: 'input',
                block_id: 'why',
                label: { type: 'plain_text', text: 'Reason' },
                element: { type: 'plain_text_input', action_id: 'text' },
              },
            ],
          },
        });
        return;
      }
      if (command.text === 'plain') return void (await ack('read and understood'));
      await ack();
      responders.push((message) => respond(message));
      if (command.text.startsWith('plan')) {
        const value = 'hero-1:1:agree:0a1b2c3d';
        await client.chat.postMessage({
          channel: command.channel_id,
          text: `plan of ${command.user_name}`,
          blocks: [
            { type: 'section', text: { type: 'mrkdwn', text: '*hero-1* planned' } },
            { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Agree' }, action_id: 'agree', value }] },
          ],
        });
        await respond('planned');
      }
    });
    app.action('agree', async ({ ack, body, action, respond, client }) => {
      await ack();
      if (body.type !== 'block_actions' || action.type !== 'button') return;
      seen.clicks.push(`${body.user.id} ${action.value}`);
      seen.triggers.push(body.trigger_id);
      await client.chat.update({
        channel: HERO.id,
        ts: String(body.message?.ts),
        text: 'agreed',
        blocks: [{ type: 'section', text: { type: 'plain_text', text: 'agreed' } }],
      });
      await respond({ text: 'thank you', response_type: 'ephemeral', replace_original: false });
    });
    app.view('reason', async ({ ack, view, client }) => {
      const said = view.state.values.why?.text?.value;
      seen.submissions.push(said);
      if (said === 'in a while') {
        const later = client.views.update({ view_id: view.id, view: saying('Done') });
        await delay(50);
        await ack({ response_action: 'update', view: saying('Wait') });
        await later;
      } else if (said === 'because') await ack({ response_action: 'errors', errors: { why: 'say more' } });
      else await ack();
    });
  });
});
afterAll(async () => {
  await bot.stop();
  await desk.stop();
});

const planCard = async () => (await desk.messages()).find(({ text }) => text === 'plan of ana');

test('a command reaches the bot signed and escaped, and its acknowledgement is shown to who typed it', async () => {
  const delivery = await desk.says(ANA.id, '/hero-deploy status @bo #hero a<b & https://example.org/x');
  const answered = await desk.says(ANA.id, '/hero-deploy plain');

  expect(delivery).toMatchObject({ kind: 'acknowledged', status: 200 });
  expect(seen.command[0]).toBe('status <@U0BO|bo> <#C0HERO|hero> a&lt;b &amp; <https://example.org/x>');
  expect(answered).toMatchObject({ body: 'read and understood' });
  expect(desk.ephemerals(ANA.id).at(-1)).toMatchObject({ text: 'read and understood', from: 'app' });
});

test('only a slash command can be said, and only by somebody who is there', async () => {
  await expect(desk.says(ANA.id, 'good morning')).rejects.toThrow('only slash commands');
  await expect(desk.says('U0NOBODY', '/hero-deploy list')).rejects.toThrow('nobody of that id');
});

test('a button is clicked as it is drawn, updates its card, and is gone afterwards', async () => {
  await desk.says(ANA.id, '/hero-deploy plan');
  const card = await until('the plan is posted', planCard);
  await until('the planner is told', () => desk.ephemerals(ANA.id).some(({ text }) => text === 'planned'));

  const delivery = await desk.clicks(BO.id, String(card.ts), { actionId: 'agree' });
  await until('the card says agreed', async () => (await desk.messages()).some(({ ts, text }) => ts === card.ts && text === 'agreed'));
  await until('the agreer is thanked', () => desk.ephemerals(BO.id).some(({ text }) => text === 'thank you'));

  expect(delivery.kind).toBe('acknowledged');
  expect(seen.clicks).toEqual([`${BO.id} hero-1:1:agree:0a1b2c3d`]);
  await expect(desk.clicks(BO.id, String(card.ts), { actionId: 'agree' })).rejects.toThrow('no such button; drawn: none');

  await desk.clicksOld(ANA.id, card, { value: 'hero-1:1:agree:0a1b2c3d' });
  await until('the click on the old card arrives', () => seen.clicks.length === 2);
  expect(seen.clicks.at(-1)).toBe(`${ANA.id} hero-1:1:agree:0a1b2c3d`);
});

test('every command and click has a trigger of its own, and a repeated delivery has the same one', async () => {
  expect(new Set(seen.triggers).size).toBe(seen.triggers.length);

  const first = await desk.says(ANA.id, '/hero-deploy list');
  await desk.repeats(first);

  expect(seen.triggers.at(-1)).toBe(seen.triggers.at(-2));
});

test('a bot that does not acknowledge in time is shown as Slack shows it', async () => {
  const impatient = await openDesk({ ackMs: 50 });
  const quiet = await startSmallBot(impatient, (app) => app.command('/hero-deploy', async () => {}));

  const delivery = await impatient.says(BO.id, '/hero-deploy list');

  expect(delivery.kind).toBe('operation_timeout');
  expect(impatient.ephemerals(BO.id)).toMatchObject([{ from: 'slack', text: '/hero-deploy failed with the error "operation_timeout"' }]);
  await quiet.stop();
  await impatient.stop();
});

test('a response_url is good for five answers', async () => {
  const before = responders.length;
  await desk.says(ANA.id, '/hero-deploy good for five');
  const respond = await until('the command is handled', () => responders[before]);
  await respond({ text: 'to all', response_type: 'in_channel' });
  for (const number of [2, 3, 4, 5]) await respond({ text: `answer ${number}` });

  await expect(respond({ text: 'answer 6' })).rejects.toMatchObject({ statusCode: 404 });
  expect((await desk.messages()).some(({ text }) => text === 'to all')).toBe(true);
  expect(desk.ephemerals(ANA.id).filter(({ text }) => text.startsWith('answer '))).toHaveLength(4);
});

test('a response_url is good for thirty minutes', async () => {
  const before = responders.length;
  await desk.says(ANA.id, '/hero-deploy list');
  const respond = await until('the command is handled', () => responders[before]);
  clock = new Date(clock.getTime() + 30 * 60_000 + 1);

  await expect(respond({ text: 'too late' })).rejects.toMatchObject({ statusCode: 404 });
});

test('a modal opens from its trigger, keeps what the bot does not take, and closes when it does', async () => {
  await desk.says(ANA.id, '/hero-deploy modal');
  const open = await until('the modal is open', () => desk.views(ANA.id)[0]);
  const viewId = String(open.view.id);

  await desk.submits(viewId, { why: 'because' });
  expect(desk.views(ANA.id)[0]?.errors).toEqual({ why: 'say more' });
  await desk.submits(viewId, { why: 'measured twice' });

  expect(seen.submissions).toEqual(['because', 'measured twice']);
  expect(desk.views(ANA.id)).toEqual([]);
  await expect(desk.submits(viewId, {})).rejects.toThrow('not open');
});

test('what the bot makes of a modal after its submission stands, though it comes before the answer to that is read', async () => {
  await desk.says(ANA.id, '/hero-deploy modal');
  const open = await until('the modal is open', () => desk.views(ANA.id)[0]);

  await desk.submits(String(open.view.id), { why: 'in a while' });

  await until('it is done', () => JSON.stringify(desk.views(ANA.id)[0]?.view.title).includes('Done'));
});

test('a bot that is not there is shown as such', async () => {
  const alone = await openDesk();
  const delivery = await alone.says(ANA.id, '/hero-deploy list');
  await alone.stop();

  expect(delivery.kind).toBe('dispatch_failed');
});
