/** The console when the API cannot be reached, refuses, or has been upgraded, and when the session comes to its end. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { startTestSystem } from '../test-system.ts';
import { violations } from './accessibility.ts';
import { describeConsole } from './describe-console.ts';

/** A token may make one more each 10 seconds. */
const withFewRequests = () => startTestSystem({ TOKEN_REQUESTS_PER_MINUTE: '6' });
const UNREACHABLE = 'The API cannot be reached. What you see may be old';

describeConsole('the connection', startTestSystem, (ui) => {
  const { open } = ui;
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
  const searchField = (page: Page) => page.getByRole('combobox', { name: /^Find/ });

  function interrupt(proxy: TcpProxy): void {
    proxy.newConnections = 'refuse';
    proxy.resetAll();
  }

  test('it says that the API cannot be reached, and goes on by itself', async () => {
    await using proxy = await startTcpProxy(() => Number(new URL(ui.lanreach.system.url).port));
    const { page } = await open('/', { url: `http://127.0.0.1:${proxy.port}` });
    await page.getByRole('main').getByText('Home', { exact: true }).first().waitFor();
    interrupt(proxy);
    await page.getByText(UNREACHABLE).waitFor();
    // What was there stays.
    expect(await page.getByRole('main').getByText('Home', { exact: true }).first().isVisible()).toBe(true);
    await ui.lanreach.request('POST', '/sites', { body: { id: 'meanwhile', name: 'Made meanwhile' } });
    proxy.newConnections = 'pass';
    await page.getByText(UNREACHABLE).waitFor({ state: 'detached' });
    await page.getByRole('main').getByText('Made meanwhile').first().waitFor();
  });

  test('a part that is loaded late waits for the API as well', async () => {
    await using proxy = await startTcpProxy(() => Number(new URL(ui.lanreach.system.url).port));
    const { page } = await open('/no/such/screen', { url: `http://127.0.0.1:${proxy.port}`, savesData: true });
    await heading(page, 'There is nothing at this address.').waitFor();
    interrupt(proxy);
    await page.keyboard.press('Control+k');
    await page.getByText(UNREACHABLE).waitFor();
    const loadedAgain = page.waitForEvent('load');
    proxy.newConnections = 'pass';
    await loadedAgain;
    await heading(page, 'There is nothing at this address.').waitFor();
    await page.keyboard.press('Control+k');
    await searchField(page).waitFor();
  });

  test('a screen that was never visited opens while the API cannot be reached, because it was loaded in advance', async () => {
    await using proxy = await startTcpProxy(() => Number(new URL(ui.lanreach.system.url).port));
    const { page } = await open('/no/such/screen', { url: `http://127.0.0.1:${proxy.port}` });
    await page.waitForResponse(/assets\/hook-.*\.js$/); // The last one.
    await page.waitForLoadState('networkidle');
    interrupt(proxy);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await heading(page, 'Tokens').waitFor();
    await page.getByText(UNREACHABLE).waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    proxy.newConnections = 'pass';
    await page.getByRole('main').getByText('npm start').first().waitFor();
  });

  test('a screen whose files cannot be had says what it waits for', async () => {
    await using proxy = await startTcpProxy(() => Number(new URL(ui.lanreach.system.url).port));
    const { page } = await open('/no/such/screen', { url: `http://127.0.0.1:${proxy.port}`, savesData: true });
    await page.getByRole('link', { name: 'Tokens' }).waitFor();
    interrupt(proxy);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByText('This screen has not been loaded yet').waitFor();
    proxy.newConnections = 'pass';
    await heading(page, 'Tokens').waitFor();
  });

  test('after an upgrade the page is loaded again, once, at the same address and in the same session', async () => {
    const { page } = await open('/no/such/screen', { savesData: true });
    await heading(page, 'There is nothing at this address.').waitFor();
    let loads = 0;
    page.on('load', () => loads++);
    let refused = 0;
    await page.route(/assets\/palette-.*\.js$/, (route) => {
      return refused++ === 0 ? route.fulfill({ status: 404, body: '{}' }) : route.continue();
    });
    await page.route(`${ui.lanreach.system.url}/console/`, async (route) => {
      if (route.request().resourceType() !== 'fetch') return route.continue();
      await route.fulfill({ contentType: 'text/html', body: '<script type="module" src="./assets/index-new.js">' });
    });
    const loadedAgain = page.waitForEvent('load');
    await page.keyboard.press('Control+k');
    await loadedAgain;
    await heading(page, 'There is nothing at this address.').waitFor();
    await page.keyboard.press('Control+k');
    await searchField(page).waitFor();
    expect([loads, refused]).toEqual([1, 2]);
  });

  test('a screen that breaks says so, and the rest goes on', async () => {
    const { page, offences } = await open('/no/such/screen', { savesData: true });
    await heading(page, 'There is nothing at this address.').waitFor();
    const broken = /assets\/sites-.*\.js$/;
    await page.route(broken, (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `export default () => { throw new Error('out of paint') }`,
      }),
    );
    await page.getByRole('link', { name: 'Sites', exact: true }).click();
    await heading(page, 'This screen does not work').waitFor();
    await page.getByText('out of paint').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(offences.splice(0).join()).toContain('out of paint');
    await page.unroute(broken);
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await heading(page, 'Sites').waitFor();
  });

  test('a part that is missing although nothing was upgraded is told, not loaded again and again', async () => {
    const { page, context, offences } = await open('/no/such/screen', { savesData: true });
    await heading(page, 'There is nothing at this address.').waitFor();
    let loads = 0;
    page.on('load', () => loads++);
    await page.route(/assets\/palette-.*\.js$/, (route) => route.fulfill({ status: 404, body: '{}' }));
    // The message stays: in the time of the page nothing goes on.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.keyboard.press('Control+k');
    await page
      .getByRole('alert')
      .getByText(/dynamically imported module/)
      .waitFor();
    expect(loads).toBe(0);
    await context.close();
    const others = offences.splice(0).filter((text) => !text.includes('dynamically imported module'));
    expect(others).toEqual([]);
  });

  test('what the token may do being unknown is said, and asked for again', async () => {
    const { page } = await open('/', { token: null });
    await page.route('**/tokens/self', (route) =>
      route.fulfill({
        status: 500,
        json: { success: false, code: 'internal', message: 'The database is on fire', requestId: 'r-1' },
      }),
    );
    await page.getByLabel('Token').fill(ui.lanreach.system.token.token);
    await page.keyboard.press('Enter');
    await heading(page, 'What this token may do is not known yet').waitFor();
    await page.getByRole('alert').getByText('The database is on fire').waitFor();
    await page.getByText('r-1').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.unroute('**/tokens/self');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Sites').waitFor();
  });

  test('a token that ends soon is warned of', async () => {
    const expiresAt = new Date(Date.now() + 10 * 3_600_000).toISOString();
    const ending = await ui.lanreach.createToken({ expiresAt });
    const { page } = await open('/', { token: ending });
    await heading(page, 'Sites').waitFor();
    expect(await page.getByText('The token of this session ends').count()).toBe(0);
    await page.clock.setSystemTime(Date.now() + 9.5 * 3_600_000);
    await page.reload();
    await page.getByText(/The token of this session ends in (?:29|30) minutes/).waitFor();
  });

  test('a hidden tab asks for nothing', async () => {
    const { page } = await open('/', { token: null, savesData: true });
    await page.clock.install();
    await page.getByLabel('Token').fill(ui.lanreach.system.token.token);
    await page.keyboard.press('Enter');
    await page.getByRole('main').getByText('Home', { exact: true }).first().waitFor();
    let asked = 0;
    page.on('request', () => asked++);
    await page.clock.fastForward('02:00');
    await expect.poll(() => asked).toBeGreaterThan(0);
    await show(page, 'hidden');
    await page.waitForLoadState('networkidle');
    asked = 0;
    await page.clock.fastForward('10:00');
    await page.clock.fastForward('10:00');
    expect(asked).toBe(0);
    await show(page, 'visible');
    await expect.poll(() => asked).toBeGreaterThan(0);
  });

  /** Chromium without a screen counts every tab as visible. */
  async function show(page: Page, state: 'hidden' | 'visible'): Promise<void> {
    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      window.dispatchEvent(new Event('visibilitychange'));
    `);
  }
});

describeConsole('too many requests', withFewRequests, (ui) => {
  test('it waits as long as the API asks for, says so calmly, and then goes on', async () => {
    const token = await ui.lanreach.createToken();
    const ask = () => ui.lanreach.request('GET', '/devices/totals', { token });
    while ((await ask()).status === 200);

    const { page } = await ui.open('/', { token: null });
    const times: { at: number; refusedFor: number }[] = [];
    page.on('response', async (response) => {
      if (response.url().includes('/console/')) return;
      const seconds = Number((await response.allHeaders())['retry-after'] ?? 0);
      times.push({ at: Date.now(), refusedFor: response.status() === 429 ? seconds * 1000 : 0 });
    });
    const asked: number[] = [];
    page.on('request', (request) => void (request.url().includes('/console/') || asked.push(Date.now())));
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByText('Too many requests were made with this token').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('main').getByText('Home', { exact: true }).first().waitFor();
    await page.getByText('Token: test').waitFor();
    await page.getByText('Too many requests were made with this token').waitFor({ state: 'detached' });

    const refusals = times.filter(({ refusedFor }) => refusedFor > 0);
    expect(refusals.length).toBeGreaterThan(0);
    for (const { at, refusedFor } of refusals) {
      // What was on its way already is refused too. The moment at which the browser was told is a little earlier.
      const early = asked.filter((time) => time > at + 200 && time < at + refusedFor - 500);
      expect(early).toEqual([]);
    }
  });
});
