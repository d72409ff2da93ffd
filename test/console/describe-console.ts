/** Tests of the console in a browser, against a system of their own. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestSystem } from '../test-system.ts';
import { browserSupport, type ConsoleBrowser, type ConsolePage, type OpenOptions, startBrowser } from './browser.ts';

/** Widths in pixels at which a screen has to fit: a phone and a laptop. */
export const WIDTHS = [390, 1280] as const;

/** One browser for all files of a worker: each page has a profile of its own. */
const withBrowser = test.extend<{ $worker: { browser: ConsoleBrowser } }>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures that are needed from the first parameter.
    async ({}, use) => {
      const browser = await startBrowser();
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
});

/** One system for all tests of a `describe`. It is there from its first `beforeAll` or test on. */
export interface TestedConsole {
  readonly lanreach: TestSystem;
  /**
   * Opens the console in a new profile, signed in with the first token, at a screen such as `/sites/home/devices`. It is
   * closed after the test, which fails if a page did what it must not: see {@link ConsolePage.offences}.
   */
  open(at: string, options?: Partial<OpenOptions>): Promise<ConsolePage>;
}

/**
 * @param title what is tested; where there is no browser it is not, and that is said
 * @param start starts the system, such as `startTestSystem`
 */
export function describeConsole(
  title: string,
  start: () => Promise<TestSystem>,
  tests: (ui: TestedConsole) => void,
): void {
  const unsupported = browserSupport();
  if (unsupported !== null) console.warn(`The console is not tested (${title}): ${unsupported}`);
  describe.skipIf(unsupported !== null)(title, () => {
    let lanreach: TestSystem | undefined;
    let browser: ConsoleBrowser | undefined;
    const opened: ConsolePage[] = [];
    beforeAll(async () => {
      lanreach = await start();
    });
    withBrowser.beforeAll(({ browser: one }) => {
      browser = one;
    });
    afterEach(async () => {
      const all = opened.splice(0);
      // A page that stays open goes on asking the API.
      await Promise.all(all.map(({ context }) => context.close()));
      expect(all.flatMap(({ offences }) => offences)).toEqual([]);
    });
    afterAll(async () => {
      await lanreach?.close();
    });
    const started = <T>(part: T | undefined): T =>
      part ?? expect.fail('the system and the browser are not started yet');
    tests({
      get lanreach() {
        return started(lanreach);
      },
      async open(at, options) {
        const { url, token } = started(lanreach).system;
        const page = await started(browser).open({ url, token: token.token, at, ...options });
        opened.push(page);
        return page;
      },
    });
  });
}
