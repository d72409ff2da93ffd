/** How a person gets into the console, and out of it. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { nextPoll } from './browser.ts';
import { describeConsole, startConsoleApi } from './describe-console.ts';

describeConsole('signing in', startConsoleApi, (ui) => {
  /** A screen that is no room's own. */
  const HERE = '/matrix';
  const heading = (page: Page) => page.getByRole('heading', { name: 'Site to site', level: 1 });
  const account = (page: Page, name = '') => page.getByRole('button', { name: `Token: ${name}` });
  const signOut = async (page: Page) => {
    await account(page).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  };
  const kept = (page: Page) => page.evaluate<string>('Object.values(localStorage).join()');

  test('a link signs in, and its token is gone from the address and the history', async () => {
    const { url, token } = ui.lanreach;
    const { page } = await ui.open(HERE);
    await heading(page).waitFor();
    expect(page.url()).toBe(`${url}/console/#${HERE}`);
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
    await page.reload();
    await heading(page).waitFor();
    expect(await kept(page)).not.toContain(token);
  });

  test('without a token the page asks for one, and says how to get it', async () => {
    const { token } = ui.lanreach;
    const { page } = await ui.open(HERE, { token: null });
    await page.getByText('Where do I get a token?').click();
    await page.getByText('lanreach open').waitFor();
    await page.getByLabel('Token').fill('not a token');
    await page.keyboard.press('Enter');
    await page.getByText('Not a token').waitFor();
    await page.getByLabel('Token').fill('lr_0123456789abcdef.wrong');
    await page.keyboard.press('Enter');
    // There was no session yet.
    await page.getByText('Unknown token.').waitFor();
    expect(await page.getByText('You were signed out').count()).toBe(0);
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await heading(page).waitFor();
    await signOut(page);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('who asks for it stays signed in on the device, in every tab, until somebody signs out', async () => {
    const { url, token } = ui.lanreach;
    const { page, openTab } = await ui.open(HERE, { token: null });
    await page.getByLabel('Token').fill(token);
    await page.getByLabel('Keep me signed in on this device').check();
    await page.getByText('This browser keeps the token until you sign out.').waitFor();
    await page.keyboard.press('Enter');
    await heading(page).waitFor();
    const second = await openTab({ url, at: HERE });
    await heading(second).waitFor();
    await signOut(page);
    await second.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await kept(page)).not.toContain(token);

    // By a link nobody was asked: it is told afterwards, and taken back.
    const third = await openTab({ url, token: token, at: HERE });
    await account(third).click();
    const choice = third.getByLabel('Keep me signed in on this device');
    await choice.check();
    expect(await kept(third)).toContain(token);
    await choice.uncheck();
    expect(await kept(third)).not.toContain(token);
    await third.reload();
    await heading(third).waitFor();
  });

  test('a link that signs in asks before it replaces the session of another token', async () => {
    const { url } = ui.lanreach;
    const other = await ui.lanreach.createToken({ name: 'of somebody else', scopes: ['devices:read'] });
    const { page } = await ui.open(HERE);
    await heading(page).waitFor();
    const question = page.getByRole('dialog', { name: 'Sign in with a different token?' });
    const link = `#${new URLSearchParams({ token: other, to: '/no/such/screen' })}`;
    // Pasted into the open tab, and opened in its place.
    for (const open of [
      () => page.evaluate(`location.hash = ${JSON.stringify(link)}`),
      () => page.goto(`${url}/docs`).then(() => page.goto(`${url}/console/${link}`)),
    ]) {
      await open();
      await question.waitFor();
      expect(page.url()).not.toContain('token=');
      await question.getByRole('button', { name: 'Stay signed in' }).click();
      await question.waitFor({ state: 'detached' });
      await account(page, 'test').waitFor();
    }
    await page.evaluate(`location.hash = ${JSON.stringify(link)}`);
    await question.getByRole('button', { name: 'Sign in with link' }).click();
    await account(page, 'of somebody else').waitFor();
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0);
    // The link of one's own session is no question.
    await page.evaluate(`location.hash = ${JSON.stringify(`#token=${other}&to=${HERE}`)}`);
    await heading(page).waitFor();
    expect(await question.count()).toBe(0);
  });

  test('the session of every tab ends when its token is revoked', async () => {
    const { url } = ui.lanreach;
    const token = await ui.lanreach.createToken({ scopes: ['devices:read'], sites: ['home'] });
    const { page, openTab } = await ui.open(HERE, { token, isTimeMovable: true });
    const second = await openTab({ url, token, at: HERE });
    for (const tab of [page, second]) await heading(tab).waitFor();
    const id = /^lr_([0-9a-f]+)/.exec(token)?.[1];
    expect((await ui.lanreach.request('DELETE', `/tokens/${id}`)).status).toBe(200);
    for (const tab of [page, second]) {
      await nextPoll(tab);
      await tab.getByText('You were signed out').waitFor();
    }
  });
});
