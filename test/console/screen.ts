/** One state of the console that is looked at, and how it is reached. */
import type { Page } from 'playwright-core';
import type { RealisticSystem } from './filled-console.ts';

export interface Screen {
  /** Also the name of its picture. */
  name: string;
  at: (ids: RealisticSystem['ids']) => string;
  /** Null: without a session. */
  token?: null;
  /** Waits for what shows that the screen is complete, where its heading does not. */
  isComplete?: (page: Page) => Promise<void>;
  /** What is opened on it before it is looked at. */
  open?: (page: Page) => Promise<void>;
}

/** Opens the dialog that a button opens. */
export function dialog(button: string, title: RegExp) {
  return async (page: Page) => {
    await page.getByRole('button', { name: button }).first().click();
    await page.getByRole('dialog', { name: title }).waitFor();
  };
}

/** Opens what the menu of a list offers. */
export function chosen(menu: string | RegExp, item: string) {
  return async (page: Page) => {
    await page.getByRole('main').getByRole('button', { name: menu, exact: true }).first().click();
    await page.getByRole('menuitem', { name: item }).click();
  };
}

/** A screen on which something is opened by hand. */
export const opened = (name: string, path: string | Screen['at'], open: (page: Page) => Promise<void>): Screen => ({
  ...{ name, at: typeof path === 'string' ? () => path : path, open },
});
