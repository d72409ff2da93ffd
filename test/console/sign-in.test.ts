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
    // There was no session yet.
    await page.getByText('This token is not known here.').waitFor();
    expect(await page.getByText('You were signed out').count()).toBe(0);
    await page.getByLabel('Token').fill(token.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('a link that signs in asks before it replaces the session of another token', async () => {
    const { url } = ui.lanreach.system;
    const other = await ui.lanreach.createToken({ name: 'of somebody else', scopes: ['devices:read'] });
    const { page } = await ui.open('/tokens');
    const heading = page.getByRole('heading', { name: 'Tokens', level: 1 });
    await heading.waitFor();
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
      expect(await violations(page)).toEqual([]);
      await question.getByRole('button', { name: 'Stay signed in' }).click();
      await question.waitFor({ state: 'detached' });
      await page.getByText('Token: npm start').waitFor();
    }
    await page.evaluate(`location.hash = ${JSON.stringify(link)}`);
    await question.getByRole('button', { name: 'Sign in with the link' }).click();
    await page.getByText('Token: of somebody else').waitFor();
    await page.getByRole('heading', { name: 'There is nothing at this address.' }).waitFor();
    expect(await page.getByRole('link', { name: 'Tokens' }).count()).toBe(0);
    // The link of one's own session is no question.
    await page.evaluate(`location.hash = ${JSON.stringify(`#token=${other}&to=/`)}`);
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
    expect(await question.count()).toBe(0);
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
