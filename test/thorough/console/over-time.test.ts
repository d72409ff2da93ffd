/** What agents have measured over weeks, in the console: latency, the internet, and sites that check each other. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { addOutage, addRuns, addSpeeds } from '../../demo/measured.ts';
import { type StandIn, standInAt } from '../../support/enrolled-agent.ts';

const NAS = '00:1E:06:00:00:01';
const CSV = `devMac,devName,devLastIP,devPresentLastScan\n${NAS},nas,192.168.1.20,1\n`;

describeConsole('over weeks', startConsoleApi, (ui) => {
  let site: string;
  let agent: StandIn;
  beforeAll(async () => {
    site = await ui.lanreach.addSite(CSV);
    agent = await standInAt(ui.lanreach, site, 'main');
    await addOutage(ui.lanreach, site, [NAS]);
  });
  afterAll(() => agent?.[Symbol.asyncDispose]());

  test('latency of a device: watched with one click, shown for a week, and as a table', async () => {
    const { page } = await ui.open(`/sites/${site}/devices/${encodeURIComponent(NAS)}`);
    const press = (name: string) => page.getByRole('button', { name }).first().click();
    await press('Monitor latency');
    await page.getByText('The device is now pinged every minute.').waitFor();
    const { json } = await ui.lanreach.request('GET', '/checks', { site });
    const check = (json as { checks: { id: string; kind: string; device: string }[] }).checks[0];
    expect(check).toMatchObject({ kind: 'ping', device: NAS });
    await addRuns(ui.lanreach, site, [check?.id ?? ''], { hours: 30, gap: [6, 4] });
    await page.reload();
    await press('7 days');
    const latency = page.getByRole('region', { name: 'Latency', exact: true });
    await latency.getByText(/^Up 99.* % of the last 7 days, .* ms on average/).waitFor();

    const chart = latency.getByRole('slider');
    await chart.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/ ms \(.* to .*\)$/);
    await latency.getByText('no data').waitFor();
    await latency.getByLabel('Compare nas with').selectOption('Previous period');
    await latency.getByText(/Previous period: no data\.$/).waitFor();
    await press('Table');
    await latency.getByRole('row').nth(2).waitFor();
    expect(await latency.getByRole('row').nth(2).textContent()).toMatch(/ms/);
    await press('1 year');
    await page.getByRole('region', { name: 'Presence by day' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('the internet: measured with one click, its speed over months, its outages', async () => {
    const { page } = await ui.open(`/sites/${site}/internet`);
    await page.getByRole('button', { name: 'Test every 6 hours' }).first().click();
    await page.getByText('Internet monitoring is on.').waitFor();
    const schedules = async () => (await ui.lanreach.request('GET', '/schedules', { site })).json;
    expect(await schedules()).toMatchObject({ schedules: [{ tool: 'speedtest', everySeconds: 21_600 }] });
    const { json } = await ui.lanreach.request('GET', '/checks', { site });
    expect((json as { checks: { kind: string }[] }).checks.map(({ kind }) => kind)).toContain('internet');
    await addSpeeds(ui.lanreach, site, 90);
    await page.reload();
    await page.getByRole('button', { name: '1 year' }).first().click();
    await page.getByText('203.0.113.7').waitFor();
    await page.getByText('AS64500 Example Networks').waitFor();
    await page.getByText(/^usual: 2\d\d$/).waitFor();
    const speeds = page.getByRole('region', { name: 'Speed tests', exact: true });
    await speeds.getByText(/^360 tests; usually 2\d\d Mbit\/s down and 4\d(\.\d)? Mbit\/s up\.$/).waitFor();
    await page.getByRole('region', { name: 'Outages', exact: true }).getByText('1 outage in this period.').waitFor();
    const table = page.getByRole('table', { name: /^Speed tests/ });
    expect(await table.getByRole('row').count()).toBe(9);
    await page.getByRole('region', { name: 'List of outages' }).getByText('11 min').waitFor();
    await page.getByLabel('Test every 6 hours').click();
    await expect.poll(schedules).toMatchObject({ schedules: [{ tool: 'speedtest', enabled: false }] });
  });

  test('sites that check each other: a table, and the path of a cell', async () => {
    const other = await ui.lanreach.addSite();
    await ui.lanreach.request('PATCH', `/sites/${other}`, { body: { reachableAt: 'vpn.example.org' } });
    const { page } = await ui.open('/matrix');
    await page.getByRole('heading', { name: 'No checks between sites yet' }).waitFor();
    await page.getByRole('button', { name: 'Add site checks' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add checks between sites' });
    for (const one of [site, other]) await dialog.getByLabel(one, { exact: true }).check();
    await dialog.getByRole('button', { name: 'Add site checks' }).click();
    await page.getByText(/^1 check added\. .* cannot be checked/).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page
      .getByRole('region', { name: `From ${site}` })
      .getByText('unknown')
      .waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: `From ${site} to ${other}: unknown` }).click();
    await page.getByRole('dialog').getByText('No path recorded yet.').waitFor();
  });
});
