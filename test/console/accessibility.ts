/** What axe finds wrong with a page, by the rules of WCAG 2.2 AA. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The minified one: every page has to be sent it and has to parse it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// A selector of each element that breaks no rule takes a sixth of the time.
const OPTIONS = { runOnly: { type: 'tag', values: RULES }, resultTypes: ['violations'], selectors: false };
/** Of a page behind a dialog nothing can be used, and it is looked at without the dialog. */
const SHOWN = "[...document.querySelectorAll('dialog:modal')].at(-1) ?? document";
// A text, because the types of the tests know no window.
const FIND = `axe.run(${SHOWN}, ${JSON.stringify(OPTIONS)}).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + '\\n' + failureSummary)))`;

/** What moves or fades has come to its end. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().iterations !== Infinity).map((one) => one.finished)).then(() => {})`;

/** For so long a page may be in the midst of a change, such as a screen in place of another one. */
const CHANGING_MS = 2_000;

/** The rule, the element and the reason of each violation that stays. */
export async function violations(page: Page): Promise<string[]> {
  const first = await violationsNow(page);
  if (first.length === 0) return first;
  await page.waitForTimeout(CHANGING_MS);
  return violationsNow(page);
}

async function violationsNow(page: Page): Promise<string[]> {
  // What is about to be replaced is paler, on purpose.
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.evaluate(SETTLED);
  // By the debugger, which no Content-Security-Policy concerns.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  return page.evaluate<string[]>(FIND);
}

/** The system of the viewer prefers another theme; the page follows by its style sheet alone, and at once. */
export async function showTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
}
