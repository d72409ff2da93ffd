/** The frame around every screen: its keys, the search, the focus, the colours. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { startTestSystem } from '../test-system.ts';
import { violations } from './accessibility.ts';
import { describeConsole } from './describe-console.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const PRINTER = '02:00:00:00:00:01';

describeConsole('the frame', startTestSystem, (ui) => {
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
  const nowhere = (page: Page) => heading(page, 'There is nothing at this address.');
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.tagName');
  const field = (page: Page) => page.getByRole('combobox', { name: /^Find/ });

  test('the keys are shown by "?" and by a button, and those without Ctrl can be turned off', async () => {
    const { page } = await open(NOWHERE);
    await nowhere(page).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Go to the sites').waitFor();
    await dialog.getByText('Find devices, sites and actions').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel('Shortcuts without Ctrl or ⌘').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    expect(await dialog.count()).toBe(0);

    const button = page.getByRole('button', { name: 'Keyboard shortcuts' });
    await button.click();
    await dialog.getByLabel('Shortcuts without Ctrl or ⌘').check();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await button.and(page.locator(':focus')).waitFor();
  });

  test('a device is found by keyboard alone, and another time among what was opened last', async () => {
    const { page } = await open('/sites/home/no-such-screen');
    await page.getByRole('link', { name: 'Topology' }).waitFor();
    // The names of devices are text.
    await page.keyboard.press('Control+k');
    await field(page).fill('192.0.2.2');
    await page.getByRole('option', { name: HOSTILE }).waitFor();
    await field(page).fill('');
    await field(page).pressSequentially('upst');
    const option = page.getByRole('option', { name: /Printer upstairs/ });
    await option.waitFor();
    await expect.poll(() => option.getAttribute('aria-selected')).toBe('true');
    expect(await field(page).getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'));
    await page.keyboard.press('Enter');
    await expect.poll(() => addressOf(page)).toBe(`#/sites/home/devices/${encodeURIComponent(PRINTER)}`);

    await page.keyboard.press('Control+k');
    await page
      .getByRole('group', { name: 'Recent' })
      .getByRole('option', { name: /Printer upstairs/ })
      .waitFor();
    expect(await page.evaluate('Object.values(localStorage).join()')).not.toContain('Printer');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('sites, screens and actions are found where no site is chosen, and the devices of every site', async () => {
    const { page } = await open(NOWHERE);
    await nowhere(page).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Branch 0 branch-0' }).waitFor();
    // Up from the first is the last: the actions.
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.getByRole('option', { name: 'Sign out' }).getAttribute('aria-selected')).toBe('true');
    await field(page).fill('branch 17');
    await page.keyboard.press('Enter');
    await expect.poll(() => addressOf(page)).toBe('#/sites/branch-17/devices');
    await page.keyboard.press('Control+k');
    await field(page).fill('dark');
    await page.getByRole('option', { name: 'Colours: dark' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.goBack();
    await page.keyboard.press('Control+k');
    await field(page).fill('printer');
    await page.getByRole('option', { name: `Printer upstairs Home · 192.0.2.1 · ${PRINTER}` }).waitFor();
    await page.getByRole('option', { name: 'Printer elsewhere Branch 1 · 192.0.2.9' }).waitFor();
    await field(page).fill('no such thing');
    await page.getByText('Nothing is called “no such thing”.').waitFor();
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
      await field(page).fill('look for devices');
      await page.keyboard.press('Enter');
      await page.getByText('The scan has started.').waitFor();
    };
    await scan();
    await page.getByRole('button', { name: 'Show', exact: true }).hover();
    await page.clock.fastForward('05:00');
    expect(await page.getByText('The scan has started.').isVisible()).toBe(true);
    await page.mouse.move(300, 300);
    await page.clock.runFor('05:00');
    await page.getByText('The scan has started.').waitFor({ state: 'detached' });
    await scan();
    await page.keyboard.press('z');
    await expect.poll(() => addressOf(page)).toBe('#/sites/home/runs/home.1');
    expect(await page.getByText('The scan has started.').count()).toBe(0);
  });

  test('the focus goes to the heading of the screen that is opened, the title follows, and back leads back', async () => {
    const { page } = await open('/');
    await page.getByRole('link', { name: 'Branch 9', exact: true }).waitFor();
    expect(await page.title()).toBe('Sites · LanReach');
    await page.evaluate('window.scrollTo(0, 150)');
    await expect.poll(() => page.evaluate('window.scrollY')).toBe(150);
    await page.evaluate(`location.hash = '/no/such/screen'`);
    await nowhere(page).waitFor();
    await expect.poll(() => focused(page)).toBe('H1');
    expect(await page.title()).toBe('There is nothing at this address. · LanReach');
    expect(await page.evaluate('window.scrollY')).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.goBack();
    await heading(page, 'Sites').waitFor();
    await expect.poll(() => focused(page)).toBe('H1');
    await expect.poll(() => page.evaluate('window.scrollY')).toBe(150);
  });

  test('who chooses a site with the arrow keys keeps the focus there, and the screen', async () => {
    const { page } = await open('/sites/home/map');
    const choice = page.getByLabel('Site', { exact: true }).and(page.getByRole('combobox'));
    await choice.selectOption('branch-3');
    await expect.poll(() => addressOf(page)).toBe('#/sites/branch-3/map');
    await choice.focus();
    await choice.selectOption('branch-4');
    await expect.poll(() => addressOf(page)).toBe('#/sites/branch-4/map');
    expect(await focused(page)).toBe('SELECT');
  });

  test('in a narrow window the navigation opens by a button, and closes by Escape and beside it', async () => {
    const { page } = await open(NOWHERE, { width: 390 });
    await nowhere(page).waitFor();
    const link = page.getByRole('link', { name: 'Tokens' });
    const button = page.getByRole('button', { name: 'Menu' });
    expect(await link.isVisible()).toBe(false);
    await button.click();
    await link.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    await button.and(page.locator(':focus')).waitFor();
    await button.click();
    await link.waitFor();
    await page.mouse.click(380, 700);
    await link.waitFor({ state: 'hidden' });
  });

  test('the chosen colours are there before anything is painted, and follow the system again', async () => {
    const { page } = await open('/', { theme: 'light' });
    const [light, dark] = ['rgb(245, 246, 249)', 'rgb(15, 19, 26)'];
    const theme = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const press = () => page.getByRole('button', { name: /^Colours/ }).click();
    await heading(page, 'Sites').waitFor();
    expect(await theme()).toBe(light);
    await press();
    await page.getByRole('button', { name: 'Colours: light' }).waitFor();
    await press();
    await page.getByRole('button', { name: 'Colours: dark' }).waitFor();
    expect(await theme()).toBe(dark);

    // The script of the console is kept back: what is seen now is seen before it runs.
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route(/assets\/index-.*\.js$/, async (route) => {
      await held;
      await route.continue();
    });
    expect(await page.evaluate('document.documentElement.lang')).toBe('en-GB');
    await page.reload({ waitUntil: 'commit' });
    await expect.poll(() => page.evaluate('document.body !== null')).toBe(true);
    expect(await page.evaluate('document.querySelector("#app header")')).toBeNull();
    expect(await theme()).toBe(dark);
    goOn();
    await heading(page, 'Sites').waitFor();
    await press();
    await page.getByRole('button', { name: 'Colours: as the system' }).waitFor();
    expect(await theme()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(theme).toBe(dark);
  });

  test('with the strong colours of the system, what is chosen has a line around it', async () => {
    const { page } = await open('/');
    await heading(page, 'Sites').waitFor();
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    const outline = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).outlineStyle`);
    const current = page.getByRole('link', { name: 'Sites', exact: true });
    expect(await current.getAttribute('aria-current')).toBe('page');
    expect(await outline('[aria-current=page]')).toBe('solid');
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    expect(await outline('[role=option][aria-selected=true]')).toBe('solid');
  });
});
