/**
 * What holds for every screen, in both themes and on small and large windows. Pictures of them are kept where
 * CONSOLE_SCREENSHOTS names a folder; CONSOLE_README_SCREENSHOTS=yes makes those of the README anew.
 */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { showTheme, violations } from './accessibility.ts';
import { describeConsole } from './describe-console.ts';
import { type RealisticSystem, startRealisticSystem } from './realistic-system.ts';
import { README_SCREENS, SCREENS, type Screen } from './screen-list.ts';

const { CONSOLE_SCREENSHOTS = '', CONSOLE_README_SCREENSHOTS } = process.env;
const README_FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'images');
const MAX_README_BYTES = 150_000;
const THEMES = ['light', 'dark'] as const;
const SIZES = [
  [390, 844],
  [1280, 800],
  [1920, 1080],
] as const;

let ids: RealisticSystem['ids'];

async function start() {
  const system = await startRealisticSystem();
  ({ ids } = system);
  return system.lanreach;
}

describeConsole('every screen', start, (ui) => {
  async function show({ at, token, isComplete, open }: Screen, width: number, height: number): Promise<Page> {
    const { page } = await ui.open(at(ids), { ...(token === null ? { token } : {}), width, height });
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
    await isComplete?.(page);
    await open?.(page);
    return page;
  }

  /** How much wider the content is than the window. */
  function overflow(page: Page): Promise<number> {
    return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  }

  const combinations = SCREENS.flatMap((screen) => SIZES.map((size) => ({ name: screen.name, screen, size })));

  test.each(combinations)('$name, $size', async ({ screen, size: [width, height] }) => {
    const page = await show(screen, width, height);
    for (const theme of THEMES) {
      await showTheme(page, theme);
      if (CONSOLE_SCREENSHOTS !== '') {
        await mkdir(CONSOLE_SCREENSHOTS, { recursive: true });
        await page.screenshot({ path: join(CONSOLE_SCREENSHOTS, `${screen.name}-${theme}-${width}.png`) });
      }
      expect([theme, await violations(page)]).toEqual([theme, []]);
      expect([theme, await overflow(page)]).toEqual([theme, 0]);
    }
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.title()).toMatch(/^.+ · LanReach$/);
  });

  test.each(CONSOLE_README_SCREENSHOTS === 'yes' ? README_SCREENS : [])(
    'the picture of $name in the README is small',
    async ({ name, theme }) => {
      const screen = SCREENS.find((one) => one.name === name);
      if (screen === undefined) throw new Error(`screen-list.ts has no screen "${name}"`);
      await mkdir(README_FOLDER, { recursive: true });
      const path = join(README_FOLDER, `${name}.png`);
      const page = await show(screen, 1280, 800);
      await showTheme(page, theme);
      await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
      expect((await stat(path)).size).toBeLessThanOrEqual(MAX_README_BYTES);
    },
  );
});
