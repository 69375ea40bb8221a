import { afterEach, expect, test } from 'vitest';
import type { Ask } from '../../commands/plan-entry.js';
import { FerryWorld } from '../support/ferry-world.js';
import { ADA, BOB, GRACE, LIN, Office } from '../support/office.js';

let office: Office;
afterEach(() => office.stop());

const SAILORS = 'S0SAILORS1';
const CREW = 'S0CREW0001';
const DAILY = {
  kind: 'daily',
  cluster: 'marin',
  user: 'marin',
  repository: { dir: '/lanes/daily' },
  file: 'experiments/ferries/daily.py',
  paths: ['experiments/ferries'],
  launch: { command: ['python', '-m', 'experiments.ferries.daily'] },
  trackerName: 'ferry_daily_125m_{run}',
  tracker: { entity: 'marin', project: 'marin' },
  evidence: { stepsMin: 100, metrics: {} },
  labels: { proposal: ['ferry'] },
  seal: { tag: 'ferry/daily/{date}/{run}', log: 'docs/log.md', labels: ['ferry-sealed'] },
  people: { ask: [SAILORS], decide: [GRACE.id], onCall: [CREW] },
};

/** The whole bot behind Bolt, with one lane whose people are user groups; ferries sail in memory, and Slack's groups are the desk's. */
async function opens(): Promise<{ readonly bot: Office; readonly ferries: FerryWorld }> {
  const ferries = new FerryWorld();
  office = await Office.open({
    lanes: { daily: DAILY },
    groups: [
      { id: SAILORS, users: [LIN.id] },
      { id: CREW, users: [BOB.id] },
    ],
    outside: (swaps) => ({
      ...swaps,
      ask: ((verb: string, args: object) => ferries.read(verb, { ...args })) as Ask,
      read: (verb, args) => {
        ferries.advance(1); // two looks are two readings
        return ferries.read(verb, args);
      },
      act: (verb, args) => ferries.act(verb, args),
    }),
  });
  return { bot: office, ferries };
}

async function approved(bot: Office): Promise<void> {
  expect(await bot.says(LIN, '/ferry propose lane=daily objective="does it hold"')).toContain('is being proposed');
  await bot.until('it is proposed', async () => {
    await bot.tick(0, 5);
    return bot.state('ferry-1') === 'proposed' ? true : undefined;
  });
  await bot.presses(LIN, 'approve', 'ferry-1');
  await bot.reaches('cleared', 'ferry-1');
}

test('a lane whose people are user groups takes the word of their members as Slack lists them, and refused attempts are on file', async () => {
  const { bot, ferries } = await opens();

  expect(await bot.says(ADA, '/ferry propose lane=daily objective="mine"')).toContain('You may not do that');
  await approved(bot);
  expect(await bot.says(ADA, '/ferry launch ferry-1')).toContain('You may not do that');
  bot.desk.setAccount(BOB.id, 'guest');
  bot.world.advance(61);
  expect(await bot.says(BOB, '/ferry launch ferry-1')).toContain("is a guest's");
  bot.desk.setAccount(BOB.id, 'member');
  bot.world.advance(61);
  expect(await bot.says(BOB, '/ferry launch ferry-1')).toContain('accepted');
  await bot.until('it is launched', async () => {
    await bot.tick(0, 5);
    return ferries.jobs.length > 0 ? true : undefined;
  });

  await bot.reaches('running', 'ferry-1');
  expect(await bot.says(LIN, '/ferry launch ferry-1')).toContain(`It was launched once, as \`${ferries.jobs[0]?.jobId}\``);
  expect(ferries.acts.filter((act) => act.startsWith('ferry_launch'))).toHaveLength(1);
  const answers = (person: { readonly id: string }) => bot.arrivals().flatMap(({ actor, answer }) => (actor === person.id ? [answer] : []));
  expect(answers(ADA)).toEqual(['refused: not_allowed', 'refused: not_allowed']);
  expect(answers(BOB)).toEqual(['refused: account_refused, guest', 'advanced']);
  await bot.presses(BOB, 'stop', 'ferry-1');
  await bot.until('the click is on file', () => (answers(BOB).at(-1) === 'advanced' && answers(BOB).length === 3 ? true : undefined));
});

test('F101: an approval goes with its giver out of the user group, the thread says so, and nothing is launched on it', async () => {
  const { bot, ferries } = await opens();
  await approved(bot);

  bot.desk.setGroup({ id: SAILORS, users: [ADA.id] });
  bot.world.advance(61);
  await bot.until('the approval is void', async () => {
    await bot.tick(0);
    return bot.state('ferry-1') === 'proposed' ? true : undefined;
  });
  await bot.until('the thread says so', async () =>
    (await bot.thread('ferry-1')).some((line) => line.includes('Nobody can clear this run any more')) ? true : undefined,
  );
  expect(await bot.says(LIN, '/ferry approve ferry-1')).toContain('You may not do that');
  expect(await bot.says(ADA, '/ferry approve ferry-1')).toContain(`Only <@${LIN.id}> can clear that run`);
  expect(await bot.says(ADA, '/ferry cancel ferry-1')).toContain('cancelled');
  expect(ferries.jobs).toEqual([]);
});

test('while a group cannot be read it is nobody, and what was cleared waits', async () => {
  const { bot, ferries } = await opens();
  await approved(bot);
  await bot.says(LIN, '/ferry status ferry-1'); // no lookup is under way after it
  bot.desk.fault({ sink: 'slack', method: 'usergroups.users.list', kind: 'status', status: 503, times: 1_000 });
  bot.world.advance(10 * 60);

  expect(await bot.says(LIN, '/ferry launch ferry-1')).toContain('You may not do that');
  for (let n = 0; n < 5; n++) await bot.tick(0, 20);
  expect(bot.state('ferry-1')).toBe('cleared');
  expect(ferries.jobs).toEqual([]);
});

test('a word that is not for what is meant is refused: no standing waiver becomes one for a run, and no fix leaves its lane', async () => {
  const { bot } = await opens();
  await bot.says(LIN, '/ferry propose lane=daily objective="does it hold"');
  await bot.until('it is proposed', async () => {
    await bot.tick(0, 5);
    return bot.state('ferry-1') === 'proposed' ? true : undefined;
  });

  expect(await bot.says(LIN, '/ferry waive ferry-1 until=2026-12-05 reason="quiet week"')).toContain('takes no `until=`');
  expect(await bot.says(LIN, '/ferry waive ferry-1 lane=daily until=2026-12-05 reason="quiet week"')).toContain('takes no `ferry-1`');
  expect(await bot.says(LIN, '/ferry off ferry-1 lane=daily')).toContain('takes no `ferry-1`');
  expect(await bot.says(LIN, `/ferry fix ferry-1 lane=canary commit=${'a'.repeat(40)} rationale="x"`)).toContain('takes no `lane=`');
  expect(bot.state('ferry-1')).toBe('proposed');
  expect(await bot.says(LIN, '/ferry waive ferry-1 reason="same as yesterday"')).toContain('accepted');
});
