/** What was and what is planned, in the console: ports that changed, changes since a day, checks, schedules. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { addOutage } from '../../demo/measured.ts';
import { type StandIn, standInAt } from '../../support/enrolled-agent.ts';
import { foundHost, nmapResult, openPort } from '../../support/found-host.ts';
import { takeCommand } from '../../support/stand-in-command.ts';

const NAS = '00:1E:06:00:00:01';
const CAMERA = '00:1E:06:00:00:02';
const CSV = [
  'devMac,devName,devLastIP,devPresentLastScan',
  `${NAS},nas,192.168.178.20,1`,
  `${CAMERA},camera,192.168.178.30,1`,
].join('\n');

describeConsole('over time', startConsoleApi, (ui) => {
  let site: string;
  let agent: StandIn;
  beforeAll(async () => {
    site = await ui.lanreach.addSite(CSV);
    agent = await standInAt(ui.lanreach, site, 'main');
  });
  afterAll(() => agent?.[Symbol.asyncDispose]());

  /** A scan of the NAS that has found these ports open. */
  async function scan(open: readonly number[]): Promise<void> {
    const answer = ui.lanreach.request('POST', '/nettools/nmap', {
      site,
      body: { scan: '192.168.178.20', mode: 'fast' },
    });
    const ports = open.map((port) => openPort(port));
    const command = await takeCommand(agent);
    await command.end({ result: nmapResult([foundHost('192.168.178.20', NAS, ports)], '1-10000') });
    expect((await answer).status).toBe(200);
  }

  test('which ports are open on a device, and what changed', async () => {
    await scan([22, 443]);
    await scan([22, 8080]);
    const { page } = await ui.open(`/sites/${site}/devices/${encodeURIComponent(NAS)}?tab=ports`);
    await page.getByRole('row', { name: /8080\/tcp ?new/ }).waitFor();
    await page.getByRole('row', { name: /443\/tcp ?closed/ }).waitFor();
    await page.getByRole('heading', { name: '2 open ports' }).waitFor();
  });

  test('what has changed at a site since Friday', async () => {
    await ui.lanreach.request('PATCH', `/devices/${CAMERA}`, { site, body: { devName: 'front door' } });
    await addOutage(ui.lanreach, site, [NAS, CAMERA]);
    const { page } = await ui.open(`/sites/${site}/changes`);
    await page.getByRole('button', { name: 'Friday' }).click();
    const list = page.getByRole('list', { name: 'Changes by day and device' });
    const camera = list.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'front door' }) });
    await camera
      .first()
      .getByText(/camera/)
      .first()
      .waitFor();
    await list
      .getByText(/devices were down together for 12 min/)
      .first()
      .waitFor();
    expect(page.url()).toMatch(/since=\d{4}-\d\d-\d\d$/);
  });

  test('a check: what is wrong is said at the field, it is paused, and removed', async () => {
    const { page } = await ui.open(`/sites/${site}/checks`);
    await page.getByRole('button', { name: 'Add a check' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a check' });
    await dialog.getByLabel('Type').selectOption('tcp');
    await dialog.getByRole('combobox', { name: 'Device or address' }).fill('192.168.178.30');
    await dialog.getByRole('button', { name: 'Add a check' }).click();
    await dialog.getByText('A number from 1 to 65535.').waitFor();
    await dialog.getByLabel('Port').fill('554');
    await dialog.getByLabel('Label').fill('video');
    await page.keyboard.press('Enter');
    await page.getByText('The check was added.').waitFor();
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for video' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const row = page.getByRole('row').filter({ hasText: 'video' });
    await row.getByText('TCP port · 192.168.178.30:554').waitFor();
    await choose('Pause');
    await row.getByText('paused', { exact: true }).waitFor();
    await row.getByRole('link', { name: 'video' }).click();
    await page.getByRole('heading', { name: 'video', level: 1 }).waitFor();
    await page.getByText('No data in the last 24 hours.').waitFor();
    await choose('Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Checks', level: 1 }).waitFor();
    await expect.poll(() => page.getByText('video').count()).toBe(0);
  });

  test('a schedule by a preset and by cron, with what its tool says of its fields; its runs are found again', async () => {
    const { page } = await ui.open(`/sites/${site}/schedules`);
    await page.getByRole('button', { name: 'Add a schedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a schedule' });
    await dialog.getByRole('button', { name: 'Add a schedule' }).click();
    await dialog.getByRole('alert').getByText('Device, IP address, or a range').waitFor();
    await dialog.getByRole('combobox', { name: 'Target' }).fill('192.168.178.0/24');
    await dialog.getByLabel('When').selectOption('cron');
    await dialog.getByLabel('Cron expression').fill('30 22 *');
    await dialog.getByRole('button', { name: 'Add a schedule' }).click();
    await dialog.getByText(/expected five fields/i).waitFor();
    await dialog.getByLabel('When').selectOption('nightly');
    await dialog.getByRole('button', { name: 'Add a schedule' }).click();
    await page.getByText('The schedule was added.').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Scan ports: Every night at 02:00' });
    await row.getByText('Scan ports · 192.168.178.0/24').waitFor();
    await row.getByText('not run yet').waitFor();

    await row.getByRole('button', { name: /^More/ }).click();
    await page.getByRole('menuitem', { name: 'Runs' }).click();
    await page.getByRole('heading', { name: 'No matches' }).waitFor();
    await expect
      .poll(() => page.getByLabel('Started by').evaluate('document.querySelector("search").textContent'))
      .toContain('schedule Scan ports: Every night at 02:00');
    await page.goBack();
    await row.getByRole('switch').click();
    await row.getByText('paused', { exact: true }).waitFor();
    await row.getByRole('button', { name: /^More/ }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => page.getByRole('row', { name: /Scan ports/ }).count()).toBe(0);
  });
});
