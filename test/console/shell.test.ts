/** The frame around every screen: its keys, the search, the focus, the colours. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { describeConsole, startConsoleApi } from './describe-console.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const PRINTER = '02:00:00:00:00:01';

describeConsole('the frame', startConsoleApi, (ui) => {
  beforeAll(async () => {
    const rows = [`Printer upstairs,${PRINTER},192.0.2.1`, `${HOSTILE},02:00:00:00:00:02,192.0.2.2`];
    await ui.lanreach.importCsv(['devName,devMAC,devIP', ...rows, ''].join('\n'));
    for (let i = 0; i < 20; i++) {
      await ui.lanreach.request('POST', '/sites', { body: { id: `branch-${i}`, name: `Branch ${i}` } });
    }
    await ui.lanreach.importCsv('devName,devMAC,devIP\nPrinter elsewhere,02:00:00:00:00:09,192.0.2.9\n', 'branch-1');
  });

  const { open } = ui;
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });
  const addressOf = (page: Page) => new URL(page.url()).hash;
  /** The frame alone. */
  const NOWHERE = '/no/such/screen';
  const nowhere = (page: Page) => heading(page, 'Page not found');
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.tagName');
  const account = (page: Page) => page.getByRole('button', { name: /^Token: / });
  const field = (page: Page) => page.getByRole('combobox', { name: /^Search|^Actions for/ });

  test('the keys are shown by "?" and by a button, and those without Ctrl can be turned off', async () => {
    const { page } = await open(NOWHERE);
    await nowhere(page).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Go to all sites').waitFor();
    await dialog.getByText('Search devices, sites and actions').waitFor();
    await dialog.getByLabel('Shortcuts without Ctrl or ⌘').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    expect(await dialog.count()).toBe(0);

    await account(page).click();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await dialog.getByLabel('Shortcuts without Ctrl or ⌘').check();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('a device is found by keyboard alone, and another time among what was opened last', async () => {
    const { page } = await open('/sites/home/no-such-screen');
    await page.getByRole('link', { name: 'Map' }).waitFor();
    // The names of devices are text.
    await page.keyboard.press('Control+k');
    await field(page).fill('192.0.2.2');
    await page.getByRole('option', { name: HOSTILE }).waitFor();
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    // No letter is lost, however fast they come.
    await page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }));
      document.execCommand('insertText', false, 'upst')`);
    expect(await field(page).inputValue()).toBe('upst');
    const option = page.getByRole('option', { name: /Printer upstairs/ });
    await option.waitFor();
    await expect.poll(() => option.getAttribute('aria-selected')).toBe('true');
    expect(await field(page).getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'));
    await page.keyboard.press('Enter');
    await expect.poll(() => addressOf(page)).toBe(`#/sites/home/devices/${encodeURIComponent(PRINTER)}`);

    await page.keyboard.press('Control+k');
    await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Printer upstairs' }).waitFor();
    expect(await page.evaluate('Object.values(localStorage).join()')).not.toContain('Printer');
    await page.keyboard.press('Escape');
    await account(page).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('sites, screens, actions and the devices of every site are found, and told what to do', async () => {
    const { page } = await open(NOWHERE);
    await nowhere(page).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Branch 0 branch-0' }).waitFor();
    // Up from the first is the last: the actions.
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.getByRole('option', { name: 'Sign out' }).getAttribute('aria-selected')).toBe('true');
    await field(page).fill('go branch 17');
    await page.keyboard.press('Enter');
    await expect.poll(() => addressOf(page)).toBe('#/sites/branch-17');
    await page.keyboard.press('Control+k');
    await field(page).fill('theme dark');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.goBack();
    await page.keyboard.press('Control+k');
    await field(page).fill('printer');
    await page.getByRole('option', { name: 'Printer upstairs' }).waitFor();
    await page.getByRole('option', { name: 'Printer elsewhere' }).filter({ hasText: 'Branch 1 · 192.0.2.9' }).waitFor();
    await field(page).fill('no such thing');
    await page.getByText('No results for “no such thing”.').waitFor();

    let asked: unknown = null;
    await page.route('**/nettools/wakeonlan*', (route) => {
      asked = [new URL(route.request().url()).searchParams.get('site'), route.request().postDataJSON()];
      return route.fulfill({ status: 202, json: { id: 'branch-1.1', state: 'queued' } });
    });
    await field(page).fill('wake elsewhere');
    await page.getByRole('option', { name: 'Wake Printer elsewhere' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Waking Printer elsewhere').waitFor();
    expect(asked).toEqual(['branch-1', { devMac: '02:00:00:00:00:09', verify: true }]);

    // What else can be done with a device, and back to what was found.
    await page.keyboard.press('Control+k');
    await field(page).fill('elsewhere');
    await page.getByRole('option', { name: 'Printer elsewhere' }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('option', { name: 'Scan ports of Printer elsewhere' }).waitFor();
    await page.keyboard.press('Escape');
    await field(page).and(page.getByLabel('Search')).waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('z');
    await expect.poll(() => addressOf(page)).toBe('#/sites/branch-1/runs/branch-1.1');
  });

  test('a message stays while the pointer is on it, and what it offers has a key', async () => {
    const { page } = await open('/sites/home/no-such-screen');
    await nowhere(page).waitFor();
    await page.clock.install();
    // No test may scan a network: the answer is one that the API gives where discovery is on.
    await page.route('**/nettools/trigger-scan*', (route) =>
      route.fulfill({ status: 202, json: { success: true, message: 'started', scan_id: 'home.1', jobs: [] } }),
    );
    const scan = async () => {
      await page.keyboard.press('Control+k');
      await field(page).fill('scan for devices');
      await page.keyboard.press('Enter');
      await page.getByText('Scan started.').waitFor();
    };
    await scan();
    await page.getByRole('button', { name: 'Show', exact: true }).hover();
    await page.clock.fastForward('05:00');
    expect(await page.getByText('Scan started.').isVisible()).toBe(true);
    await page.mouse.move(300, 300);
    await page.clock.runFor('05:00');
    await page.getByText('Scan started.').waitFor({ state: 'detached' });
    await scan();
    await page.keyboard.press('z');
    await expect.poll(() => addressOf(page)).toBe('#/sites/home/runs/home.1');
    expect(await page.getByText('Scan started.').count()).toBe(0);
  });

  test('the focus goes to the heading of the screen that is opened, the title follows, and back leads back', async () => {
    const { page } = await open('/');
    await page.getByRole('link', { name: 'Branch 9', exact: true }).waitFor();
    expect(await page.title()).toBe('All sites · LanReach');
    await page.evaluate('window.scrollTo(0, 150)');
    await expect.poll(() => page.evaluate('window.scrollY')).toBe(150);
    await page.evaluate(`location.hash = '/no/such/screen'`);
    await nowhere(page).waitFor();
    await expect.poll(() => focused(page)).toBe('H1');
    expect(await page.title()).toBe('Page not found · LanReach');
    expect(await page.evaluate('window.scrollY')).toBe(0);
    await page.goBack();
    await heading(page, 'All sites').waitFor();
    await expect.poll(() => focused(page)).toBe('H1');
    await expect.poll(() => page.evaluate('window.scrollY')).toBe(150);
  });

  test('another site is chosen by keyboard, shows the same screen, and all sites come first', async () => {
    const { page } = await open('/sites/home/changes');
    const switcher = page.getByRole('button', { name: /^Site: / });
    await switcher.and(page.getByLabel(/Home/)).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    const search = page.getByRole('combobox', { name: 'Find a site' });
    await search.waitFor();
    expect(await page.getByRole('option').first().textContent()).toBe('All sites');
    await search.fill('branch 3');
    await page.keyboard.press('Enter');
    await expect.poll(() => addressOf(page)).toBe('#/sites/branch-3/changes');
    await search.waitFor({ state: 'detached' });
    await switcher.and(page.getByLabel(/Branch 3/)).waitFor();
    await switcher.click();
    await search.fill('nowhere');
    await page.getByText('No site matches “nowhere”.').waitFor();
    await page.keyboard.press('Escape');
    await switcher.and(page.locator(':focus')).waitFor();

    // Words or icons alone, also after the page is loaded again.
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' });
    const width = async () => (await link.boundingBox())?.width ?? 0;
    expect(await width()).toBeGreaterThan(150);
    await page.getByRole('button', { name: 'Collapse the side bar' }).click();
    await expect.poll(width).toBeLessThan(50);
    await page.reload();
    await link.waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await width()).toBeLessThan(50);
    expect(await violations(page)).toEqual([]);
    // The site, the screen, and what it is about.
    await page.evaluate(`location.hash = '/sites/home/devices/${encodeURIComponent(PRINTER)}'`);
    const path = page.getByRole('navigation', { name: 'You are here' }).getByRole('listitem');
    await expect.poll(() => path.allTextContents()).toEqual(['Home', 'Devices', 'Printer upstairs']);
  });

  test('an entry of the side bar is current for each of its tabs, and the keys lead to the tabs', async () => {
    const { page } = await open('/sites/home');
    const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' });
    await entry.click();
    await heading(page, 'Changes').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Activity' }).getByRole('link');
    expect(await tabs.allTextContents()).toEqual(['Changes', 'Events', 'Report']);
    await tabs.filter({ hasText: 'Events' }).click();
    await heading(page, 'Events').waitFor();
    expect(await page.title()).toBe('Events · LanReach');
    expect(await tabs.and(page.locator('[aria-current=page]')).allTextContents()).toEqual(['Events']);
    expect(await entry.getAttribute('aria-current')).toBe('page');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await heading(page, 'History').waitFor();
    expect(await entry.getAttribute('aria-current')).toBeNull();
    const others = page.getByRole('navigation', { name: 'Tools' }).getByRole('link');
    expect(await others.allTextContents()).toEqual(['Run', 'History', 'Schedules']);
  });

  test('on a phone a bar at the bottom leads on, and the side bar is a sheet that Escape and a tap beside it close', async () => {
    const { page } = await open(NOWHERE, { width: 390 });
    await nowhere(page).waitFor();
    const link = page.getByRole('link', { name: 'Fleet' });
    const button = page.getByRole('button', { name: 'More' });
    expect(await link.isVisible()).toBe(false);
    await button.click();
    await link.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    await button.and(page.locator(':focus')).waitFor();
    await button.click();
    await link.waitFor();
    await page.mouse.click(200, 100);
    await link.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Search' }).click();
    await field(page).fill('upstairs');
    await page.getByRole('option', { name: 'Printer upstairs' }).click();
    await expect.poll(() => addressOf(page)).toBe(`#/sites/home/devices/${encodeURIComponent(PRINTER)}`);
    const heights = await page
      .getByRole('navigation', { name: 'Quick access' })
      .locator('a, button')
      .evaluateAll((all) => all.map((one) => (one as unknown as { offsetHeight: number }).offsetHeight));
    expect(heights).toHaveLength(6);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  });

  test('colours, rows and language are chosen, and are there before anything is painted', async () => {
    const { page } = await open(NOWHERE, { theme: 'light' });
    const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const choose = async (name: string) => {
      await account(page).click();
      await page.getByRole('button', { name, exact: true }).click();
      await page.keyboard.press('Escape');
    };
    await nowhere(page).waitFor();
    const light = await background();
    await choose('Dark');
    await expect.poll(background).not.toBe(light);
    const dark = await background();
    await choose('Comfortable');
    expect(await page.evaluate('document.documentElement.dataset.density')).toBe('comfortable');

    // The script of the console is kept back: what is seen now is seen before it runs.
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route(/assets\/index-.*\.js$/, async (route) => {
      await held;
      await route.continue();
    });
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    await page.reload({ waitUntil: 'commit' });
    await expect.poll(() => page.evaluate('document.body !== null')).toBe(true);
    expect(await page.evaluate('document.querySelector("#app header")')).toBeNull();
    await expect.poll(background).toBe(dark); // Its style sheet may come after the first bytes.
    goOn();
    await nowhere(page).waitFor();
    await choose('System');
    await expect.poll(background).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(background).toBe(dark);
    await account(page).click();
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await heading(page, 'Seite nicht gefunden').waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toMatch(/^de/);
  });

  test('with the strong colours of the system, what is chosen has a line around it', async () => {
    const { page } = await open('/matrix');
    await heading(page, 'Site to site').waitFor();
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    const outline = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).outlineStyle`);
    const current = page.getByRole('link', { name: 'Site to site', exact: true });
    expect(await current.getAttribute('aria-current')).toBe('page');
    expect(await outline('[aria-current=page]')).toBe('solid');
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    expect(await outline('[role=option][aria-selected=true]')).toBe('solid');
  });
});
