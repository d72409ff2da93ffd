/** The screens of hooks, with receivers on this host. */
import { expect, test } from 'vitest';
import { startReceiver, status } from '../hooks/receiver.ts';
import { startTestSystem } from '../test-system.ts';
import { violations } from './accessibility.ts';
import { nextPoll } from './browser.ts';
import { describeConsole } from './describe-console.ts';

const NAS = '00:1E:06:00:00:01';
const CSV = `devMac,devName\n${NAS},nas`;

/** The receivers are on this host. */
const startWithHooks = () => startTestSystem({ HOOKS_ALLOW_PRIVATE: 'yes' });

describeConsole('hooks', startWithHooks, (ui) => {
  const { open } = ui;

  async function addHook(site: string, url: string, wanted: object = {}): Promise<string> {
    const body = { url, events: ['renamed'], ...wanted };
    const { status: code, json, text } = await ui.lanreach.request('POST', '/hooks', { site, body });
    expect([code, text]).toMatchObject([201, expect.any(String)]);
    return (json as { id: string }).id;
  }

  test('one is added, its secret is shown once, and a test arrives', async () => {
    await using receiver = await startReceiver();
    const site = await ui.lanreach.addSite(CSV);
    const { page } = await open(`/sites/${site}/notifications`);
    await page.getByRole('heading', { name: 'No hook yet' }).waitFor();
    await page.getByRole('button', { name: 'Add a hook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a hook' });
    await dialog.getByRole('button', { name: 'Add a hook' }).click();
    await dialog.getByText('Expected a URL with https://').waitFor();
    expect(await dialog.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('URL').fill(`${receiver.url}/verysecretpath0123`);
    await dialog.getByLabel('is renamed').check();
    await dialog.getByRole('button', { name: 'Add a hook' }).click();
    const made = page.getByRole('dialog', { name: 'The signing secret' });
    const secret = (await made.getByRole('figure', { name: 'Secret' }).locator('code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    expect(await violations(page)).toEqual([]);
    await made.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('new, down, renamed').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.content()).not.toContain('verysecret');

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test arrived. The receiver answered 204.').waitFor();
    expect(receiver.received).toHaveLength(1);
    await page.getByRole('link', { name: /^Deliveries to/ }).click();
    const delivery = page.getByRole('row').filter({ hasText: 'test' });
    await delivery.getByText('delivered', { exact: true }).waitFor();
    await delivery.getByText('status 204').waitFor();
  });

  test('a delivery that fails says why, and what has arrived is delivered again', async () => {
    await using receiver = await startReceiver();
    receiver.answer = status(302, { location: 'http://127.0.0.1/' });
    const site = await ui.lanreach.addSite(CSV);
    const id = await addHook(site, receiver.url);
    const { page } = await open(`/sites/${site}/notifications/${id}`, { isTimeMovable: true });
    await page.getByRole('heading', { name: 'Nothing has been sent yet' }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/The test did not arrive: it answered 302/).waitFor();
    await nextPoll(page);
    await page.getByText('No delivery has succeeded since').waitFor();
    await page.getByRole('row').filter({ hasText: 'test' }).getByText('pending').waitFor();
    expect(await page.getByRole('button', { name: /^Deliver again/ }).count()).toBe(0);

    receiver.answer = status(200);
    const evil = '<script>alert(1)</script> \u202Esdrawkcab';
    await ui.lanreach.request('PATCH', `/devices/${NAS}`, { site, body: { devName: evil } });
    const renamed = page.getByRole('row').filter({ hasText: 'renamed' });
    await renamed.getByText('delivered', { exact: true }).waitFor();
    await renamed.getByText(evil, { exact: true }).waitFor();
    const before = receiver.received.length;
    await renamed.getByRole('button', { name: /^Deliver again: renamed/ }).click();
    await page.getByText('It is being delivered again.').waitFor();
    await page.getByText('repeated').waitFor();
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before);
    await page.getByLabel('State').selectOption({ label: 'given up' });
    await page.getByRole('heading', { name: 'There are no deliveries in this state.' }).waitFor();
  });

  test('one is edited, gets another secret, is turned off and on, and is removed', async () => {
    await using receiver = await startReceiver();
    const site = await ui.lanreach.addSite(CSV);
    await addHook(site, receiver.url);
    const { page } = await open(`/sites/${site}/notifications`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit the hook' });
    await edit.getByLabel('is archived').check();
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('renamed, archived').waitFor();

    await page.getByRole('button', { name: 'New secret' }).click();
    await page
      .getByRole('dialog', { name: 'Make a new signing secret?' })
      .getByRole('button', { name: 'New secret' })
      .click();
    const made = page.getByRole('dialog', { name: 'The signing secret' });
    expect(await made.getByRole('figure', { name: 'Secret' }).textContent()).toContain('whsec_');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('Events from now on are not sent').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('button', { name: 'Send a test' }).waitFor();

    await page.getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove this hook?' });
    await dialog.getByText('Nothing more is sent to').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'No hook yet' }).waitFor();
    expect((await ui.lanreach.request('GET', '/hooks', { site })).json).toMatchObject({ hooks: [] });
  });
});
