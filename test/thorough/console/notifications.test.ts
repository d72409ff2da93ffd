/** The screens of notifications, with receivers on this host. */
import { expect, test } from 'vitest';
import type { Mail } from '../../../functions/hooks/mail.ts';
import type { Mailer } from '../../../functions/hooks/mailer.ts';
import { lastPeriod } from '../../../shared/report-period.ts';
import { nextPoll } from '../../console/browser.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { startReceiver, status } from '../../hooks/receiver.ts';

const NAS = '00:1E:06:00:00:01';
const CSV = `devMac,devName\n${NAS},nas`;

const mails: Mail[] = [];
const mail: Mailer = {
  from: 'lan@example.net',
  async send(one) {
    mails.push(one);
    return { isDelivered: true, status: 250 };
  },
};

/** The receivers are on this host. */
const startWithHooks = () => startConsoleApi({ privateHooks: true, delivers: true, mail });

describeConsole('notifications', startWithHooks, (ui) => {
  const { open } = ui;

  async function addHook(site: string, url: string, wanted: object = {}): Promise<string> {
    const body = { url, events: ['renamed'], ...wanted };
    const { status: code, json, text } = await ui.lanreach.request('POST', '/hooks', { site, body });
    expect([code, text]).toMatchObject([201, expect.any(String)]);
    return (json as { id: string }).id;
  }

  test('the service is chosen first, a test is sent before it is saved, and its secret is shown once', async () => {
    await using receiver = await startReceiver();
    receiver.answer = status(404);
    const site = await ui.lanreach.addSite(CSV);
    const { page } = await open(`/sites/${site}/notifications`);
    await page.getByRole('heading', { name: 'No notifications yet' }).waitFor();
    await page.getByRole('button', { name: 'Add a notification' }).click();
    await page.getByRole('button', { name: /^Webhook/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Add Webhook' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Required.').waitFor();
    expect(await dialog.getByLabel('Webhook URL').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Webhook URL').fill(`${receiver.url}/verysecretpath0123`);
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('Test failed: it answered 404.').waitFor();
    receiver.answer = status(204);
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('Test delivered.').waitFor();
    expect((await ui.lanreach.request('GET', '/hooks', { site })).json).toMatchObject({ hooks: [] });
    await dialog.getByRole('radio', { name: /^Outages/ }).check();
    await dialog.getByRole('radio', { name: 'Custom' }).check();
    await dialog.getByLabel('Renamed').check();
    await dialog.getByText('Quiet hours, devices, summary').click();
    await dialog.getByRole('checkbox', { name: 'Quiet hours' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const made = page.getByRole('dialog', { name: 'Signing secret' });
    const secret = (await made.getByRole('figure', { name: 'Secret' }).locator('code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await made.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText(/and 5 more · quiet 22–7$/).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.content()).not.toContain('verysecret');
    const { json } = await ui.lanreach.request('GET', '/hooks', { site });
    const { hooks } = json as { hooks: { events: string[]; quiet: object }[] };
    expect(hooks).toMatchObject([{ quiet: { from: '22:00', to: '07:00' } }]);
    expect(hooks[0]?.events).toEqual(expect.arrayContaining(['renamed', 'down', 'internet-lost']));
  });

  test('ntfy takes a server and a topic, and only chosen devices', async () => {
    await using receiver = await startReceiver();
    const site = await ui.lanreach.addSite(CSV);
    await addHook(site, receiver.url);
    const { page } = await open(`/sites/${site}/notifications`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^ntfy/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Add ntfy' });
    const topic = await dialog.getByLabel('Topic').inputValue();
    expect(topic).toMatch(/^lanreach-\w{8}$/);
    await dialog.getByLabel('Server').fill(new URL(receiver.url).origin);
    await dialog.getByLabel('Name', { exact: true }).fill('Our phones');
    await dialog.getByText('Quiet hours, devices, summary').click();
    await dialog.getByRole('checkbox', { name: 'Only certain devices' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Add at least one, or clear the checkbox.').waitFor();
    await dialog.getByRole('combobox', { name: 'Add a type, group or device' }).fill('cam');
    await page.getByRole('option', { name: /^Camera/ }).click();
    await dialog.getByRole('button', { name: 'Remove Camera' }).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'Our phones' });
    await row.getByText('Everything important · only Camera').waitFor();
    await row.getByRole('button', { name: 'Actions for Our phones' }).click();
    await page.getByRole('menuitem', { name: 'Send test' }).click();
    await row.getByText('Test delivered.').waitFor();
    expect(receiver.received.map(({ path }) => path)).toEqual([`/${topic}`]);
  });

  test('a message that fails says why, and so does one that has arrived', async () => {
    await using receiver = await startReceiver();
    receiver.answer = status(302, { location: 'http://127.0.0.1/' });
    const site = await ui.lanreach.addSite(CSV);
    const id = await addHook(site, receiver.url);
    const { page } = await open(`/sites/${site}/notifications/${id}`, { isTimeMovable: true });
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText(/Test failed: it answered 302/).waitFor();
    await nextPoll(page);
    await page.getByText('Failing since').waitFor();
    const messages = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await messages
      .filter({ hasText: 'Test' })
      .getByText(/it answered 302/)
      .waitFor();

    receiver.answer = status(200);
    const evil = '<script>alert(1)</script> \u202Esdrawkcab';
    await ui.lanreach.request('PATCH', `/devices/${NAS}`, { site, body: { devName: evil } });
    const renamed = messages.filter({ hasText: 'Renamed' });
    await renamed.getByText('Delivered', { exact: true }).waitFor();
    await renamed.getByText(evil).waitFor();
    await page.getByRole('button', { name: 'Failed' }).click();
    await messages.filter({ hasText: 'Test' }).waitFor();
  });

  test('one is edited, gets another secret, is turned off and on, and is removed', async () => {
    await using receiver = await startReceiver();
    const site = await ui.lanreach.addSite(CSV);
    await addHook(site, receiver.url);
    const { page } = await open(`/sites/${site}/notifications`);
    const choose = async (item: string) => {
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Edit');
    const edit = page.getByRole('dialog', { name: 'Edit' });
    await edit.getByLabel('Name', { exact: true }).fill('chat');
    await edit.getByLabel('Archived').check();
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Renamed, archived').waitFor();
    await page.getByRole('link', { name: 'chat' }).waitFor();

    await choose('New secret');
    const asked = page.getByRole('dialog', { name: 'Create a new signing secret?' });
    await asked.getByRole('button', { name: 'New secret' }).click();
    const made = page.getByRole('dialog', { name: 'Signing secret' });
    expect(await made.getByRole('figure', { name: 'Secret' }).textContent()).toContain('whsec_');
    await page.keyboard.press('Escape');

    await choose('Turn off');
    await page.getByText('No notifications are sent').waitFor();
    await page.getByText('Off', { exact: true }).waitFor();
    await choose('Turn on');
    await page.getByText('Off', { exact: true }).waitFor({ state: 'detached' });

    await choose('Remove');
    const dialog = page.getByRole('dialog', { name: 'Remove chat?' });
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'No notifications yet' }).waitFor();
    expect((await ui.lanreach.request('GET', '/hooks', { site })).json).toMatchObject({ hooks: [] });
  });

  test('an address is checked, tested and saved, with a report every month', async () => {
    const site = await ui.lanreach.addSite(CSV);
    const { page } = await open(`/sites/${site}/notifications`);
    await page.getByRole('button', { name: 'Weekly report' }).click();
    await page.getByRole('button', { name: /^E-mail/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Add E-mail' });
    const address = dialog.getByLabel('E-mail address');
    await address.fill('me@example.org, you@example.org');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter one e-mail address.').waitFor();
    await address.fill('me@example.org');
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('Test delivered.').waitFor();
    expect(mails.at(-1)).toMatchObject({ to: 'me@example.org', subject: `${site}: this is a test of LanReach` });
    await dialog.getByRole('combobox', { name: 'Report' }).selectOption('Monthly');
    await dialog.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Monthly report').waitFor();
    await page.getByText('me@example.org').waitFor();
    const { json } = await ui.lanreach.request('GET', '/hooks', { site });
    const report = { every: 'month', at: '07:00', language: 'de' };
    expect(json).toMatchObject({ hooks: [{ url: 'mailto:me@example.org', format: 'email', events: [], report }] });
  });

  test('a report of all customers is three clicks away, and has a page for each of them on paper', async () => {
    const sites = await Promise.all([1, 2, 3].map(() => ui.lanreach.addSite(CSV)));
    for (const one of sites)
      await ui.lanreach.request('PATCH', `/sites/${one}`, { body: { tags: ['renters'], name: `Customer ${one}` } });
    const { page } = await open('/');
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('link', { name: 'Report', exact: true }).click();
    await page.getByRole('combobox', { name: 'Sites' }).selectOption('Tag renters');
    const headings = page.getByRole('heading', { level: 2 });
    await expect.poll(() => headings.allTextContents()).toEqual(sites.sort().map((one) => `Customer ${one}`));
    const now = new Date();
    await page.getByRole('combobox', { name: 'Period' }).selectOption(lastPeriod('week', 'UTC', now).text);
    await page.getByText('Nothing was down.').first().waitFor();
    expect(page.url()).toContain('sites=tag%3Arenters');
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'hidden' });
    await page.getByRole('combobox', { name: 'Period' }).waitFor({ state: 'hidden' });
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(3);
  });
});
