/** A person who wants to know something, and whose clicks are counted. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestedConsole } from './describe-console.ts';

/** What a person may need for a task. */
const MOST_ACTIONS = 5;

/** Starts at the overview of the site. */
export async function personAt(ui: TestedConsole, site: string) {
  const { page } = await ui.open(`/sites/${site}`, { width: 1280 });
  let actions = 0;
  const act = async (...[role, options]: Parameters<Page['getByRole']>) => {
    actions++;
    await page.getByRole(role, options).first().click();
  };
  return { page, act, expectFew: () => expect(actions).toBeLessThanOrEqual(MOST_ACTIONS) };
}
