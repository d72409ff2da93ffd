/** What holds for every screen. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { showTheme, violations } from './accessibility.ts';
import type { TestedConsole } from './describe-console.ts';
import type { RealisticSystem } from './filled-console.ts';
import type { Screen } from './screen.ts';

/** Where pictures of the screens are kept; empty for nowhere. */
const { CONSOLE_SCREENSHOTS = '' } = process.env;

const NOTHING_HERE = /Page not found|Seite nicht gefunden/;

export type Size = readonly [width: number, height: number];

/** Opens a screen in a tab of its own. */
export async function show(
  ui: TestedConsole,
  screen: Screen,
  ids: RealisticSystem['ids'],
  [width, height]: Size,
): Promise<Page> {
  const { page } = await ui.open(screen.at(ids), { ...(screen.token === null ? { token: null } : {}), width, height });
  await becomesComplete(page, screen);
  return page;
}

/** Goes to a screen in a tab that shows another one, and first to where there is none. */
export async function goTo(page: Page, at: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 });
  for (const [hash, isNowhere] of [
    ['/nothing/here', true],
    [at, /no\/such|no-such-screen/.test(at)],
  ] as const) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await heading
      .filter(isNowhere ? { hasText: NOTHING_HERE } : { hasNotText: NOTHING_HERE })
      .first()
      .waitFor();
  }
}

export async function becomesComplete(page: Page, { isComplete, open }: Screen): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
  await expect.poll(() => page.getByText(/^(Loading|Wird geladen) …$/).count()).toBe(0);
  await isComplete?.(page);
  await open?.(page);
}

/** That axe finds nothing, that the content is no wider than the window, and that no button is stretched. */
export async function expectNoFaults(page: Page, name: string, theme: 'light' | 'dark'): Promise<void> {
  await showTheme(page, theme);
  const place = `${name}-${theme}-${page.viewportSize()?.width}`;
  if (CONSOLE_SCREENSHOTS !== '') {
    await mkdir(CONSOLE_SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: join(CONSOLE_SCREENSHOTS, `${place}.png`) });
  }
  // The other screens are looked at as well.
  expect.soft([place, await violations(page), await overflow(page), await stretched(page)]).toEqual([place, [], 0, []]);
}

/** How much wider the content is than the window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Buttons, and links that look like one, higher than two lines of text. A row of a list may hold more. */
export function stretched(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('main button, main a[class*=button], dialog button')]
    .map((one) => [one.getBoundingClientRect().height, one.textContent])
    .filter(([height, text]) => height > 48 && text.length < 40)
    .map(([height, text]) => text + ': ' + height + ' px')`);
}
