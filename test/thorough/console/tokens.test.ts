/** The screen of tokens: making one, its secret that is shown once, revoking. */
import { expect, test } from 'vitest';
import type { OpenOptions } from '../../console/browser.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';

/** Under which another host would reach the service. */
const OUTER = 'http://192.0.2.7:8787';

describeConsole('tokens', startConsoleApi, (ui) => {
  const open = (options?: Partial<OpenOptions>) => ui.open('/admin/tokens', options);

  test('one is made by keyboard, its secret is shown once, its link signs in, and it is revoked', async () => {
    const { url } = ui.lanreach;
    const { page } = await open();
    await page.getByRole('row').filter({ hasText: 'yours' }).waitFor();
    await page.getByRole('button', { name: 'Create token' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Create token' });
    await dialog.getByLabel('Name').fill('dashboard in the hall');
    await page.keyboard.press('Enter');
    await dialog.getByText('Choose at least one site or tag.').waitFor();
    await dialog.getByRole('checkbox', { name: 'Home home' }).press('Space');
    await dialog.getByLabel('Expires').selectOption({ label: 'In 7 days' });
    await dialog.getByRole('button', { name: 'Create token' }).press('Enter');

    const made = page.getByRole('dialog', { name: 'Token “dashboard in the hall”' });
    const secret = (await made.getByRole('figure', { name: 'Token', exact: true }).locator('code').textContent()) ?? '';
    const link = await made.getByRole('figure', { name: 'Sign-in link' }).locator('code').textContent();
    const line = await made.getByRole('figure', { name: 'For the command line' }).locator('code').textContent();
    expect([link, line]).toEqual([`${url}/console/#token=${secret}`, `npx lanreach login --with-token --url ${url}`]);
    await made.getByRole('button', { name: 'I have copied it' }).press('Enter');
    const row = page.getByRole('row').filter({ hasText: 'dashboard in the hall' });
    await row.getByText('you', { exact: true }).waitFor();
    await row.getByText('in 6 days').or(row.getByText('in 7 days')).waitFor();
    expect(await page.content()).not.toContain(secret);

    const { json } = await ui.lanreach.request('GET', '/tokens/self', { token: secret });
    expect(json).toMatchObject({ scopes: ['devices:read'], sites: ['home'] });
    const visitor = await open({ token: secret });
    await visitor.page.getByText('Viewing tokens requires').waitFor();
    expect(await visitor.page.getByRole('button', { name: /^Create|^Invite/ }).count()).toBe(0);

    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog', { name: 'Revoke this token?' }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('“dashboard in the hall” was revoked.').waitFor();
    await row.waitFor({ state: 'detached' });
  });

  test('only what the own token may do is offered; a person is invited by a link and a code to scan, which others reach', async () => {
    const site = await ui.lanreach.addSite();
    const token = await ui.lanreach.createToken({ name: 'bounded', scopes: ['admin', 'devices:read'], sites: [site] });
    const { url } = ui.lanreach;
    const { page } = await open({ token });
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'devices:read' }).waitFor();
    expect(await dialog.getByRole('checkbox', { name: /devices:write|nettools:run|home/ }).count()).toBe(0);
    expect(await dialog.getByRole('radio').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Invite by link' }).click();
    await dialog.getByLabel('Name').fill('Anna');
    expect(await dialog.getByRole('radio').count()).toBe(1); // An operator may more than this token.
    // As from a service that listens on every address of its host.
    await page.route('**/tokens', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), addresses: [OUTER] } });
    });
    await dialog.getByRole('button', { name: 'Create invitation' }).click();
    const made = page.getByRole('dialog', { name: 'Invitation for Anna' });
    const link = made.getByRole('figure', { name: 'Sign-in link' }).locator('code');
    await expect.poll(() => link.textContent()).toContain(`${OUTER}/console/#token=lr_`);
    await made.getByRole('img', { name: 'QR code of the sign-in link' }).waitFor();
    await made.getByLabel('Addresses of this service').selectOption(url);
    await expect.poll(() => link.textContent()).toContain(`${url}/console/#token=lr_`);
    await made.getByText('a phone cannot reach this address').waitFor();
    await made.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row').filter({ hasText: 'Anna' }).getByText('Viewer').waitFor();
  });

  test('the jobs that a revoked one has started are named; who revokes the own one is signed out', async () => {
    const token = await ui.lanreach.createToken({ name: 'mine' });
    const { page } = await open({ token });
    // Whether a real command still runs by then depends on how fast the machine is.
    await page.route('**/tokens/*', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      return route.fulfill({ json: { success: true, running: ['home.1', 'home.2'], truncated: true } });
    });
    await ui.lanreach.createToken({ name: 'scanner' });
    await page.reload();
    await page.getByRole('button', { name: 'Revoke scanner' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    expect(await dialog.getByRole('link', { name: 'home.2' }).getAttribute('href')).toBe('#/sites/home/runs/home.2');
    await dialog.getByText('More runs may be active').waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/tokens/*');

    await page.getByRole('row').filter({ hasText: 'yours' }).getByRole('button', { name: 'Revoke mine' }).click();
    await dialog.getByText('will be signed out').waitFor();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('You were signed out').waitFor();
  });
});
