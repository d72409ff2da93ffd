/** Devices of a site, and the list of them in the console, for its tests. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { OpenOptions } from './browser.ts';
import type { TestedConsole } from './describe-console.ts';

export const HEADER =
  'devName,devMac,devLastIP,devType,devGroup,devVendor,devFavorite,devIsNew,devIsArchived,devAlertDown,devPresentLastScan,devParentMAC';
export const mac = (n: number) => `00:1E:06:AA:BB:${n.toString(16).padStart(2, '0').toUpperCase()}`;
/** One of each kind. */
export const SMALL = [
  HEADER,
  `switch,${mac(1)},192.168.178.1,Switch,rack,Ubiquiti,0,0,0,0,1,`,
  `nas,${mac(2)},192.168.178.2,NAS,rack,Synology,1,0,0,1,1,${mac(1)}`,
  `camera,${mac(3)},192.168.178.3,Camera,garden,Reolink,0,0,0,1,0,${mac(1)}`,
  `phone,${mac(4)},192.168.178.4,Phone,,Apple,0,1,0,0,0,`,
  `laptop,${mac(5)},192.168.178.5,Laptop,,Apple,0,1,0,0,1,`,
  `old printer,${mac(6)},192.168.178.6,Printer,,Brother,0,0,1,0,0,`,
  'sensor,,,Sensor,garden,,0,0,0,0,1,',
].join('\n');
/** Those that the list shows at first: the new ones on top. */
export const NAMES = ['laptop', 'phone', 'camera', 'nas', 'sensor', 'switch'];

/** An answer in the place of the API's. */
export const FAILURE = {
  status: 500,
  contentType: 'application/json',
  body: JSON.stringify({ code: 'internal_error', message: 'The database is out of order' }),
};

export function listOf(ui: TestedConsole) {
  const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`\\b${name}\\b`) });
  /** The names in the table, from top to bottom; tables that are compared have so few rows that all are rendered. */
  const names = (page: Page) => page.getByRole('row').getByRole('link').allTextContents();
  return {
    row,
    names,
    shows: (page: Page, expected: string[]) => expect.poll(() => names(page)).toEqual(expected),
    async open(site: string, options: Partial<OpenOptions> & { query?: string } = {}) {
      const { query = '', ...rest } = options;
      return ui.open(`/sites/${site}/devices${query}`, rest);
    },
    async device(site: string, key: string): Promise<Record<string, unknown>> {
      return (await ui.lanreach.request('GET', `/devices/${encodeURIComponent(key)}`, { site })).json as never;
    },
    field: (page: Page) => page.getByRole('combobox', { name: /^Filter devices/ }),
    /** Filters by one of the values that the field proposes. */
    async filter(page: Page, typed: string, proposal: string): Promise<void> {
      await page.getByRole('combobox', { name: /^Filter devices/ }).fill(typed);
      await page.getByRole('option', { name: proposal }).click();
    },
    async choose(page: Page, menu: string | RegExp, item: string | RegExp): Promise<void> {
      await page.getByRole('main').getByRole('button', { name: menu, exact: true }).click();
      await page.getByRole('menuitem', { name: item }).click();
    },
  };
}

export const hasFocus = async (page: Page, locator: Locator) =>
  (await locator.and(page.locator(':focus')).count()) === 1;

export async function tabTo(page: Page, locator: Locator, key: 'Tab' | 'Shift+Tab'): Promise<void> {
  await locator.waitFor(); // Else the keys could all be pressed before it is there.
  for (let i = 0; i < 30 && !(await hasFocus(page, locator)); i++) await page.keyboard.press(key);
  expect(await hasFocus(page, locator)).toBe(true);
}
