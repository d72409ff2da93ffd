/** Every screen of the console: a line here puts it under the tests that hold for all of them. */
import type { Page } from 'playwright-core';
import { DEVICE_SCREENS } from './device-screens.ts';
import { chosen, dialog, opened, type Screen } from './screen.ts';

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search/ }).fill(text);
  const found = page.getByRole('option', { name: /^plug-1 / });
  await found.first().waitFor();
}

async function enterToken(page: Page, name: string): Promise<void> {
  await dialog('Create token', /^Create/)(page);
  await page.getByRole('dialog').getByLabel('Name').fill(name);
}

export const SCREENS: readonly Screen[] = [
  {
    name: 'sign-in',
    at: () => '/',
    token: null,
    isComplete: (page) => page.getByRole('button', { name: 'Sign in with Example Ltd' }).waitFor(),
  },
  {
    ...opened('sign-in-by-token', '/', async (page) => {
      await page.getByText('Sign in with a token').click();
      await page.getByLabel('Token').waitFor();
      await page.getByText('Where do I get a token?').click();
    }),
    token: null,
  },
  opened('another-session', '/matrix', async (page) => {
    await page.evaluate(`location.hash = '#token=lr_0123456789abcdef.of-somebody-else&to=/'`);
    await page.getByRole('dialog', { name: 'Sign in with a different token?' }).waitFor();
  }),
  { name: 'no-request', at: () => `/connect/${'0'.repeat(32)}` },
  { name: 'batches', at: () => '/batches' },
  {
    name: 'batch',
    at: ({ batch }) => `/batches/${batch}`,
    isComplete: (page) => page.getByText('Finished at 3 of 3 sites').waitFor(),
  },
  { name: 'new-batch', at: () => '/batches/new?tool=traceroute&sites=tag:customers' },
  { name: 'people', at: () => '/admin/people' },
  { name: 'person', at: ({ person }) => `/admin/people/${person}` },
  opened('roles', ({ person }) => `/admin/people/${person}`, dialog('Change roles', /^Roles of Ben Okafor/)),
  { name: 'templates', at: () => '/admin/templates' },
  { name: 'template', at: () => '/admin/templates/rented' },
  { name: 'change-template', at: () => '/admin/templates/rented', open: dialog('Change', /^Change/) },
  opened('made-code-for-several', '/sites/home/agents/new', async (page) => {
    await page.getByText('Multiple hosts').click();
    await page.getByRole('textbox', { name: 'Number of hosts' }).fill('20');
    await page.getByRole('button', { name: 'Show command' }).click();
    await page.getByText('Valid 20 times').waitFor();
  }),
  opened('sites-to-choose', '/no/such/screen', async (page) => {
    await page.getByRole('button', { name: /^Site: / }).click();
    await page.getByRole('option', { name: /^Home/ }).waitFor();
  }),
  opened('account', '/no/such/screen', async (page) => {
    await page.getByRole('button', { name: /^Token: / }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  }),
  { name: 'forbidden', at: () => '/sites/no-such-site/devices' },
  { name: 'sites', at: () => '/' },
  { name: 'overview', at: () => '/sites/home' },
  { name: 'overview-with-trouble', at: () => '/sites/office' },
  { name: 'overview-as-imported', at: () => '/sites/workshop' },
  { name: 'add-site', at: () => '/add-site' },
  { name: 'new-agent', at: () => '/sites/holiday-flat/agents/new' },
  ...DEVICE_SCREENS,
  { name: 'changes', at: () => '/sites/office/changes' },
  { name: 'checks', at: () => '/sites/office/checks' },
  { name: 'check', at: ({ check }) => `/sites/office/checks/${check}` },
  { name: 'check-as-table', at: ({ check }) => `/sites/office/checks/${check}?as=table` },
  opened('add-check', '/sites/office/checks', async (page) => {
    await dialog('Add a check', /^Add/)(page);
    const form = page.getByRole('dialog');
    await form.getByLabel('Type').selectOption('tcp');
    await form.getByRole('button', { name: 'Add a check' }).click();
    await form.getByText('A number from 1 to 65535.').waitFor();
  }),
  { name: 'internet', at: () => '/sites/office/internet' },
  { name: 'internet-not-measured', at: () => '/sites/workshop/internet' },
  { name: 'schedules', at: () => '/sites/office/schedules' },
  opened('add-schedule', '/sites/office/schedules', async (page) => {
    await dialog('Add a schedule', /^Add/)(page);
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Add a schedule' }).click();
    await form.getByRole('alert').getByText('Device, IP address, or a range').waitFor();
  }),
  { name: 'matrix', at: () => '/matrix' },
  { name: 'path', at: () => '/matrix', open: dialog('From Office in Leipzig to Workshop', /^From/) },
  { name: 'events', at: () => '/sites/home/events' },
  { name: 'report', at: () => '/report' },
  opened('outage', '/sites/office/events?type=outage', async (page) => {
    const members = page.getByText(/^Show \d+ devices$/);
    await members.first().click();
  }),
  opened('bell', '/sites/home/events', async (page) => {
    await page.getByRole('button', { name: /^Recent events/ }).click();
    await page.getByRole('dialog', { name: 'Recent events' }).waitFor();
  }),
  { name: 'all-events', at: () => '/events' },
  { name: 'tools', at: () => '/sites/home/tools' },
  { name: 'tool', at: () => '/sites/home/tools/nmap' },
  opened('tool-with-fault', '/sites/home/tools/wakeonlan', async (page) => {
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Enter a device, IP address or MAC address.').waitFor();
  }),
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
  { name: 'invite', at: () => '/admin/tokens', open: dialog('Invite by link', /^Invite/) },
  opened('made-invitation', '/admin/tokens', async (page) => {
    await dialog('Invite by link', /^Invite/)(page);
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('checkbox', { name: /^Home/ }).check();
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByRole('img', { name: 'QR code of the sign-in link' }).waitFor();
  }),
  opened('new-token', '/admin/tokens', async (page) => {
    await enterToken(page, 'Tablet');
    await page.keyboard.press('Enter');
    await page.getByText('Choose at least one site or tag.').waitFor();
  }),
  opened('made-token', '/admin/tokens', async (page) => {
    await enterToken(page, 'Tablet');
    const form = page.getByRole('dialog');
    await form.getByRole('checkbox', { name: /^Home/ }).check();
    await form.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('dialog', { name: 'Token “Tablet”' }).waitFor();
  }),
  opened('add-notification', '/sites/home/notifications', async (page) => {
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: /^ntfy/ }).click();
    await page.getByRole('dialog', { name: 'Add ntfy' }).waitFor();
  }),
  opened(
    'new-secret',
    ({ hook }) => `/sites/home/notifications/${hook}`,
    async (page) => {
      await chosen(/^Actions for /, 'New secret')(page);
      await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
      await page.getByRole('dialog', { name: 'Signing secret' }).waitFor();
    },
  ),
  { name: 'edit-notification', at: ({ hook }) => `/sites/home/notifications/${hook}`, open: dialog('Edit', /^Edit/) },
  { name: 'remove-site', at: () => '/sites/office/settings', open: dialog('Remove …', /^Remove/) },
  { name: 'enrolment', at: () => '/sites/home/enrol/main' },
  opened('line-for-the-host', '/sites/workshop/agents/new', async (page) => {
    await page.getByRole('button', { name: 'Show command' }).click();
    await page.getByText('Waiting for the command').waitFor();
  }),
  { name: 'not-found', at: () => '/no/such/screen' },
  opened('keys', '/no/such/screen', async (page) => {
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  }),
  opened('search', '/sites/home/no-such-screen', (page) => search(page, 'plug')),
  opened('search-actions', '/sites/home/no-such-screen', async (page) => {
    await search(page, 'plug-1');
    await page.keyboard.press('Tab');
    await page.getByRole('option', { name: /^Scan ports of plug-1/ }).waitFor();
  }),
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
