import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Harbour } from '../../src/local/harbour.js';
import { closeHarbour, missing, Newcomer, openHarbour, startBrowser } from './newcomer.js';

if (missing !== null) console.warn(`The page is not tested: ${missing}`);

describe.skipIf(missing !== null)('the page, by clicking and typing only what it offers', () => {
  let browser: Browser;
  let harbour: Harbour;
  let newcomer: Newcomer;

  beforeAll(async () => {
    harbour = await openHarbour();
    browser = await startBrowser();
    newcomer = await Newcomer.opens(browser, harbour, { width: 1280, height: 860 });
  });
  afterAll(async () => {
    await browser?.close();
    if (harbour !== undefined) await closeHarbour(harbour);
  });

  test('a good change is swapped in and kept, and the guide knows each step without being told', async () => {
    expect(await newcomer.guide.locator('.current').textContent()).toContain('Prepare a change');

    await newcomer.toGate('fast-a2a');
    expect(await newcomer.guide.locator('.current').textContent()).toContain('Approve the launch');
    await newcomer.actsAs('Grace');
    await newcomer.presses('Approve launch');
    await newcomer.presses('Go');
    await newcomer.reads('closed, the new run is the hero');

    await newcomer.guide.filter({ hasText: 'bring the old run back' }).waitFor();
    expect((await harbour.clusterState()).runs.map(({ runId, live }) => [runId, live])).toEqual([
      ['hero-main-step54k', false],
      [expect.stringMatching(/^hero-fast-a2a-step/), true],
    ]);
    expect(newcomer.complaints).toEqual([]);
  });

  test('on the same harbour, a change that hangs is rolled back, and the guide is through', async () => {
    const before = (await harbour.clusterState()).runs.find(({ live }) => live)?.runId;

    await newcomer.toGate('silent-hang');
    await newcomer.actsAs('Grace');
    await newcomer.presses('Approve launch');
    await newcomer.reads('THE TRIAL FAILED');
    await newcomer.presses('Roll back');
    await newcomer.reads('rolled back, the old run is the hero');

    await newcomer.guide.filter({ hasText: 'The harbour is yours' }).waitFor();
    const state = await harbour.clusterState();
    expect(state.runs.filter(({ live }) => live).map(({ runId }) => runId)).toEqual([before]);
    expect(Object.values(state.maxLiveCoordinators)).toEqual([1]);
    expect(newcomer.complaints).toEqual([]);
  });

  test('who presses a button is who was chosen last, however fast it is pressed', async () => {
    await newcomer.actsAs('Ada');
    await newcomer.prepares('fast-a2a');
    await newcomer.plans();
    await newcomer.reads('planned');
    // In one breath, before the page could draw anything anew.
    await newcomer.page.evaluate(`
      document.querySelector('label.person:nth-of-type(2) input').click();
      [...document.querySelectorAll('.message.card')].at(-1).querySelector('button.primary').click();
      document.querySelector('dialog#confirm button[value="confirm"]').click();
    `);

    await newcomer.reads('agreed');
    expect(newcomer.complaints).toEqual([]);
  });

  test('working hours that are over block the preflight of a plan, which is revised once they are not', async () => {
    const counted = newcomer.page.locator('details[data-focus="switches"] .count');
    const connected = newcomer.page.locator('#health', { hasText: 'Bot connected' });
    await newcomer.turns('Working hours are over');
    await counted.waitFor();
    await connected.waitFor();
    await newcomer.presses('Cancel');
    await newcomer.reads('cancelled');
    await newcomer.toGate('fast-a2a', 'blocked');

    await newcomer.turns('Working hours are over');
    await counted.waitFor({ state: 'detached' });
    await connected.waitFor();
    await newcomer.types('/hero-deploy revise reason="the hours are back"');
    await newcomer.fromPlanToGate('the launch gate is open');
  });

  test('a button that is pressed for a while, as a hand does, is not drawn anew under it', async () => {
    const button = newcomer.card.getByRole('button', { name: 'Cancel', exact: true });
    const { mouse } = newcomer.page;

    for (let times = 0; times < 3; times += 1) {
      const box = await button.boundingBox();
      if (box === null) throw new Error('no button to press');
      await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await mouse.down();
      await newcomer.page.waitForTimeout(900);
      await mouse.up();
      const dialog = newcomer.page.locator('dialog#confirm[open]');
      await dialog.waitFor();
      await newcomer.page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }
  });

  test('a killed bot is said to be down, what is pressed meanwhile is not taken, and it can be started again', async () => {
    await newcomer.page.getByRole('button', { name: 'Kill the bot' }).click();
    await newcomer.page.locator('#health', { hasText: 'The bot is down' }).waitFor();
    await newcomer.presses('Cancel');
    await newcomer.page.locator('.message .error', { hasText: 'did not answer this click' }).waitFor();

    await newcomer.page.locator('#start-bot').click();
    await newcomer.page.locator('#health', { hasText: 'Bot connected' }).waitFor();
    await newcomer.presses('Cancel');
    await newcomer.reads('cancelled');
  });

  test('at phone width nothing is wider than the screen, and the tabs lead to every part', async () => {
    const phone = await Newcomer.opens(browser, harbour, { width: 390, height: 844 });

    for (const tab of ['Cluster', 'Status issue', 'Home', 'Channel']) {
      await phone.page.getByRole('tab', { name: tab }).click();
      const wide = await phone.page.evaluate('document.documentElement.scrollWidth');
      expect([tab, wide]).toEqual([tab, 390]);
    }
    expect(await phone.page.locator('#stream .card').first().isVisible()).toBe(true);
    expect(phone.complaints).toEqual([]);
    await phone.page.close();
  });
});
