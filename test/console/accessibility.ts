/** What axe finds wrong with a page, by the rules of WCAG 2.2 AA. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rule, the element and the reason of each violation. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source); // By the debugger, which no Content-Security-Policy concerns.
  // A text, because the types of the tests know no window.
  const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES } });
  const { violations: found } = await page.evaluate<axe.AxeResults>(`axe.run(document, ${options})`);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}
