/** Tests of the console in a browser, against an API of their own. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../functions/context.ts';
import type { ApiClient } from '../api-client.ts';
import type { StandInHome } from '../support/enrolled-agent.ts';
import type { Fixtures } from '../support/fixtures.ts';
import { startTestApi, type TestApiOptions } from '../support/in-process.ts';
import { browserSupport, type ConsoleBrowser, type ConsolePage, type OpenOptions, startBrowser } from './browser.ts';

const CONSOLE_FOLDER = join(import.meta.dirname, '..', '..', 'dist', 'console');

/** An API that listens and hands out the console, with its stores within reach: in this process, or a whole system. */
export interface ConsoleApi extends ApiClient, Fixtures, StandInHome {
  readonly context: Context;
  close(): Promise<void>;
}

/** In this process: without agents, unless a test lets stand-ins connect. */
export function startConsoleApi(settings: TestApiOptions = {}): Promise<ConsoleApi> {
  return startTestApi({ ...settings, listens: true, consoleFolder: CONSOLE_FOLDER });
}

/** One browser for all files of a worker: no page finds what an earlier one has kept. */
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

/** One API for all tests of a `describe`. It is there from its first `beforeAll` or test on. */
export interface TestedConsole {
  readonly lanreach: ConsoleApi;
  /** Opens a screen in a fresh profile, signed in. A page with {@link ConsolePage.offences} fails the test. */
  open(at: string, options?: Partial<OpenOptions>): Promise<ConsolePage>;
}

/**
 * @param title what is tested; where there is no browser it is not, and that is said
 * @param start starts the API, such as {@link startConsoleApi}
 */
export function describeConsole(
  title: string,
  start: () => Promise<ConsoleApi>,
  tests: (ui: TestedConsole) => void,
): void {
  const unsupported = browserSupport();
  if (unsupported !== null) console.warn(`The console is not tested (${title}): ${unsupported}`);
  describe.skipIf(unsupported !== null)(title, () => {
    let lanreach: ConsoleApi | undefined;
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
      for (const one of all) await one.close();
      expect(all.flatMap(({ offences }) => offences)).toEqual([]);
    });
    afterAll(async () => {
      await lanreach?.close();
    });
    const started = <T>(part: T | undefined): T => part ?? expect.fail('the API and the browser are not started yet');
    tests({
      get lanreach() {
        return started(lanreach);
      },
      async open(at, options) {
        const { url, token } = started(lanreach);
        const page = await started(browser).open({ url, token, at, ...options });
        opened.push(page);
        return page;
      },
    });
  });
}
