/** The screen of tokens: making one, its secret that is shown once, revoking. */
import { expect, test } from 'vitest';
import { startTestSystem } from '../test-system.ts';
import { faultsInBothThemes, violations } from './accessibility.ts';
import type { OpenOptions } from './browser.ts';
import { describeConsole, WIDTHS } from './describe-console.ts';

/** Under which another host would reach the service. */
const OUTER = 'http://192.0.2.7:8787';

describeConsole('tokens', startTestSystem, (ui) => {
  const open = (options?: Partial<OpenOptions>) => ui.open('/tokens', options);

  test('one is made by keyboard, its secret is shown once, and its link signs in', async () => {
    const { url } = ui.lanreach.system;
    const { page } = await open();
    await page.getByRole('row').filter({ hasText: 'yours' }).waitFor();
    await page.getByRole('button', { name: 'Make a token' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Make a token' });
    await dialog.getByLabel('Name').fill('dashboard <b>in</b> the hall');
    await page.keyboard.press('Enter');
    await dialog.getByText('Choose at least one site.').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('checkbox', { name: 'Home home' }).press('Space');
    await dialog.getByLabel('Ends').selectOption({ label: 'In 7 days' });
    await dialog.getByRole('button', { name: 'Make a token' }).press('Enter');

    const made = page.getByRole('dialog', { name: 'The token “dashboard <b>in</b> the hall”' });
    const secret = (await made.getByRole('figure', { name: 'Token', exact: true }).locator('code').textContent()) ?? '';
    const link = await made.getByRole('figure', { name: 'Link that signs in' }).locator('code').textContent();
    const line = await made.getByRole('figure', { name: 'For the command line' }).locator('code').textContent();
    expect(secret).toMatch(/^lr_/);
    expect(link).toBe(`${url}/console/#token=${secret}`);
    expect(line).toBe(`npx lanreach login --url ${url}`);
    expect(await violations(page)).toEqual([]);
    await made.getByRole('button', { name: 'I have copied it' }).press('Enter');
    const row = page.getByRole('row').filter({ hasText: 'dashboard <b>in</b> the hall' });
    await row.getByText('you', { exact: true }).waitFor();
    await row.getByText('in 6 days').or(row.getByText('in 7 days')).waitFor();
    expect(await page.content()).not.toContain(secret);

    const { json } = await ui.lanreach.request('GET', '/tokens/self', { token: secret });
    expect(json).toMatchObject({ scopes: ['devices:read'], sites: ['home'] });
    const visitor = await open({ token: secret });
    await visitor.page.getByText('Token: dashboard <b>in</b> the hall').waitFor();
    expect(await visitor.page.getByRole('button', { name: 'Make a token' }).count()).toBe(0);
    expect(await visitor.page.getByRole('link', { name: 'Tokens' }).count()).toBe(0);
  });

  test('only what the own token may do is offered', async () => {
    const site = await ui.lanreach.addSite();
    const token = await ui.lanreach.createToken({ name: 'bounded', scopes: ['admin', 'devices:read'], sites: [site] });
    const { url } = ui.lanreach.system;
    const { page } = await open({ token });
    await page.getByRole('button', { name: 'Make a token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'devices:read' }).waitFor();
    expect(await dialog.getByRole('checkbox', { name: /devices:write|nettools:run/ }).count()).toBe(0);
    expect(await dialog.getByRole('radio').count()).toBe(0);
    expect(await dialog.getByRole('checkbox', { name: 'home' }).count()).toBe(0);
    await dialog.getByLabel('Name').fill('child');
    // As from a service that listens on every address of its host.
    await page.route('**/tokens', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), addresses: [OUTER] } });
    });
    await dialog.getByRole('button', { name: 'Make a token' }).click();
    const made = page.getByRole('dialog', { name: 'The token “child”' });
    const link = made.getByRole('figure', { name: 'Link that signs in' }).locator('code');
    await expect.poll(() => link.textContent()).toContain(`${OUTER}/console/#token=lr_`);
    expect(await violations(page)).toEqual([]);
    await made.getByLabel('Addresses of this service').selectOption(url);
    await expect.poll(() => link.textContent()).toContain(`${url}/console/#token=lr_`);
  });

  test('a revoked one is gone, and the jobs that go on are named', async () => {
    const { context } = ui.lanreach.system.parts;
    const token = await ui.lanreach.createToken({ name: 'scanner' });
    const idle = await ui.lanreach.createToken({ name: 'idle' });
    const [, id = ''] = /^lr_([0-9a-f]+)/.exec(token) ?? [];
    const [, idleId = ''] = /^lr_([0-9a-f]+)/.exec(idle) ?? [];
    const started = await ui.lanreach.request('POST', '/nettools/nmap', {
      token,
      body: { scan: '127.0.0.1', mode: 'detail' },
      headers: { prefer: 'respond-async' },
    });
    expect(started.status).toBe(202);
    const { id: job } = started.json as { id: string };
    const { page } = await open();
    await page.getByRole('button', { name: 'Revoke idle' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke this token?' });
    await dialog.getByText('commands that it has started go on').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('“idle” is revoked.').waitFor();
    await page.getByRole('row').filter({ hasText: idleId }).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Revoke scanner' }).click();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    const after = page.getByRole('dialog').or(page.getByLabel('Messages')).filter({ hasText: '“scanner” is revoked.' });
    await after.waitFor();
    // The scan may have ended meanwhile; one that goes on is named.
    const detail = (await context.audit.list(null, undefined, 20)).entries.find(
      (entry) => entry.action === 'token.revoke' && entry.detail.id === id,
    )?.detail;
    expect(await page.getByRole('dialog').getByRole('link', { name: job }).count()).toBe(detail?.running);
    await ui.lanreach.request('DELETE', `/jobs/${job}`);
  });

  test('who revokes the own one is warned, and signed out', async () => {
    const token = await ui.lanreach.createToken({ name: 'mine' });
    const { page } = await open({ token });
    await page.getByRole('row').filter({ hasText: 'yours' }).getByRole('button', { name: 'Revoke mine' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke this token?' });
    await dialog.getByText('you will be signed out at once').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Revoke mine' }).click();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('You were signed out').waitFor();
  });

  test('is accessible, and fits, in both themes on a phone and on a screen', async () => {
    for (const width of WIDTHS) {
      const { page } = await open({ width });
      await page.getByRole('button', { name: 'Make a token' }).click();
      await page.getByRole('dialog').getByLabel('Name').waitFor();
      expect([width, await faultsInBothThemes(page)]).toEqual([width, []]);
      await page.keyboard.press('Escape');
      await page.getByRole('row').filter({ hasText: 'yours' }).waitFor();
      expect([width, await faultsInBothThemes(page)]).toEqual([width, []]);
    }
  });
});
