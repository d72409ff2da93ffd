/** What was and what is planned, in the console: ports that changed, changes since a day, latency, the internet, schedules. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Result } from '../../shared/agent/messages.ts';
import { enrolAgent, type StandIn, startStandIn } from '../support/enrolled-agent.ts';
import { showTheme, violations } from './accessibility.ts';
import { describeConsole, startConsoleApi } from './describe-console.ts';
import { addOutage, addRuns, addSpeeds } from './measured.ts';
import { takeCommand } from './stand-in-command.ts';

const NAS = '00:1E:06:00:00:01';
const CAMERA = '00:1E:06:00:00:02';
const CSV = [
  'devMac,devName,devLastIP,devPresentLastScan',
  `${NAS},nas,192.168.1.20,1`,
  `${CAMERA},camera,192.168.1.30,1`,
].join('\n');
/** What a person may need for a task. */
const MOST_ACTIONS = 5;

describeConsole('over time', startConsoleApi, (ui) => {
  let site: string;
  let agent: StandIn;
  beforeAll(async () => {
    site = await ui.lanreach.addSite(CSV);
    agent = await startStandIn(ui.lanreach, await enrolAgent(ui.lanreach, site, 'main'));
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
  });

  /** A person who starts at the overview of the site, and whose clicks are counted. */
  async function person() {
    const { page } = await ui.open(`/sites/${site}`, { width: 1280 });
    let actions = 0;
    const act = async (...[role, options]: Parameters<Page['getByRole']>) => {
      actions++;
      await page.getByRole(role, options).first().click();
    };
    return { page, act, expectFew: () => expect(actions).toBeLessThanOrEqual(MOST_ACTIONS) };
  }

  /** A scan of the NAS that has found these ports open. */
  async function scan(open: readonly number[]): Promise<void> {
    const answer = ui.lanreach.request('POST', '/nettools/nmap', {
      site,
      body: { scan: '192.168.1.20', mode: 'fast' },
    });
    const ports = open.map((port) => {
      return { port, protocol: 'tcp', state: 'open', service: 'x', product: null, version: null };
    });
    const host = { address: '192.168.1.20', mac: NAS, vendor: null, names: [], state: 'up', timedOut: false, os: null };
    const result = { hosts: [{ ...host, ports }], hostsUp: 1, hostsTotal: 1, triedTcpPorts: '1-10000' };
    const command = await takeCommand(agent);
    await command.end({ result: result as Result['result'] });
    expect((await answer).status).toBe(200);
  }

  test('which ports are open on a device, and what changed', async () => {
    await scan([22, 443]);
    await scan([22, 8080]);
    const { page, act, expectFew } = await person();
    await act('link', { name: 'Devices' });
    await act('link', { name: 'nas' });
    await act('link', { name: 'Open the page' });
    await act('button', { name: 'Ports', exact: true });
    await page.getByRole('row', { name: /8080\/tcp ?new/ }).waitFor();
    await page.getByRole('row', { name: /443\/tcp ?closed/ }).waitFor();
    await page.getByText('2 ports open').waitFor();
    expectFew();
  });

  test('what has changed at a site since Friday', async () => {
    await ui.lanreach.request('PATCH', `/devices/${CAMERA}`, { site, body: { devName: 'front door' } });
    await addOutage(ui.lanreach, site, [NAS, CAMERA]);
    const { page, act, expectFew } = await person();
    await act('link', { name: 'Changes' });
    await act('button', { name: 'Friday' });
    const list = page.getByRole('list', { name: 'What has changed, by day and device' });
    const camera = list.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'front door' }) });
    await camera
      .first()
      .getByText(/camera/)
      .first()
      .waitFor();
    await list
      .getByText(/devices were gone at once for 12 min/)
      .first()
      .waitFor();
    expect(page.url()).toMatch(/since=\d{4}-\d\d-\d\d$/);
    expect(await violations(page)).toEqual([]);
    expectFew();
  });

  test('an outage is one event, with its devices once somebody asks', async () => {
    const { page } = await ui.open(`/sites/${site}/events?type=outage`);
    const row = page.getByRole('listitem').filter({ hasText: '2 devices are gone at once' }).first();
    await row.getByText('Which 2 devices').click();
    await row.getByRole('link', { name: 'nas' }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('latency of a device: watched with one click, shown for a week, and as a table', async () => {
    const { page, act, expectFew } = await person();
    await act('link', { name: 'Devices' });
    await act('link', { name: 'nas' });
    await act('link', { name: 'Open the page' });
    await act('button', { name: 'Watch latency' });
    await page.getByText('It is now pinged every minute.').waitFor();
    const { json } = await ui.lanreach.request('GET', '/checks', { site });
    const check = (json as { checks: { id: string; kind: string; device: string }[] }).checks[0];
    expect(check).toMatchObject({ kind: 'ping', device: NAS });
    await addRuns(ui.lanreach, site, [check?.id ?? ''], { hours: 30, gap: [6, 4] });
    await page.reload();
    await act('button', { name: '7 days' });
    const latency = page.getByRole('region', { name: 'Latency', exact: true });
    await latency.getByText(/^Answered 99.* % of the time in the last 7 days, .* ms on average/).waitFor();
    expectFew();

    const chart = latency.getByRole('slider');
    await chart.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/ ms \(.* to .*\)$/);
    await latency.getByText('nobody measured').waitFor();
    await latency.getByLabel('Compare nas with').selectOption('The period before');
    await latency.getByText(/The period before: not measured\.$/).waitFor();
    expect(await violations(page)).toEqual([]);
    await act('button', { name: 'Table' });
    await latency.getByRole('row').nth(2).waitFor();
    expect(await latency.getByRole('row').nth(2).textContent()).toMatch(/ms/);
    await showTheme(page, 'dark');
    expect(await violations(page)).toEqual([]);
    await act('button', { name: '1 year' });
    await page.getByRole('region', { name: 'Presence by day' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('the internet: measured with one click, its speed over months, its outages', async () => {
    const { page, act, expectFew } = await person();
    await act('link', { name: 'Internet' });
    await act('button', { name: 'Measure every 6 hours' });
    await page.getByText('The internet is measured from now on.').waitFor();
    const schedules = async () => (await ui.lanreach.request('GET', '/schedules', { site })).json;
    expect(await schedules()).toMatchObject({ schedules: [{ tool: 'speedtest', everySeconds: 21_600 }] });
    const { json } = await ui.lanreach.request('GET', '/checks', { site });
    expect((json as { checks: { kind: string }[] }).checks.map(({ kind }) => kind)).toContain('internet');
    await addSpeeds(ui.lanreach, site, 90);
    await page.reload();
    await act('button', { name: '1 year' });
    await page.getByText('203.0.113.7').waitFor();
    await page.getByText('AS64500 Example Networks').waitFor();
    await page.getByText(/^usual: 2\d\d$/).waitFor();
    const speeds = page.getByRole('region', { name: 'Speed tests', exact: true });
    await speeds.getByText(/^360 tests; usual are 2\d\d Mbit\/s down and 4\d(\.\d)? Mbit\/s up\.$/).waitFor();
    await page.getByRole('region', { name: 'Outages', exact: true }).getByText('1 outage in this time.').waitFor();
    expect(
      await page
        .getByRole('table', { name: /^Speed tests/ })
        .getByRole('row')
        .count(),
    ).toBe(9);
    await page.getByText('has the internet again').first().waitFor();
    expect(await violations(page)).toEqual([]);
    expectFew();
    await page.getByLabel('Measure every 6 hours').click();
    await expect.poll(schedules).toMatchObject({ schedules: [{ tool: 'speedtest', enabled: false }] });
  });

  test('a check: what is wrong is said at the field, it is paused, and removed', async () => {
    const { page } = await ui.open(`/sites/${site}/checks`);
    await page.getByRole('button', { name: 'Add a check' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a check' });
    await dialog.getByLabel('Kind').selectOption('tcp');
    await dialog.getByRole('combobox', { name: 'Device or address' }).fill('192.168.1.30');
    await dialog.getByRole('button', { name: 'Add a check' }).click();
    await dialog.getByText('A number from 1 to 65535.').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel('Port').fill('554');
    await dialog.getByLabel('Label').fill('video');
    await page.keyboard.press('Enter');
    await page.getByText('The check was added.').waitFor();
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for video' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const row = page.getByRole('row').filter({ hasText: 'video' });
    await row.getByText('TCP port · 192.168.1.30:554').waitFor();
    await choose('Pause');
    await row.getByText('paused', { exact: true }).waitFor();
    await row.getByRole('link', { name: 'video' }).click();
    await page.getByRole('heading', { name: 'video', level: 1 }).waitFor();
    await page.getByText('Nothing was measured in the last 24 hours.').waitFor();
    await choose('Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Checks', level: 1 }).waitFor();
    await expect.poll(() => page.getByText('video').count()).toBe(0);
  });

  test('sites that check each other: a table, and the path of a cell', async () => {
    const other = await ui.lanreach.addSite();
    await ui.lanreach.request('PATCH', `/sites/${other}`, { body: { reachableAt: 'vpn.example.org' } });
    const { page } = await ui.open('/matrix');
    await page.getByRole('heading', { name: 'No site checks another one yet' }).waitFor();
    await page.getByRole('button', { name: 'Check sites' }).click();
    const dialog = page.getByRole('dialog', { name: 'Let sites check each other' });
    for (const one of [site, other]) await dialog.getByLabel(one, { exact: true }).check();
    await dialog.getByRole('button', { name: 'Check sites' }).click();
    await page.getByText(/^1 check added\. Nobody can check/).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page
      .getByRole('region', { name: `From ${site}` })
      .getByText('not known')
      .waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: `From ${site} to ${other}: not known` }).click();
    await page.getByRole('dialog').getByText('The path is not known yet.').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a schedule by a preset and by cron, with what its tool says of its fields; its runs are found again', async () => {
    const { page } = await ui.open(`/sites/${site}/schedules`);
    await page.getByRole('button', { name: 'Add a schedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a schedule' });
    await dialog.getByRole('button', { name: 'Add a schedule' }).click();
    await dialog.getByRole('alert').getByText('Device, IP address, or a range').waitFor();
    await dialog.getByRole('combobox', { name: 'Target' }).fill('192.168.1.0/24');
    await dialog.getByLabel('When').selectOption('cron');
    await dialog.getByLabel('Cron expression').fill('30 22 *');
    await dialog.getByRole('button', { name: 'Add a schedule' }).click();
    await dialog.getByText(/expected five fields/i).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel('When').selectOption('nightly');
    await dialog.getByRole('button', { name: 'Add a schedule' }).click();
    await page.getByText('The schedule was added.').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Scan ports: Every night at 02:00' });
    await row.getByText('Scan ports · 192.168.1.0/24').waitFor();
    await row.getByText('not run yet').waitFor();

    await row.getByRole('button', { name: /^More/ }).click();
    await page.getByRole('menuitem', { name: 'Its runs' }).click();
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await expect
      .poll(() => page.getByLabel('Who').evaluate('document.querySelector("search").textContent'))
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
