import { expect, test } from 'vitest';
import { viewOf } from '../../src/engine/view.js';
import type { HeroView } from '../../src/protocol/hero/facts.js';
import { cardBlocks, messageBlocks } from '../../src/render/blocks.js';
import { brief } from '../../src/render/hero/brief.js';
import { heroCard } from '../../src/render/hero/card.js';
import { handKit } from '../../src/render/hero/hand.js';
import { toldMessage } from '../../src/render/hero/told.js';
import { mrkdwn } from '../../src/render/mrkdwn.js';
import type { Text } from '../../src/render/text.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';

const mayDo = { agree: [APPROVER], approve: [APPROVER], decide: [APPROVER], duty: [REQUESTER, APPROVER] };
const flat = (texts: readonly Text[]): string => texts.map(mrkdwn).join('\n');

type Bot = ReturnType<typeof startEngine>;

function view(bot: Bot): HeroView {
  return bot.engine.view('hero-1') as unknown as HeroView;
}

/** Every told row of an operation as it was told. */
function told(bot: Bot): readonly string[] {
  const operation = bot.journal.operation('hero-1');
  if (operation === undefined) throw new Error('no operation');
  return bot.journal.history('hero-1').map(({ seq }) => {
    const then = viewOf(bot.journal, bot.engine.protocol('hero'), operation, seq) as unknown as HeroView;
    const entry = then.history.at(-1);
    if (entry === undefined) throw new Error('no entry');
    const message = toldMessage(then, entry, mayDo);
    expect(messageBlocks(message).blocks.length).toBeLessThanOrEqual(50);
    return flat([message.title, ...message.lines, ...message.evidence]);
  });
}

test('F26: after a rollback the silence of the tracker is said to be expected, with the step at which it ends', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.ask(REQUESTER, 'rollback_asked');
  for (let n = 0; n < 60 && bot.state() !== 'rolled_back'; n++) await bot.tick(1, 20);

  const lines = told(bot).find((text) => text.includes('The old run was launched once'));
  expect(lines).toContain(`The tracker stays silent until step \`${view(bot).facts.controlLastStep}\` (expected)`);
  expect(told(bot).at(-1)).toContain('rolled back, the old run is the hero');
});

test('a message says the state first, then what is awaited and from whom, then when', async () => {
  const bot = startEngine();
  await bot.toGate();

  const [title, happened, next] = told(bot).at(-1)?.split('\n') ?? [];

  expect(title).toBe('*hero-1 · the launch gate is open*');
  expect(happened).toContain('The control has covered the window');
  expect(next).toBe(`Next: approve or reject the launch (<@${APPROVER}>). If nobody does anything, nothing happens.`);
});

test('the card names the exact ids before a click, and says what a rollback would cost now', async () => {
  const bot = startEngine();
  await bot.toTrial();
  const readings = bot.engine.watched.get('hero-1')?.readings ?? {};

  const card = heroCard(view(bot), readings, mayDo, []);

  expect(card.buttons).toMatchObject([{ action: 'rollback', confirm: expect.stringContaining(`${view(bot).facts.newCoordinator}`) }]);
  expect(flat(card.lines)).toMatch(/Rolled back now: `\d+` steps of the new run are lost/);
  expect(flat(card.lines)).toContain('GPU-hours idle');
  const { blocks } = cardBlocks(card, 'hero-1', view(bot).enteredAtSeq, view(bot).planHash);
  expect(JSON.stringify(blocks)).toContain(`hero-1:${view(bot).enteredAtSeq}:rollback:${view(bot).planHash.slice(0, 8)}`);
});

test('the hand kit gives the exact commands of the state, and the brief has at most ten lines', async () => {
  const bot = startEngine();
  await bot.toTrial();
  const tools = { iris: ['uv', 'run', 'iris'], cluster: 'marin', launcher: ['bash'], launchScript: 'x/trigger_hero.sh', user: 'marin' };

  const kit = flat(handKit(view(bot), tools));

  expect(kit).toContain(`uv run iris --cluster marin job stop --exact ${view(bot).facts.newCoordinator}`);
  expect(kit).toContain('IRIS_USER=marin bash x/trigger_hero.sh launch');
  expect(brief(view(bot)).length).toBeLessThanOrEqual(10);
});

test('a final card has no buttons', async () => {
  const bot = startEngine();
  bot.plan();
  bot.ask(REQUESTER, 'cancel_asked');

  expect(heroCard(view(bot), {}, mayDo, []).buttons).toEqual([]);
});
