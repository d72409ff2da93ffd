/** The screen of one device, in a browser, on the real system, with agents that answer as a test wants. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeEntry, encodeEntry } from '../../../functions/devices/collection/change-row.ts';
import { rows } from '../../../functions/table/rows.ts';
import type { DeviceRecord } from '../../../shared/device.ts';
import { agentId } from '../../../shared/identity.ts';
import type { OpenOptions } from '../../console/browser.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { watch } from '../../demo/watched.ts';
import { type StandIn, standInAt } from '../../support/enrolled-agent.ts';
import { foundHost, nmapResult, openPort } from '../../support/found-host.ts';
import { takeCommand } from '../../support/stand-in-command.ts';

const ROUTER = '00:1E:06:AA:BB:00';
const NAS = '00:1E:06:AA:BB:01';
const PHONE = '7A:5C:11:77:01:90';
const HOSTILE = '<img src=x onerror=alert(1)> \u202eevil\u202c \u001b[31m';
const CSV = [
  'devName,devMac,devLastIP,devType,devVendor,devParentMAC,devParentPort,devFirstConnection,devIsNew,devVlan,rackUnit',
  `router,${ROUTER},192.168.178.1,Router,,Internet,,,,,`,
  `nas,${NAS},192.168.178.20,NAS,Synology,${ROUTER},4,,1,20,17`,
  `"${HOSTILE}",${PHONE},192.168.178.30,,,,,,,,"${HOSTILE}"`,
  'sensor,,,,,,,,,,',
].join('\n');
const HOUR_MS = 3_600_000;

describeConsole('one device', startConsoleApi, (ui) => {
  const open = (site: string, key: string, options?: Partial<OpenOptions>) =>
    ui.open(`/sites/${site}/devices/${encodeURIComponent(key)}`, options);
  const show = (page: Page, site: string, key: string) =>
    page.evaluate(`location.hash = '/sites/${site}/devices/${encodeURIComponent(key)}'`);
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true });
  const read = async (site: string, key = NAS) => (await ui.lanreach.request('GET', `/devices/${key}`, { site })).json;

  /** Makes the change that has led to this version of the collection one of the past. */
  async function dateBack(site: string, version: number, hoursAgo: number): Promise<void> {
    const { table } = ui.lanreach.context;
    const item = (await table.get(rows.change(site, version), { consistent: true })) ?? expect.fail('no such change');
    const entry = { ...decodeEntry(item), at: new Date(Date.now() - hoursAgo * HOUR_MS) };
    await table.put({ ...item, ...encodeEntry(site, entry) });
  }

  /** What an agent has seen of the NAS so many hours ago. */
  async function sighted(site: string, hoursAgo: number, record: Partial<DeviceRecord>): Promise<void> {
    const since = Date.now() - hoursAgo * HOUR_MS;
    const online = record.devPresentLastScan !== 0;
    const origin = { actor: `${site}:main`, cause: 'sighting' } as const;
    const { version } = await ui.lanreach.context.devices.change(site, origin, (snapshot) => {
      const known = snapshot.get(NAS) ?? expect.fail('no nas');
      const sightings = { main: { epoch: 1, n: 1, online, since } };
      return { put: [{ ...known, record: { ...known.record, ...record }, sightings }], remove: [] };
    });
    await dateBack(site, version ?? expect.fail('no change'), hoursAgo);
  }

  /** A site whose NAS has been away twice in the last days, and was known by another address and name before. */
  async function siteWithPast(): Promise<string> {
    const site = await ui.lanreach.addSite();
    await watch(ui.lanreach, agentId(site, 'main'), '192.168.178.0/24', 'nuc');
    const { json } = await ui.lanreach.importCsv(CSV, site);
    await dateBack(site, Number((json as { change: string }).change), 400);
    const first = new Date(Date.now() - 300 * HOUR_MS).toISOString().slice(0, 19).replace('T', ' ');
    await sighted(site, 300, { devPresentLastScan: 1, devFirstConnection: first, devLastConnection: first });
    await sighted(site, 200, { devPresentLastScan: 0 });
    await sighted(site, 196, { devPresentLastScan: 1, devLastIP: '192.168.178.21', devName: 'nas.lan' });
    await sighted(site, 50, { devPresentLastScan: 0 });
    await sighted(site, 40, { devPresentLastScan: 1 });
    return site;
  }

  test('who it is, when it was there, and what has happened', async () => {
    const site = await siteWithPast();
    const { page } = await open(site, NAS);
    await heading(page, 'nas.lan').waitFor();
    const profile = page.getByRole('region', { name: 'Device details' });
    const part = (name: string) => profile.getByRole('region', { name });
    for (const text of ['NAS', 'Synology']) await part('Identification').getByText(text, { exact: true }).waitFor();
    for (const text of ['192.168.178.21', NAS]) await part('Addresses').getByText(text, { exact: true }).waitFor();
    await part('Addresses').getByRole('button', { name: 'Copy: MAC address' }).waitFor();
    await part('Placement').getByText('router ‹ Internet').waitFor();
    await part('Activity').getByText('main', { exact: true }).waitFor();
    await part('Activity').getByText('More fields').click();
    await part('Activity').getByText('rackUnit').waitFor();

    // Of 30 days, only twelve and a half are known.
    await page.getByText('Online · 7 d').waitFor();
    await page.getByText('94 %', { exact: true }).waitFor();
    expect(await page.getByText('Online · 30 d').count()).toBe(0);
    await page.getByRole('button', { name: '30 days' }).click();
    const presence = page.getByRole('region', { name: 'Presence' });
    // Known are the last 300 hours, of which it was away for 4 and for 10.
    await presence
      .getByText('Online 95.3 % of the 12 days 12 hours with data; offline twice, for 10 hours at most.')
      .waitFor();
    await page.getByRole('button', { name: 'Table' }).click();
    const periods = presence.getByRole('row');
    await expect.poll(() => periods.count()).toBe(7);
    expect(await periods.nth(1).textContent()).toMatch(/^online.*now1 day 16 hours$/);
    expect(await periods.nth(2).textContent()).toMatch(/^offline.*10 hours$/);
    expect(await periods.nth(6).textContent()).toMatch(/^unknown/);
    await page.getByRole('button', { name: 'Chart', exact: true }).click();

    const strip = presence.getByRole('slider');
    await strip.focus();
    await page.keyboard.press('ArrowLeft');
    expect(await strip.getAttribute('aria-valuetext')).toMatch(/^offline: .* \(10 hours\)$/);
    await presence.getByText(/^offline: .* \(10 hours\)$/).waitFor();
    await page.keyboard.press('Home');
    expect(await strip.getAttribute('aria-valuetext')).toMatch(/^unknown/);

    const events = page.getByRole('region', { name: 'Timeline' });
    await events.getByText('went offline').first().waitFor();
    await events.getByRole('button', { name: 'Names and addresses' }).click();
    await events.getByText('went offline').first().waitFor({ state: 'detached' });
    await events.getByText('changed its address to').waitFor();
    await events.getByText('192.168.178.20', { exact: true }).waitFor();
    expect(await events.getByRole('link', { name: 'All events' }).getAttribute('href')).toContain(
      `/sites/${site}/events?device=${encodeURIComponent(NAS)}`,
    );

    await profile.getByRole('link', { name: 'router' }).click();
    await heading(page, 'router').waitFor();
  });

  test('a device without a MAC, one whose name wants to be HTML, and one that is not there', async () => {
    const site = await ui.lanreach.addSite(CSV);
    const { page } = await open(site, PHONE);
    await page.getByText('Randomized (private) MAC').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('<img src=x onerror=alert(1)>');
    await page.getByText('No presence data yet.').waitFor();
    await page.getByText('values are from the import').waitFor();
    expect(await page.locator('img[src=x]').count()).toBe(0);

    const { nodes } = (await ui.lanreach.request('GET', '/devices/network/topology', { site })).json as {
      nodes: { id: string; name: string }[];
    };
    const sensor = nodes.find(({ name }) => name === 'sensor')?.id ?? '';
    await show(page, site, sensor);
    await heading(page, 'sensor').waitFor();
    await page.getByRole('button', { name: 'Ports' }).click();
    await page.getByText('No known IP address').waitFor();
    expect(await page.getByRole('button', { name: 'Wake', exact: true }).count()).toBe(0);

    await show(page, site, '00:00:00:00:00:01');
    await page.getByText('Device not found').waitFor();
    await page.getByRole('link', { name: 'All devices' }).click();
    await heading(page, 'Devices').waitFor();
  });

  test('renamed, marked, edited and deleted by keyboard, and brought back', async () => {
    const site = await ui.lanreach.addSite(CSV);
    const { page } = await open(site, NAS, { isTimeMovable: true });
    await page.getByRole('button', { name: 'Rename' }).focus();
    await page.keyboard.press('F2');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('media');
    await page.keyboard.press('Enter');
    await heading(page, 'media').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.title')).toBe('Rename');
    expect(await read(site)).toMatchObject({ devName: 'media', setByPerson: expect.arrayContaining(['devName']) });

    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Favourite', pressed: true }).waitFor();
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'More actions' }).press('Enter');
      await page.getByRole('menuitem', { name }).press('Enter');
    };
    for (const name of ['Mark as known', 'Alert when down', 'Archive']) await choose(name);
    await expect
      .poll(() => read(site))
      .toMatchObject({ devFavorite: 1, devIsNew: 0, devAlertDown: 1, devIsArchived: 1, devStatus: 'archived' });
    await page.getByText('archived', { exact: true }).waitFor();
    expect(await page.getByText('New device').count()).toBe(0);

    await page.getByRole('button', { name: 'Add details' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Owner').fill('Ad');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit: Owner' }).press('Enter');
    await dialog.waitFor();
    await page.keyboard.type('Ada');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Placement' }).getByText('Ada', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.title')).toBe('Edit: Owner');

    await page.keyboard.press('e');
    await dialog.getByRole('combobox', { name: 'Group' }).fill('core');
    await dialog.getByLabel('Comments').fill('two\nlines');
    await dialog.getByRole('combobox', { name: 'Parent', exact: true }).fill('nobody');
    await page.keyboard.press('Enter');
    await dialog.getByText('expected a MAC address, Internet, or an empty text').first().waitFor();
    await dialog.getByRole('combobox', { name: 'Parent', exact: true }).fill('internet');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await read(site)).toMatchObject({
      devGroup: 'core',
      devComments: 'two\nlines',
      devParentMAC: 'Internet',
      devType: 'NAS',
      devOwner: 'Ada',
    });

    await choose('Delete');
    await dialog.getByText('This deletes media and its history.').waitFor();
    await dialog.getByRole('button', { name: 'Delete 1 device' }).press('Enter');
    await page.getByText('media was deleted.').waitFor();
    expect(await read(site)).toMatchObject({ code: 'not_found' });
    // The list takes the focus when it comes.
    await page.getByRole('grid', { name: 'Devices' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await heading(page, 'media').waitFor();

    await show(page, site, ROUTER);
    await heading(page, 'router').waitFor();
    await ui.lanreach.request('DELETE', `/devices/${NAS}`, { site });
    // From wherever it is named.
    for (const screen of ['events', 'changes']) {
      await page.goto(`${ui.lanreach.url}/console/#/sites/${site}/${screen}`);
      await page.getByRole('main').getByRole('link', { name: 'media', exact: true }).first().press('Enter');
      await page.getByText('This device was deleted').waitFor();
    }
    await page.getByText('This device was deleted').waitFor();
    await page.getByRole('button', { name: 'Restore' }).press('Enter');
    await page.getByRole('region', { name: 'Addresses' }).waitFor();
    expect(await read(site)).toMatchObject({ devName: 'media' });
  });

  test('what somebody else has changed meanwhile is said, and both are shown', async () => {
    const site = await ui.lanreach.addSite(CSV);
    const patch = (body: object) => ui.lanreach.request('PATCH', `/devices/${NAS}`, { site, body });
    const { page } = await open(site, NAS);
    // Until it is known what the token may do, the key does nothing.
    await page.getByRole('button', { name: 'Rename' }).waitFor();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Location').fill('cellar');
    await dialog.getByLabel('Owner').fill('me');
    await patch({ devLocation: 'attic', devGroup: 'core' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Changed by another user meanwhile: Location.').waitFor();
    await dialog.getByText('Current value: “attic”.').waitFor();
    await dialog.getByText('Also updated: Group.').waitFor();
    expect(await dialog.getByLabel('Location').inputValue()).toBe('cellar');
    expect(await dialog.getByRole('combobox', { name: 'Group' }).inputValue()).toBe('core');
    expect(await read(site)).toMatchObject({ devLocation: 'attic', devOwner: '' });
    await dialog.getByRole('button', { name: 'Use their value' }).click();
    expect(await dialog.getByLabel('Location').inputValue()).toBe('attic');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await read(site)).toMatchObject({ devLocation: 'attic', devOwner: 'me', devGroup: 'core' });

    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('mine');
    await patch({ devName: 'theirs' });
    await sighted(site, 0, { devLastConnection: '2026-11-22 08:00:00' }); // In the way of no edit.
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Current value: “theirs”.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await heading(page, 'mine').waitFor();
  });

  describe('with an agent that answers as told', () => {
    let site: string;
    let agent: StandIn;
    beforeAll(async () => {
      site = await ui.lanreach.addSite(CSV);
      agent = await standInAt(ui.lanreach, site, 'main');
    });
    afterAll(() => agent?.[Symbol.asyncDispose]());

    /** The next command, with the agent's reports to its followers. */
    async function taken() {
      const command = await takeCommand(agent);
      await command.isWatched(1);
      return command;
    }

    const SENT = `Sent magic packet to ${NAS} via eth0 192.168.178.255:9\n`;
    const PACKETS = [{ interface: 'eth0', address: '192.168.178.255', port: 9, error: null }];

    test('wake: the packets are shown as they leave, and the proof in words', async () => {
      const { page } = await open(site, NAS);
      await page.getByRole('button', { name: 'Wake', exact: true }).click();
      const { request, print, end } = await taken();
      expect(request.command).toMatchObject({ tool: 'wakeonlan', mac: NAS, verify: true, ip: '192.168.178.20' });
      await print(SENT);
      const wake = page.getByRole('region', { name: 'Wake', exact: true });
      await wake.getByText('Sent magic packet').waitFor();
      expect(await page.getByRole('button', { name: 'Wake', exact: true }).isDisabled()).toBe(true);
      const verified = { awake: true, already: false, afterMs: 13_700, ip: '192.168.178.20' } as const;
      await end({ output: SENT, result: { mac: NAS, packets: PACKETS, verified } });
      await wake.getByText('Awake: 192.168.178.20 answered 13.7 s after the first packet.').waitFor();

      await page.getByRole('button', { name: 'Wake', exact: true }).click();
      const second = await taken();
      await second.end({ state: 'failed', reason: 'tool_failed', message: 'no sign of it in 120 s', output: SENT });
      await wake.getByText('No answer.').waitFor();
      await wake.getByText('no sign of it in 120 s').waitFor();
    });

    test('scan: the ports appear by themselves, and the run with its result', async () => {
      const { page } = await open(site, NAS);
      await page.getByRole('button', { name: 'Scan ports' }).click();
      await page.getByText('Not scanned yet').waitFor();
      const { request, end } = await taken();
      expect(request.command).toMatchObject({ tool: 'nmap', target: { written: '192.168.178.20' }, mode: 'fast' });
      await end({ result: nmapResult([foundHost('192.168.178.20', NAS, [openPort(22, 'ssh')])]) });
      await page.getByRole('row', { name: /22\/tcp ssh/ }).waitFor();
      await page.getByRole('heading', { name: '1 open port' }).waitFor();
      await page.getByRole('button', { name: 'Close: Scan ports' }).click();
      await page.getByRole('button', { name: 'Runs', exact: true }).click();
      const runs = page.getByRole('region', { name: 'Runs' });
      await runs.getByRole('link', { name: 'Scan ports' }).waitFor();
      await runs.getByRole('button', { name: 'Run again: Scan ports' }).click();
      expect((await taken()).request.command).toMatchObject({ tool: 'nmap', mode: 'fast' });
    });
  });
});
