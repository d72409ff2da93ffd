/** Every screen of the console: a line here puts it under the tests that hold for all of them. */
import type { Page } from 'playwright-core';
import type { RealisticSystem } from './realistic-system.ts';

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

function dialog(button: string, title: RegExp) {
  return async (page: Page) => {
    await page.getByRole('button', { name: button }).first().click();
    await page.getByRole('dialog', { name: title }).waitFor();
  };
}

export const SCREENS: readonly Screen[] = [
  {
    name: 'sign-in',
    at: () => '/',
    token: null,
    isComplete: (page) => page.getByRole('button', { name: 'Sign in with Example Ltd' }).waitFor(),
  },
  {
    name: 'sign-in-by-token',
    at: () => '/',
    token: null,
    open: async (page) => {
      await page.getByText('Sign in with a token').click();
      await page.getByLabel('Token').waitFor();
    },
  },
  { name: 'connect', at: () => '/connect' },
  { name: 'no-request', at: () => '/connect/BCDF-GHJK' },
  { name: 'batches', at: () => '/batches' },
  {
    name: 'batch',
    at: ({ batch }) => `/batches/${batch}`,
    isComplete: (page) => page.getByText('3 of 3 sites ended').waitFor(),
  },
  { name: 'new-batch', at: () => '/batches/new?tool=traceroute&sites=tag:customers' },
  { name: 'people', at: () => '/admin/people' },
  { name: 'person', at: ({ person }) => `/admin/people/${person}` },
  {
    name: 'roles',
    at: ({ person }) => `/admin/people/${person}`,
    open: dialog('Change the roles', /^Roles of Ben Okafor/),
  },
  { name: 'templates', at: () => '/admin/templates' },
  { name: 'template', at: () => '/admin/templates/rented' },
  { name: 'change-template', at: () => '/admin/templates/rented', open: dialog('Change', /^Change/) },
  {
    name: 'made-code-for-several',
    at: () => '/sites/home/agents/new',
    open: async (page) => {
      await page.getByText('For several hosts').click();
      await page.getByRole('textbox', { name: 'Number of hosts' }).fill('20');
      await page.getByRole('button', { name: 'Show the command' }).click();
      await page.getByText('The code works 20 times').waitFor();
    },
  },
  {
    name: 'sites-to-choose',
    at: () => '/no/such/screen',
    open: async (page) => {
      await page.getByRole('button', { name: /^Site: / }).click();
      await page.getByRole('option', { name: /^Home/ }).waitFor();
    },
  },
  {
    name: 'account',
    at: () => '/no/such/screen',
    open: async (page) => {
      await page.getByRole('button', { name: /^Token: / }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    },
  },
  { name: 'forbidden', at: () => '/sites/no-such-site/devices' },
  { name: 'sites', at: () => '/' },
  { name: 'overview', at: () => '/sites/home' },
  { name: 'overview-with-trouble', at: () => '/sites/office' },
  { name: 'add-site', at: () => '/add-site' },
  { name: 'new-agent', at: () => '/sites/holiday-flat/agents/new' },
  { name: 'devices', at: () => '/sites/home/devices' },
  {
    name: 'device-beside',
    at: () => '/sites/home/devices?by=location',
    open: async (page) => {
      await page
        .getByRole('row', { name: /gateway/ })
        .getByText('192.168.1.1')
        .click();
      await page.getByRole('complementary', { name: 'Device gateway' }).getByText('online').first().waitFor();
    },
  },
  { name: 'no-devices', at: () => '/sites/holiday-flat/devices' },
  { name: 'device', at: ({ device }) => `/sites/home/devices/${encodeURIComponent(device)}` },
  { name: 'device-ports', at: ({ device }) => `/sites/home/devices/${encodeURIComponent(device)}?tab=ports` },
  { name: 'device-history', at: ({ device }) => `/sites/home/devices/${encodeURIComponent(device)}?tab=history` },
  { name: 'device-runs', at: ({ device }) => `/sites/home/devices/${encodeURIComponent(device)}?tab=runs` },
  { name: 'no-device', at: () => '/sites/home/devices/00:00:00:00:00:01' },
  {
    name: 'why-it-is-that',
    at: ({ device }) => `/sites/home/devices/${encodeURIComponent(device)}`,
    open: async (page) => {
      const identity = page.getByRole('region', { name: 'What it is' });
      await identity.getByText('Why').first().click();
      await identity.getByRole('list', { name: /observations$/ }).waitFor();
    },
  },
  {
    name: 'same',
    at: () => '/sites/home/same',
    isComplete: (page) =>
      page
        .getByText(/oma-pocket/)
        .first()
        .waitFor(),
  },
  { name: 'joined', at: ({ joined }) => `/sites/office/devices/${encodeURIComponent(joined)}` },
  { name: 'map', at: () => '/sites/home/map' },
  { name: 'map-of-networks', at: () => '/sites/home/map?view=lanes' },
  {
    name: 'map-as-it-was',
    at: () => '/sites/home/map?view=tree',
    open: async (page) => {
      await page.getByRole('button', { name: 'As it was' }).click();
      await page.getByRole('slider').waitFor();
    },
  },
  {
    name: 'proposed-places',
    at: () => '/sites/home/map',
    open: async (page) => {
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.getByRole('button', { name: 'Accept all 3' }).waitFor();
    },
  },
  { name: 'changes', at: () => '/sites/office/changes' },
  { name: 'checks', at: () => '/sites/office/checks' },
  { name: 'check', at: ({ check }) => `/sites/office/checks/${check}` },
  { name: 'check-as-table', at: ({ check }) => `/sites/office/checks/${check}?as=table` },
  { name: 'add-check', at: () => '/sites/office/checks', open: dialog('Add a check', /^Add/) },
  { name: 'internet', at: () => '/sites/office/internet' },
  { name: 'internet-not-measured', at: () => '/sites/workshop/internet' },
  { name: 'schedules', at: () => '/sites/office/schedules' },
  { name: 'add-schedule', at: () => '/sites/office/schedules', open: dialog('Add a schedule', /^Add/) },
  { name: 'matrix', at: () => '/matrix' },
  { name: 'path', at: () => '/matrix', open: dialog('From Office in Leipzig to Workshop', /^From/) },
  { name: 'events', at: () => '/sites/home/events' },
  { name: 'all-events', at: () => '/events' },
  { name: 'tools', at: () => '/sites/home/tools' },
  { name: 'tool', at: () => '/sites/home/tools/nmap' },
  { name: 'runs', at: () => '/sites/home/runs' },
  { name: 'run', at: ({ job }) => `/sites/home/runs/${job}` },
  { name: 'notifications', at: () => '/sites/home/notifications' },
  { name: 'notification', at: ({ hook }) => `/sites/home/notifications/${hook}` },
  { name: 'agents', at: () => '/admin/agents' },
  { name: 'agent', at: () => '/sites/office/agents/attic' },
  { name: 'updates', at: () => '/admin/updates' },
  { name: 'audit', at: () => '/admin/audit?site=home' },
  { name: 'settings', at: () => '/sites/home/settings' },
  { name: 'tokens', at: () => '/admin/tokens' },
  { name: 'invite', at: () => '/admin/tokens', open: dialog('Invite somebody', /^Invite/) },
  { name: 'new-token', at: () => '/admin/tokens', open: dialog('Make a token', /^Make/) },
  {
    name: 'add-notification',
    at: () => '/sites/home/notifications',
    open: async (page) => {
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('button', { name: /^ntfy/ }).click();
      await page.getByRole('dialog', { name: 'Add ntfy' }).waitFor();
    },
  },
  { name: 'edit-notification', at: ({ hook }) => `/sites/home/notifications/${hook}`, open: dialog('Edit', /^Edit/) },
  { name: 'remove-site', at: () => '/sites/office/settings', open: dialog('Remove …', /^Remove/) },
  { name: 'enrolment', at: () => '/sites/home/enrol/main' },
  {
    name: 'line-for-the-host',
    at: () => '/sites/workshop/agents/new',
    open: async (page) => {
      await page.getByRole('button', { name: 'Show the command' }).click();
      await page.getByText('Waiting for the command').waitFor();
    },
  },
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
      await page.getByRole('combobox', { name: /^Search/ }).fill('plug');
      await page
        .getByRole('option', { name: /^plug-1 / })
        .first()
        .waitFor();
    },
  },
];

/** Those that the documents show; each has to be one of {@link SCREENS}. */
export const README_SCREENS: readonly { name: string; theme: 'light' | 'dark' }[] = [
  { name: 'sites', theme: 'light' },
  { name: 'overview', theme: 'dark' },
  { name: 'devices', theme: 'light' },
  { name: 'device', theme: 'dark' },
  { name: 'map', theme: 'light' },
  { name: 'sign-in', theme: 'light' },
];
