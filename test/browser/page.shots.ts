import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { closeHarbour, missing, Newcomer, openHarbour, startBrowser } from './newcomer.js';

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const PHONE = { width: 390, height: 844 };

/** `npm run screenshots`: the pictures of the README, taken of a real swap. They want a font with emoji. */
test.skipIf(missing !== null)(
  'a swap is photographed: at its launch gate, at its decision with the chart, on the Home tab, and held',
  async () => {
    mkdirSync(IMAGES, { recursive: true });
    const harbour = await openHarbour();
    const browser = await startBrowser();
    const onPhone = async (name: string, goesTo: (phone: Newcomer) => Promise<void>): Promise<void> => {
      const phone = await Newcomer.opens(browser, harbour, PHONE);
      await phone.actsAs('Grace');
      await phone.settles();
      await goesTo(phone);
      await phone.page.screenshot({ path: `${IMAGES}${name}.png` });
      await phone.page.close();
    };
    try {
      const desk = await Newcomer.opens(browser, harbour, { width: 1360, height: 880 });
      await desk.toGate('fast-a2a');
      await onPhone('page-phone', async (phone) => {
        await phone.page.locator('#guide .button').click();
        await phone.settles();
      });

      await desk.actsAs('Grace');
      await desk.presses('Approve launch');
      await desk.card.getByRole('button', { name: 'Go', exact: true }).waitFor();
      await desk.settles();
      await desk.page.screenshot({ path: `${IMAGES}page.png` });
      await onPhone('phone-decision', async (phone) => {
        await phone.guide.getByRole('button', { name: 'Hide' }).click();
        const chart = phone.page.locator('img.chart').last();
        await chart.scrollIntoViewIfNeeded();
        await phone.page.waitForFunction(`[...document.querySelectorAll('img.chart')].at(-1).naturalWidth > 0`);
        await chart.evaluate(`(picture) => picture.scrollIntoView({ block: 'end' })`);
        await phone.page.waitForTimeout(500);
      });
      await onPhone('phone-home', async (phone) => {
        await phone.guide.getByRole('button', { name: 'Hide' }).click();
        await phone.shows('Home');
        await phone.page.locator('#home .b-header').first().waitFor();
        await phone.page.waitForTimeout(500);
      });

      await desk.turns('A cancel is accepted and nothing stops');
      await desk.presses('No-go');
      await desk.reads('HELD: not known');
      await onPhone('phone-held', async (phone) => {
        await phone.guide.getByRole('button', { name: 'Hide' }).click();
        await phone.page.locator('.message.card').last().evaluate(`(card) => card.scrollIntoView({ block: 'start' })`);
        await phone.page.waitForTimeout(500);
      });
    } finally {
      await browser.close();
      await closeHarbour(harbour);
    }
  },
);
