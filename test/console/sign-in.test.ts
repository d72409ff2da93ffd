/** How a person gets into the console, and out of it. */
import { expect, test } from 'vitest';
import { startTestSystem } from '../test-system.ts';
import { violations } from './accessibility.ts';
import { nextPoll } from './browser.ts';
import { describeConsole } from './describe-console.ts';

describeConsole('signing in', startTestSystem, (ui) => {
  test('a link signs in, and its token is gone from the address and the history', async () => {
    const { url, token } = ui.lanreach.system;
    const { page } = await ui.open('/');
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
    expect(page.url()).toBe(`${url}/console/#/`);
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
    await page.reload();
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
    expect(await page.evaluate('Object.values(localStorage).join()')).not.toContain(token.token);
  });

  test('without a token the page asks for one, and says how to get it', async () => {
    const { token } = ui.lanreach.system;
    const { page } = await ui.open('/', { token: null });
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
  });

  test('the session of every tab ends when its token is revoked', async () => {
    const { url } = ui.lanreach.system;
    const token = await ui.lanreach.createToken({ scopes: ['devices:read'], sites: ['home'] });
    const { page, openTab } = await ui.open('/', { token, isTimeMovable: true });
    const second = await openTab({ url, token });
    for (const tab of [page, second]) await tab.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
    const id = /^lr_([0-9a-f]+)/.exec(token)?.[1];
    expect((await ui.lanreach.request('DELETE', `/tokens/${id}`)).status).toBe(200);
    for (const tab of [page, second]) {
      await nextPoll(tab);
      await tab.getByText('You were signed out').waitFor();
    }
  });
});
