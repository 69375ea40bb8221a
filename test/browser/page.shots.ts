import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { closeHarbour, missing, Newcomer, openHarbour, startBrowser } from './newcomer.js';

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** `npm run screenshots`: the two pictures of the README, taken of a real swap. They want a font with emoji. */
test.skipIf(missing !== null)(
  'the page is photographed on a phone at the launch gate of a swap, and at a desk at its decision',
  async () => {
    mkdirSync(IMAGES, { recursive: true });
    const harbour = await openHarbour();
    const browser = await startBrowser();
    try {
      const desk = await Newcomer.opens(browser, harbour, { width: 1360, height: 880 });
      await desk.toGate('fast-a2a');
      const phone = await Newcomer.opens(browser, harbour, { width: 390, height: 844 });
      await phone.actsAs('Grace');
      await phone.page.locator('#guide .button').click();
      await phone.settles();
      await phone.page.screenshot({ path: `${IMAGES}page-phone.png` });
      await phone.page.close();

      await desk.actsAs('Grace');
      await desk.presses('Approve launch');
      await desk.card.getByRole('button', { name: 'Go', exact: true }).waitFor();
      await desk.settles();
      await desk.page.screenshot({ path: `${IMAGES}page.png` });
    } finally {
      await browser.close();
      await closeHarbour(harbour);
    }
  },
);
