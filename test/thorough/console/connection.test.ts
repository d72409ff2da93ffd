/** The console when the API cannot be reached, refuses, or has been upgraded, and when the session comes to its end. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { violations } from '../../console/accessibility.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

const NOWHERE = '/no/such/screen';
const UNREACHABLE = 'Connection lost. Data may be out of date';

describeConsole('the connection', startConsoleApi, (ui) => {
  // Of one site there is no overview of all.
  beforeAll(async () => {
    await ui.lanreach.request('POST', '/sites', { body: { id: 'second', name: 'Second' } });
  });

  const { open } = ui;
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
  const nowhere = (page: Page) => heading(page, 'Page not found').waitFor();
  const home = (page: Page) => page.getByRole('main').getByText('Home', { exact: true }).first();
  const startProxy = () => startTcpProxy(() => Number(new URL(ui.lanreach.url).port));

  function interrupt(proxy: TcpProxy): void {
    proxy.newConnections = 'refuse';
    proxy.resetAll();
  }

  test('it says that the API cannot be reached, opens what was loaded in advance, and goes on by itself', async () => {
    await using proxy = await startProxy();
    const { page } = await open('/', { url: `http://127.0.0.1:${proxy.port}`, loadsAhead: true });
    await home(page).waitFor();
    await page.waitForResponse(/assets\/notification-.*\.js$/); // The last screen that is loaded in advance.
    await page.waitForLoadState('networkidle');
    interrupt(proxy);
    await page.getByText(UNREACHABLE).waitFor();
    expect(await home(page).isVisible()).toBe(true); // What was there stays.
    await page.getByRole('link', { name: 'Fleet' }).click();
    await heading(page, 'Fleet runs').waitFor();
    await ui.lanreach.request('POST', '/sites', { body: { id: 'meanwhile', name: 'Made meanwhile' } });
    await page.goBack();
    proxy.newConnections = 'pass';
    await page.getByText(UNREACHABLE).waitFor({ state: 'detached' });
    await page.getByRole('main').getByText('Made meanwhile').first().waitFor();
  });

  test('what was installed opens without the server, keeps nothing of the API, and goes on when it is back', async () => {
    await using proxy = await startProxy();
    const url = `http://127.0.0.1:${proxy.port}`;
    const { page, offences } = await open('/matrix', { url, hasWorker: true, loadsAhead: true });
    await heading(page, 'Site to site').waitFor();
    const worker = () => page.evaluate('navigator.serviceWorker.getRegistration().then((one) => one?.active?.state)');
    await expect.poll(worker, { timeout: 60_000 }).toBe('activated');
    await page.reload(); // From now on by the worker.
    await heading(page, 'Site to site').waitFor();
    interrupt(proxy);
    await page.reload();
    await heading(page, 'Not connected').waitFor();
    expect(await violations(page)).toEqual([]);
    const names = await page.evaluate<string[]>(
      'caches.keys().then(([name]) => caches.open(name)).then((kept) => kept.keys()).then((all) => all.map(({ url }) => url))',
    );
    const foreign = names.filter((name) => !/\/console\/(?:index\.html|assets\/[\w.-]+)$/.test(name));
    expect([names.length > 20, foreign]).toEqual([true, []]);
    // The requests that failed meanwhile are no offences.
    expect(offences.splice(0).filter((one) => !/ERR_|Failed to fetch|TypeError/.test(one))).toEqual([]);
    proxy.newConnections = 'pass';
    await heading(page, 'Site to site').waitFor();
    const manifest = await page.evaluate<{ start_url: string; icons: { src: string }[] }>(`(async () => {
      const { href } = document.querySelector('link[rel=manifest]');
      const { start_url, icons } = await (await fetch(href)).json();
      const all = icons.map(({ src }) => ({ src: new URL(src, href).href }));
      return { start_url: new URL(start_url, href).href, icons: all };
    })()`);
    expect(manifest.start_url).toBe(`${url}/console/`);
    for (const { src } of manifest.icons) expect((await fetch(src)).status).toBe(200);
  });

  test.each([
    ['fails', false],
    ['is slow', true],
  ])('a screen whose files cannot be had says what it waits for, when looking for the page %s', async (_, isSlow) => {
    await using proxy = await startProxy();
    const url = `http://127.0.0.1:${proxy.port}`;
    const { page } = await open(NOWHERE, { url });
    await page.getByRole('link', { name: 'Fleet' }).waitFor();
    interrupt(proxy);
    let comeBack = () => {};
    const isBack = new Promise<void>((done) => {
      comeBack = done;
    });
    await page.route(`${url}/console/`, async (route) => {
      if (isSlow && route.request().resourceType() === 'fetch') await isBack;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Fleet' }).click();
    await page.getByText('Page not loaded yet').waitFor();
    proxy.newConnections = 'pass';
    comeBack();
    await heading(page, 'Fleet runs').waitFor();
  });

  test('after an upgrade the page is loaded again, once, at the same address and in the same session', async () => {
    const { page } = await open(NOWHERE);
    await nowhere(page);
    let loads = 0;
    page.on('request', (request) => request.isNavigationRequest() && loads++);
    // The browser may ask for it twice: in advance, and for the screen.
    await page.route(/assets\/batches-.*\.js$/, (route) =>
      loads === 0 ? route.fulfill({ status: 404, body: '{}' }) : route.continue(),
    );
    await page.route(`${ui.lanreach.url}/console/`, async (route) => {
      if (route.request().resourceType() !== 'fetch') return route.continue();
      await route.fulfill({ contentType: 'text/html', body: '<script type="module" src="./assets/index-new.js">' });
    });
    await page.getByRole('link', { name: 'Fleet' }).click();
    await heading(page, 'Fleet runs').waitFor();
    expect(loads).toBe(1);
  });

  test.each([
    ['breaks', { contentType: 'text/javascript', body: `export default () => { throw new Error('out of paint') }` }],
    ['is missing although nothing was upgraded', { status: 404, body: '{}' }],
  ])('a screen that %s says so, and the rest goes on', async (_, answer) => {
    const { page, offences } = await open(NOWHERE);
    await nowhere(page);
    const broken = /assets\/batches-.*\.js$/;
    await page.route(broken, (route) => route.fulfill(answer));
    await page.getByRole('link', { name: 'Fleet' }).click();
    await heading(page, 'This page could not be displayed').waitFor();
    await page.getByText(/out of paint|dynamically imported module|does not provide an export/).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(offences.splice(0).join()).toMatch(/out of paint|dynamically imported module|does not provide an export/);
    await page.unroute(broken);
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await heading(page, 'Fleet runs').waitFor();
  });

  test('what the token may do being unknown is said, and asked for again', async () => {
    const { page } = await open('/matrix', { token: null });
    await page.route('**/tokens/self', (route) =>
      route.fulfill({
        status: 500,
        json: { success: false, code: 'internal', message: 'The database is on fire', requestId: 'r-1' },
      }),
    );
    await page.getByLabel('Token').fill(ui.lanreach.token);
    await page.keyboard.press('Enter');
    await heading(page, 'Loading the permissions of this token').waitFor();
    await page.getByRole('alert').getByText('The database is on fire').waitFor();
    await page.getByText('r-1').waitFor();
    await page.unroute('**/tokens/self');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Site to site').waitFor();
  });

  test('a token that ends soon is warned of, and a hidden tab asks for nothing', async () => {
    const expiresAt = new Date(Date.now() + 10 * 3_600_000).toISOString();
    const token = await ui.lanreach.createToken({ expiresAt });
    const { page } = await open('/', { token, isTimeMovable: true });
    await home(page).waitFor();
    expect(await page.getByText('Your token expires').count()).toBe(0);
    await page.clock.setSystemTime(Date.now() + 9.5 * 3_600_000);
    await page.reload();
    await page.getByText(/Your token expires in (?:29|30) minutes/).waitFor();

    let asked = 0;
    page.on('request', () => asked++);
    await page.clock.fastForward('02:00');
    await expect.poll(() => asked).toBeGreaterThan(0);
    await makeTab(page, 'hidden');
    // What was under way, and what follows from it.
    const askedWithin = async (ms: number) => {
      asked = 0;
      await page.waitForTimeout(ms);
      return asked;
    };
    await expect.poll(() => askedWithin(1_000)).toBe(0);
    await page.clock.fastForward('10:00');
    expect(asked).toBe(0);
    await makeTab(page, 'visible');
    await expect.poll(() => asked).toBeGreaterThan(0);
  });

  /** Chromium without a screen counts every tab as visible. */
  async function makeTab(page: Page, state: 'hidden' | 'visible'): Promise<void> {
    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      window.dispatchEvent(new Event('visibilitychange'));
    `);
  }

  test('when the API asks for a pause, it waits so long, says so calmly, and then goes on', async () => {
    // One question every 15 seconds: others that are on their way are answered.
    const { page } = await open('/matrix', { isTimeMovable: true });
    await heading(page, 'Site to site').waitFor();
    await page.waitForLoadState('networkidle');
    const asked: string[] = [];
    await page.route('**/checks/matrix*', (route) => {
      asked.push(route.request().url());
      const json = { success: false, code: 'rate_limited', message: 'Too many requests', requestId: 'r-2' };
      return asked.length === 1
        ? route.fulfill({ status: 429, headers: { 'retry-after': '60' }, json })
        : route.continue();
    });
    await page.clock.fastForward('00:20');
    await page.getByText('Rate limit reached for this token').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.clock.fastForward('00:40');
    expect(asked).toHaveLength(1);
    await page.clock.fastForward('00:30');
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    await page.getByText('Rate limit reached for this token').waitFor({ state: 'detached' });
  });
});
