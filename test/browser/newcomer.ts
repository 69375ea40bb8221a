import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import type { Harbour } from '../../src/local/harbour.js';

/** Where Chromium is: `CHROMIUM` names another than Debian's. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Why there is no browser to test with, or null when there is one. */
export const missing = existsSync(CHROMIUM) ? null : `no Chromium at ${CHROMIUM}: install Debian's chromium, or name one with CHROMIUM=`;

/** How long anything is waited for: only what never comes takes so long. */
const SWAP_MS = 240_000;

/** Starts headless Chromium. It shows only our own page, on loopback, so it needs no sandbox of its own. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

/** A harbour of its own with a page, in a fresh folder; the built one, since its processes are what `npm start` runs. */
export async function openHarbour(): Promise<Harbour> {
  const built = new URL('../../dist/src/local/harbour.js', import.meta.url).href;
  const { startHarbour }: typeof import('../../src/local/harbour.js') = await import(built);
  return startHarbour({ home: mkdtempSync(join(tmpdir(), 'harbor-browser-')), page: true });
}

/** Ends a harbour and forgets its folder. */
export async function closeHarbour(harbour: Harbour): Promise<void> {
  await harbour.stop();
  rmSync(harbour.home, { recursive: true, force: true });
}

/** Buttons that do their work at once; every other one asks first, and a busy page may take a moment to. */
const ASKS_NOTHING: ReadonlySet<string> = new Set(['Run preflight', 'Recheck', 'I have it', 'By hand', 'Reject']);

/** Somebody who has seen only the page: clicks and types what it offers, and knows nothing else. */
export class Newcomer {
  /** What the page complained about: its own faults, and what its policy kept out. */
  readonly complaints: string[] = [];

  private constructor(readonly page: Page) {
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (line) => {
      if (line.type() === 'error') this.complaints.push(line.text());
    });
  }

  static async opens(browser: Browser, harbour: Harbour, size: { width: number; height: number }): Promise<Newcomer> {
    const page = await browser.newPage({ viewport: size, deviceScaleFactor: 2, locale: 'en-GB', timezoneId: 'UTC' });
    page.setDefaultTimeout(SWAP_MS);
    const newcomer = new Newcomer(page);
    await page.goto(`${harbour.pageUrl}`);
    await page.locator('.person').first().waitFor();
    return newcomer;
  }

  get guide(): Locator {
    return this.page.locator('#guide');
  }

  /** The newest card of the channel. */
  get card(): Locator {
    return this.page.locator('.message.card').last();
  }

  async actsAs(name: string): Promise<void> {
    await this.page.locator('label.person', { hasText: name }).click();
    await this.page.locator(`label.person:has(:checked)`, { hasText: name }).waitFor();
  }

  async prepares(change: string): Promise<void> {
    await this.shows('Cluster');
    await this.page.locator('.choice', { hasText: change }).click();
    await this.page.locator('.prepared', { hasText: change }).waitFor({ timeout: SWAP_MS });
  }

  /** Opens a tab, where the window is too narrow for all. */
  async shows(tab: string): Promise<void> {
    const handle = this.page.getByRole('tab', { name: tab });
    if (await handle.isVisible()) await handle.click();
  }

  /** Takes the ready-made plan command and sends it. */
  async plans(): Promise<void> {
    await this.shows('Channel');
    await this.page.locator('.chip.own').first().click();
    await this.page.getByRole('button', { name: 'Send' }).click();
  }

  /** Presses a button of the newest card as soon as it is there, and confirms what it asks. */
  async presses(label: string): Promise<void> {
    await this.shows('Channel');
    await this.card.getByRole('button', { name: label, exact: true }).click({ timeout: SWAP_MS });
    const confirm = this.page.locator('dialog#confirm[open] button[value="confirm"]');
    if (!ASKS_NOTHING.has(label)) await confirm.click({ timeout: SWAP_MS });
  }

  /** Waits until the newest card says this. */
  async reads(words: string): Promise<void> {
    try {
      await this.card.filter({ hasText: words }).waitFor({ timeout: SWAP_MS });
    } catch (cause) {
      throw new Error(`the newest card never said "${words}"; on the page stands:\n${await this.page.locator('body').textContent()}`, {
        cause,
      });
    }
  }

  async turns(words: string): Promise<void> {
    await this.shows('Cluster');
    const fold = this.page.locator('details[data-focus="switches"]');
    if ((await fold.getAttribute('open')) === null) await fold.locator('summary').click();
    await fold.getByRole('switch', { name: words }).click();
  }

  /** Types a command and sends it. */
  async types(command: string): Promise<void> {
    await this.shows('Channel');
    await this.page.getByRole('textbox', { name: 'Slash command' }).fill(command);
    await this.page.keyboard.press('Enter');
  }

  /** Waits until two looks at the page's text in a row are the same but for the figures that run on. */
  async settles(): Promise<void> {
    const look = async (): Promise<string> => ((await this.page.locator('#stream').textContent()) ?? '').replace(/last step: \d+/g, '');
    for (let before = '', now = await look(); before !== now; ) {
      await this.page.waitForTimeout(1_000);
      [before, now] = [now, await look()];
    }
  }

  /** A prepared change, up to the open launch gate or where else it gets. */
  async toGate(change: string, ends = 'the launch gate is open'): Promise<void> {
    await this.actsAs('Ada');
    await this.prepares(change);
    await this.plans();
    await this.fromPlanToGate(ends);
  }

  /** From a plan on, by two people. */
  async fromPlanToGate(ends: string): Promise<void> {
    await this.reads('planned');
    await this.actsAs('Grace');
    await this.presses('Agree');
    await this.actsAs('Ada');
    await this.presses('Run preflight');
    await this.reads(ends);
  }
}
