/** How a person gets into the console, and out of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestSystem, type TestSystem } from '../test-system.ts';
import { violations } from './accessibility.ts';
import { browserSupport, type ConsoleBrowser, startBrowser } from './browser.ts';

const unsupported = browserSupport();
if (unsupported !== null) console.warn(`Signing in to the console is not tested: ${unsupported}`);

describe.skipIf(unsupported !== null)('signing in', () => {
  let lanreach: TestSystem;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    [lanreach, browser] = await Promise.all([startTestSystem(), startBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await lanreach?.close();
  });

  test('a link signs in, and its token is gone from the address and the history', async () => {
    const { url, token } = lanreach.system;
    const { page, offences } = await browser.open({ url, token: token.token });
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
    expect(page.url()).toBe(`${url}/console/#/`);
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
    await page.reload();
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
    expect(await page.evaluate('Object.values(localStorage).join()')).not.toContain(token.token);
    expect(offences).toEqual([]);
  });

  test('without a token the page asks for one, and says how to get it', async () => {
    const { url, token } = lanreach.system;
    const { page, offences } = await browser.open({ url });
    await page.getByText('Where do I get a token?').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Token').fill('not a token');
    await page.keyboard.press('Enter');
    await page.getByText('This is not a token').waitFor();
    await page.getByLabel('Token').fill('lr_0123456789abcdef.wrong');
    await page.keyboard.press('Enter');
    await page.getByText('You were signed out').waitFor();
    await page.getByLabel('Token').fill(token.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(offences).toEqual([]);
  });

  test('the session of every tab ends when its token is revoked', async () => {
    const { url } = lanreach.system;
    const token = await lanreach.createToken({ scopes: ['devices:read'], sites: ['home'] });
    const { page, openTab, offences } = await browser.open({ url, token });
    const second = await openTab({ url, token });
    for (const tab of [page, second]) await tab.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
    const id = /^lr_([0-9a-f]+)/.exec(token)?.[1];
    expect((await lanreach.request('DELETE', `/tokens/${id}`)).status).toBe(200);
    for (const tab of [page, second]) await tab.getByText('You were signed out').waitFor();
    expect(offences).toEqual([]);
  });
});
