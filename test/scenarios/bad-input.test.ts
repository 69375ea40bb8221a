import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { APPROVER, ASKER, BYSTANDER } from '../../src/local/fleet.js';
import type { Harbour } from '../../src/local/harbour.js';
import type { Player } from '../../src/local/player.js';
import { openHarbour, whispers } from '../support/harbour.js';

let harbour: Harbour;
let player: Player;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ harbour, player, close } = await openHarbour());
  await harbour.prepare('fast-a2a');
});
afterAll(() => close());

/** Types a command and waits for what only that person is told. */
async function answer(userId: string, text: string, channelId?: string): Promise<string> {
  const before = (await whispers(harbour, userId)).length;
  await harbour.desk({ do: 'says', userId, text, ...(channelId === undefined ? {} : { channelId }) });
  return player.until(`an answer to ${text}`, async () => (await whispers(harbour, userId))[before]);
}

const GATE = 'gate="train_loss tracks within 0.01" reason="r"';

const REFUSED: readonly (readonly [string, string])[] = [
  ['/hero-deploy', 'a new swap'],
  ['/hero-deploy frobnicate', 'is not something'],
  ['/hero-deploy status hero-99', 'There is no operation `hero-99` in this channel'],
  ['/hero-deploy status hero-1 hero-2', '"hero-2" is not understood'],
  ['/hero-deploy agree', 'No operation is open in this channel'],
  ['/hero-deploy rollback –now', 'U+2013'],
  [`/hero-deploy plan new=hero-x;reboot-step54k ${GATE}`, 'is not a run id of the form'],
  [`/hero-deploy plan new=../../etc-step54k ${GATE}`, 'is not a run id of the form'],
  [`/hero-deploy plan new="hero-x y-step54k" ${GATE}`, 'is not a run id of the form'],
  [`/hero-deploy plan new=hero-х-step54k ${GATE}`, 'is not a run id of the form'],
  [`/hero-deploy plan new=-rf ${GATE}`, 'is not a run id of the form'],
  [`/hero-deploy plan new=hero-${'x'.repeat(300)}-step54k ${GATE}`, 'is not a run id of the form'],
  [`/hero-deploy plan handoff=step-5400 ${GATE}`, 'checkpoint step-5400 was not found'],
  [`/hero-deploy plan handoff=soon ${GATE}`, 'names no step'],
  [`/hero-deploy plan window=many ${GATE}`, 'is not a whole number of steps'],
  [`/hero-deploy plan window=5 ${GATE}`, 'window: must be at least 20'],
  ['/hero-deploy plan reason="no gate"', 'the gate has no criterion'],
  ['/hero-deploy plan gate="train_loss is nice" reason="r"', 'is not a criterion'],
  ['/hero-deploy plan gate="my_metric tracks within 1" reason="r"', 'is not in the fleet file'],
  ['/hero-deploy plan gate="train_loss tracks within 0.01"', 'say in a few words why'],
  ['/hero-deploy constructor', 'is not something'],
  ['/hero-deploy __proto__ hero-1', 'is not something'],
  [`/hero-deploy plan family=constructor ${GATE}`, 'is not in the fleet file'],
  [`/hero-deploy plan colour=blue ${GATE}`, 'there is no such field'],
  [`/hero-deploy plan fail=maybe ${GATE}`, 'is none of ask, automatic'],
  [`/hero-deploy plan deploy=main ${GATE}`, 'is not a full commit id'],
  [`/hero-deploy plan gate="train_loss tracks`, 'A quote is not closed'],
];

test.each(REFUSED)('%s is answered in words, and puts nothing on file', async (text, words) => {
  expect(await answer(ASKER.id, text)).toContain(words);
  expect(player.operation('hero-1')).toBeUndefined();
});

test('in another channel nothing is done', async () => {
  expect(await answer(ASKER.id, `/hero-deploy plan ${GATE}`, 'C0ELSEWHR1')).toContain('Nothing was done');
  expect(player.operation('hero-1')).toBeUndefined();
});

test('somebody who may not ask makes no plan', async () => {
  expect(await answer(BYSTANDER.id, `/hero-deploy plan ${GATE}`)).toContain('You may not do that');
  expect(player.operation('hero-1')).toBeUndefined();
});

test('curly quotes and non-breaking spaces of a phone are understood', async () => {
  await answer(ASKER.id, '/hero-deploy plan gate=“train_loss tracks within 0.01” reason=“from a phone”');

  await player.reaches('hero-1', 'planned');
});

test('a secret in what somebody types is told to nobody and put on file nowhere', async () => {
  await answer(ASKER.id, '/hero-deploy plan gate="train_loss tracks within 0.01" reason="xoxb-1234-planted and PASSWORD=planted-too"');
  await player.until('a second plan', async () => player.operation('hero-2'));
  await player.settled('hero-2');
  await answer(ASKER.id, '/hero-deploy cancel hero-2 reason="ghp_planted0123456789"');
  await player.reaches('hero-2', 'cancelled');
  await player.settled('hero-2');

  const messages = JSON.stringify([await harbour.desk({ do: 'messages' }), await harbour.desk({ do: 'issue' })]);
  expect(messages).toContain('redacted');
  expect(messages).not.toContain('planted');
  for (const name of readdirSync(join(harbour.home, 'data'))) {
    expect(readFileSync(join(harbour.home, 'data', name), 'latin1')).not.toContain('planted');
  }
});

test('clicks by somebody who may not, on an old card, and twice change nothing and are answered', async () => {
  const card = await player.until('the card', async () => player.card('hero-1'));
  const remembered = JSON.parse(JSON.stringify(card));
  await player.clicks(BYSTANDER.id, 'hero-1', 'agree');
  expect(await player.until('a refusal', async () => (await whispers(harbour, BYSTANDER.id)).at(-1))).toContain('You may not do that');
  await player.clicks(ASKER.id, 'hero-1', 'agree');
  await player.until('a refusal', async () =>
    (await whispers(harbour, ASKER.id)).at(-1)?.includes('somebody else must do that') ? true : undefined,
  );
  expect(player.history('hero-1')).toHaveLength(1);

  await player.clicks(APPROVER.id, 'hero-1', 'agree');
  await player.reaches('hero-1', 'agreed');
  await harbour.desk({ do: 'clicksOld', userId: APPROVER.id, message: remembered, choice: { actionId: 'harbor.agree' } });
  await player.until('a word about it', async () =>
    (await whispers(harbour, APPROVER.id)).at(-1)?.includes('drawn for an earlier state') ? true : undefined,
  );

  expect(player.history('hero-1')).toHaveLength(2);
});

test('F55: a second plan of the family cannot be agreed to, and its holder is named', async () => {
  await answer(ASKER.id, `/hero-deploy plan ${GATE}`);
  await player.reaches('hero-3', 'planned');

  expect(await answer(APPROVER.id, '/hero-deploy agree hero-3')).toContain('Another operation holds the family: `hero-1`');
  expect(await answer(APPROVER.id, '/hero-deploy launch')).toContain('Which one? Open are hero-1, hero-3');
  expect(player.history('hero-3')).toHaveLength(1);
});
