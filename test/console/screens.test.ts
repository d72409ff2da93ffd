/**
 * What holds for every screen, in both themes and on small and large windows. Pictures of them are kept where
 * CONSOLE_SCREENSHOTS names a folder; CONSOLE_README_SCREENSHOTS=yes makes those of the README anew.
 */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTestFolder, type TestFolder } from '../support/test-folder.ts';
import { violations } from './accessibility.ts';
import { browserSupport, type ConsoleBrowser, type ConsolePage, startBrowser } from './browser.ts';
import { type RealisticSystem, startRealisticSystem } from './realistic-system.ts';
import { README_SCREENS, SCREENS, type Screen } from './screen-list.ts';

const unsupported = browserSupport();
if (unsupported !== null) console.warn(`The screens of the console are not tested: ${unsupported}`);

const { CONSOLE_SCREENSHOTS, CONSOLE_README_SCREENSHOTS } = process.env;
const README_FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'images');
const MAX_README_BYTES = 150_000;
const SIZES = [
  [390, 844],
  [1280, 800],
  [1920, 1080],
] as const;

describe.skipIf(unsupported !== null)('every screen', () => {
  let system: RealisticSystem;
  let browser: ConsoleBrowser;
  let folder: TestFolder;
  let pictures: string;
  beforeAll(async () => {
    folder = makeTestFolder();
    pictures = CONSOLE_SCREENSHOTS || folder.path;
    await mkdir(pictures, { recursive: true });
    [system, browser] = await Promise.all([startRealisticSystem(), startBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await system?.lanreach.close();
    await folder?.remove();
  });

  async function show({ at, token, isComplete, open }: Screen, theme: 'light' | 'dark', width: number, height: number) {
    const { url, token: own } = system.lanreach.system;
    const shown: ConsolePage = await browser.open({
      url,
      ...(token === null ? {} : { token: own.token }),
      at: at(system.ids),
      theme,
      width,
      height,
    });
    const { page } = shown;
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
    await isComplete?.(page);
    await open?.(page);
    return shown;
  }

  /** How much wider the content is than the window. */
  function overflow(page: Page): Promise<number> {
    return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  }

  const combinations = SCREENS.flatMap((screen) =>
    (['light', 'dark'] as const).flatMap((theme) => SIZES.map((size) => ({ name: screen.name, screen, theme, size }))),
  );

  test.each(combinations)('$name, $theme, $size', async ({ screen, theme, size: [width, height] }) => {
    const { page, context, offences } = await show(screen, theme, width, height);
    await page.screenshot({ path: join(pictures, `${screen.name}-${theme}-${width}.png`) });
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.title()).toMatch(/^.+ · LanReach$/);
    expect(offences).toEqual([]);
    await context.close();
  });

  test.each(CONSOLE_README_SCREENSHOTS === 'yes' ? README_SCREENS : [])(
    'the picture of $name in the README is small',
    async ({ name, theme }) => {
      const screen = SCREENS.find((one) => one.name === name);
      if (screen === undefined) throw new Error(`screen-list.ts has no screen "${name}"`);
      await mkdir(README_FOLDER, { recursive: true });
      const path = join(README_FOLDER, `${name}.png`);
      const { page, context, offences } = await show(screen, theme, 1280, 800);
      await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
      expect((await stat(path)).size).toBeLessThanOrEqual(MAX_README_BYTES);
      expect(offences).toEqual([]);
      await context.close();
    },
  );
});
