/** Every screen of the console: a line here puts it under the tests that hold for all of them. */
import type { Page } from 'playwright-core';
import type { RealisticSystem } from './realistic-system.ts';

export interface Screen {
  /** Also the name of its picture. */
  name: string;
  at: (ids: RealisticSystem['ids']) => string;
  /** Null: nobody is signed in. */
  token?: null;
  /** Waits for what shows that the screen is complete, where its heading does not. */
  isComplete?: (page: Page) => Promise<void>;
  /** What is opened on it before it is looked at. */
  open?: (page: Page) => Promise<void>;
}

export const SCREENS: readonly Screen[] = [
  { name: 'sign-in', at: () => '/', token: null },
  { name: 'sites', at: () => '/' },
  { name: 'not-found', at: () => '/no/such/screen' },
  {
    name: 'keys',
    at: () => '/no/such/screen',
    open: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
  {
    name: 'search',
    at: () => '/sites/home/no-such-screen',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Find/ }).fill('plug');
      await page
        .getByRole('option', { name: /plug-1 / })
        .first()
        .waitFor();
    },
  },
];

/** Those that the README shows; each has to be one of {@link SCREENS}. */
export const README_SCREENS: readonly { name: string; theme: 'light' | 'dark' }[] = [
  { name: 'sites', theme: 'light' },
  { name: 'devices', theme: 'light' },
  { name: 'device', theme: 'dark' },
  { name: 'topology', theme: 'light' },
];
