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
  [1280, 800],
  [1920, 1080],
  [390, 844],
] as const;

/** The frame alone. */
const NOWHERE = '/no/such/screen';

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

  /** Buttons and links that look like one, each with its height, that are higher than two lines of text. */
  function stretched(page: Page): Promise<string[]> {
    return page.evaluate<string[]>(`[...document.querySelectorAll('button, a[class*=button]')]
      .map((one) => [one.getBoundingClientRect().height, one.textContent])
      .filter(([height]) => height > 48)
      .map(([height, text]) => text + ': ' + height + ' px')`);
  }

  test.each(SCREENS)('$name', async (screen) => {
    const [[width, height], ...others] = SIZES;
    const page = await show(screen, width, height);
    for (const size of [null, ...others]) {
      if (size !== null) await page.setViewportSize({ width: size[0], height: size[1] });
      for (const theme of THEMES) {
        await showTheme(page, theme);
        const place = [theme, page.viewportSize()?.width];
        if (CONSOLE_SCREENSHOTS !== '') {
          await mkdir(CONSOLE_SCREENSHOTS, { recursive: true });
          await page.screenshot({ path: join(CONSOLE_SCREENSHOTS, `${screen.name}-${place.join('-')}.png`) });
        }
        expect([place, await violations(page)]).toEqual([place, []]);
        expect([place, await overflow(page)]).toEqual([place, 0]);
        expect([place, await stretched(page)]).toEqual([place, []]);
      }
    }
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.title()).toMatch(/^.+ · LanReach$/);
  });

  // One tab for all: only what stands in the place of the content differs from what was looked at above.
  test.each([
    ['holiday-flat', 'nothing is there'],
    ['no-such-site', 'the site is refused'],
  ])('every screen of the site %s, where %s, has no stretched button, and axe finds nothing', async (site) => {
    const paths = SCREENS.map(({ at }) => at(ids)).filter((path) => /^\/sites\/.*\/(?!no-such)/.test(path));
    const { page } = await ui.open(NOWHERE);
    const goTo = (at: string) => page.evaluate(`location.hash = ${JSON.stringify(at)}`);
    const heading = page.getByRole('heading', { level: 1 });
    const nowhere = 'There is nothing at this address.';
    const faults: string[] = [];
    for (const path of [...paths, '/sites/home/devices?text=nothing-is-called-so']) {
      const at = path.replace(/^\/sites\/[^/]+(?=\/)/, `/sites/${site}`);
      // In between, so that the next screen is not taken for the one before.
      await goTo(NOWHERE);
      await heading.filter({ hasText: nowhere }).waitFor();
      await goTo(at);
      await heading.filter({ hasNotText: nowhere }).waitFor();
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
      const found = [...(await stretched(page)), ...(await violations(page))];
      faults.push(...found.map((fault) => `${at}: ${fault}`));
      if (CONSOLE_SCREENSHOTS !== '') {
        const name = at.replace(/^\/sites\//, '').replace(/[^a-z-]+/gi, '_');
        await page.screenshot({ path: join(CONSOLE_SCREENSHOTS, `${name}.png`) });
      }
    }
    expect(faults).toEqual([]);
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
