/** The screen of one device, in a browser, on the real system: its own agent on this machine, and agents that answer as a test wants. */
import { createServer } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import type { DeviceRecord } from '../../shared/device.ts';
import { decodeEntry, encodeEntry } from '../../store/devices/change-row.ts';
import { rows } from '../../store/rows.ts';
import { ackFor, enrolAgent, resultFor, type StandIn, startStandIn } from '../support/enrolled-agent.ts';
import { startTestSystem } from '../test-system.ts';
import { faultsInBothThemes, violations } from './accessibility.ts';
import type { OpenOptions } from './browser.ts';
import { describeConsole, WIDTHS } from './describe-console.ts';

const ROUTER = '00:1E:06:AA:BB:00';
const NAS = '00:1E:06:AA:BB:01';
const PHONE = '7A:5C:11:77:01:90';
const HOSTILE = '<img src=x onerror=alert(1)> \u202eevil\u202c \u001b[31m';
const CSV = [
  'devName,devMac,devLastIP,devType,devVendor,devParentMAC,devParentPort,devFirstConnection,devIsNew,devVlan,rackUnit',
  `router,${ROUTER},192.168.1.1,Router,,Internet,,,,,`,
  `nas,${NAS},192.168.1.20,NAS,Synology,${ROUTER},4,,1,20,17`,
  `"${HOSTILE}",${PHONE},192.168.1.30,,,,,,,,"${HOSTILE}"`,
  'sensor,,,,,,,,,,',
].join('\n');
const HOUR_MS = 3_600_000;
/** Ports that nmap tries in mode `fast`. */
const FAST_PORTS = [49_152, 49_153, 49_154, 49_155, 49_156];

describeConsole('one device', startTestSystem, (ui) => {
  const open = (site: string, key: string, options?: Partial<OpenOptions>) =>
    ui.open(`/sites/${site}/devices/${encodeURIComponent(key)}`, options);
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true });
  const read = async (site: string, key = NAS) => (await ui.lanreach.request('GET', `/devices/${key}`, { site })).json;

  /** Makes the change that has led to this version of the collection one of the past. */
  async function dateBack(site: string, version: number, hoursAgo: number): Promise<void> {
    const { table } = ui.lanreach.system.parts.context;
    const item = (await table.get(rows.change(site, version), { consistent: true })) ?? expect.fail('no such change');
    const entry = { ...decodeEntry(item), at: new Date(Date.now() - hoursAgo * HOUR_MS) };
    await table.put({ ...item, ...encodeEntry(site, entry) });
  }

  /** What an agent has seen of the NAS so many hours ago. */
  async function sighted(site: string, hoursAgo: number, record: Partial<DeviceRecord>): Promise<void> {
    const since = Date.now() - hoursAgo * HOUR_MS;
    const online = record.devPresentLastScan !== 0;
    const origin = { actor: `${site}:main`, cause: 'sighting' } as const;
    const { version } = await ui.lanreach.system.parts.context.devices.change(site, origin, (snapshot) => {
      const known = snapshot.get(NAS) ?? expect.fail('no nas');
      const sightings = { main: { epoch: 1, n: 1, online, since } };
      return { put: [{ ...known, record: { ...known.record, ...record }, sightings }], remove: [] };
    });
    await dateBack(site, version ?? expect.fail('no change'), hoursAgo);
  }

  /** A site whose NAS has been away twice in the last days, and was known by another address and name before. */
  async function siteWithPast(): Promise<string> {
    const site = await ui.lanreach.addSite();
    const { json } = await ui.lanreach.importCsv(CSV, site);
    await dateBack(site, Number((json as { change: string }).change), 400);
    await sighted(site, 300, { devPresentLastScan: 1, devLastConnection: '2026-11-10 08:00:00' });
    await sighted(site, 200, { devPresentLastScan: 0 });
    await sighted(site, 196, { devPresentLastScan: 1, devLastIP: '192.168.1.21', devName: 'nas.lan' });
    await sighted(site, 50, { devPresentLastScan: 0 });
    await sighted(site, 40, { devPresentLastScan: 1 });
    return site;
  }

  test('what it is, where, since when, and when it was there', async () => {
    const site = await siteWithPast();
    const { page } = await open(site, NAS);
    await heading(page, 'nas.lan').waitFor();
    const identity = page.getByRole('region', { name: 'What it is' });
    for (const text of ['NAS', 'Synology', 'nas.lan']) await identity.getByText(text, { exact: true }).waitFor();
    const facts = page.getByRole('region', { name: 'Addresses and place' });
    for (const text of ['192.168.1.21', NAS]) await facts.getByText(text, { exact: true }).waitFor();
    await facts.getByText('(Port of the parent: 4)').waitFor();
    await facts.getByText('More columns').click();
    await facts.getByText('rackUnit').waitFor();
    await facts.getByText('set by a person').first().waitFor({ state: 'attached' });
    await page.getByRole('region', { name: 'Who sees it' }).getByText('sees it', { exact: true }).waitFor();

    const overTime = page.getByRole('region', { name: 'Over time' });
    await overTime.getByText('Online in 30 days').waitFor();
    await overTime.getByText('95.3 %', { exact: true }).waitFor();
    await overTime.getByRole('button', { name: '30 days' }).click();
    const presence = overTime.getByRole('region', { name: 'Presence' });
    // Known are the last 300 hours, of which it was away for 4 and for 10.
    await presence
      .getByText('Online 95.3 % of the 12 days 12 hours that are known; offline 2 times, for 10 hours at most.')
      .waitFor();
    await overTime.getByRole('button', { name: 'Table' }).click();
    const periods = presence.getByRole('row');
    await expect.poll(() => periods.count()).toBe(7);
    expect(await periods.nth(1).textContent()).toMatch(/^online.*now1 day 16 hours$/);
    expect(await periods.nth(2).textContent()).toMatch(/^offline.*10 hours$/);
    expect(await periods.nth(6).textContent()).toMatch(/^not known/);
    await overTime.getByRole('button', { name: 'Table' }).click();

    const strip = presence.getByRole('slider');
    await strip.focus();
    await page.keyboard.press('ArrowLeft');
    expect(await strip.getAttribute('aria-valuetext')).toMatch(/^offline: .* \(10 hours\)$/);
    await presence.getByText(/^offline: .* \(10 hours\)$/).waitFor();
    await page.keyboard.press('Home');
    expect(await strip.getAttribute('aria-valuetext')).toMatch(/^not known/);

    const past = page.getByRole('region', { name: 'Addresses and names it had' });
    await past.getByText('192.168.1.20', { exact: true }).waitFor();
    await past.getByText('nas', { exact: true }).waitFor();
    const recent = page.getByRole('region', { name: 'What happened lately' });
    await recent.getByText('got the address').waitFor();
    expect(await recent.getByRole('link', { name: 'All of its events' }).getAttribute('href')).toContain(
      `/sites/${site}/events?device=${encodeURIComponent(NAS)}`,
    );

    await facts.getByRole('link', { name: 'router' }).click();
    await heading(page, 'router').waitFor();
  });

  test('a device without a MAC, one whose name wants to be HTML, and one that is not there', async () => {
    const site = await ui.lanreach.addSite(CSV);
    const { page } = await open(site, PHONE);
    await page.getByText('No maker of network cards has given this address out').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('<img src=x onerror=alert(1)>');
    await page.getByText('Nobody knows yet when it was there').waitFor();
    await page.getByText('No agent has seen it yet.').waitFor();
    expect(await page.locator('img[src=x]').count()).toBe(0);

    const { nodes } = (await ui.lanreach.request('GET', '/devices/network/topology', { site })).json as {
      nodes: { id: string; name: string }[];
    };
    const sensor = nodes.find(({ name }) => name === 'sensor')?.id ?? '';
    const { page: second } = await open(site, sensor);
    await heading(second, 'sensor').waitFor();
    await second.getByText('It has no IP address that is known').waitFor();
    expect(await second.getByRole('button', { name: 'Wake' }).count()).toBe(0);

    const { page: third } = await open(site, '00:00:00:00:00:01');
    await third.getByText('There is no such device.').waitFor();
    await third.getByRole('link', { name: 'What happened to it' }).waitFor();
  });

  test('renamed, marked, edited and deleted by keyboard, and brought back', async () => {
    const site = await ui.lanreach.addSite(CSV);
    const { page } = await open(site, NAS);
    await heading(page, 'nas').waitFor();
    await page.keyboard.press('n');
    await page.keyboard.type('media');
    await page.keyboard.press('Enter');
    await heading(page, 'media').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.title')).toBe('Rename');
    expect(await read(site)).toMatchObject({ devName: 'media', setByPerson: expect.arrayContaining(['devName']) });

    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Favourite', pressed: true }).waitFor();
    for (const name of ['Acknowledge as known', 'Alert when down', 'Archived']) {
      await page.getByRole('button', { name }).press('Enter');
    }
    await page.getByRole('button', { name: 'Archived', pressed: true }).waitFor();
    await expect
      .poll(() => read(site))
      .toMatchObject({ devFavorite: 1, devIsNew: 0, devAlertDown: 1, devIsArchived: 1, devStatus: 'archived' });
    expect(await page.getByRole('button', { name: 'Acknowledge as known' }).count()).toBe(0);

    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel('Group').fill('core');
    await dialog.getByLabel('Comments').fill('two\nlines');
    await dialog.getByLabel('Parent', { exact: true }).fill('nobody');
    await page.keyboard.press('Enter');
    await dialog.getByText('expected a MAC address, Internet, or an empty text').first().waitFor();
    await dialog.getByLabel('Parent', { exact: true }).fill('internet');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await read(site)).toMatchObject({
      devGroup: 'core',
      devComments: 'two\nlines',
      devParentMAC: 'Internet',
      devType: 'NAS',
    });

    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await dialog.getByText('1 device is deleted: media.').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete 1 device' }).press('Enter');
    await page.getByText('media was deleted.').waitFor();
    expect(await read(site)).toMatchObject({ code: 'not_found' });
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await heading(page, 'media').waitFor();
    expect(await read(site)).toMatchObject({ devName: 'media' });
  });

  test('what somebody else has changed meanwhile is said, and both are shown', async () => {
    const site = await ui.lanreach.addSite(CSV);
    const patch = (body: object) => ui.lanreach.request('PATCH', `/devices/${NAS}`, { site, body });
    const { page } = await open(site, NAS);
    await heading(page, 'nas').waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Location').fill('cellar');
    await dialog.getByLabel('Owner').fill('me');
    await patch({ devLocation: 'attic', devGroup: 'core' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Somebody else has changed this device meanwhile: Location.').waitFor();
    await dialog.getByText('It is now “attic”.').waitFor();
    await dialog.getByText('Also changed meanwhile, and taken over: Group.').waitFor();
    expect(await dialog.getByLabel('Location').inputValue()).toBe('cellar');
    expect(await dialog.getByLabel('Group').inputValue()).toBe('core');
    expect(await read(site)).toMatchObject({ devLocation: 'attic', devOwner: '' });
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Take theirs' }).click();
    expect(await dialog.getByLabel('Location').inputValue()).toBe('attic');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await read(site)).toMatchObject({ devLocation: 'attic', devOwner: 'me', devGroup: 'core' });

    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('mine');
    await patch({ devName: 'theirs' });
    await sighted(site, 0, { devLastConnection: '2026-11-22 08:00:00' }); // In the way of no edit.
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It is now “theirs”.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await heading(page, 'mine').waitFor();
  });

  test('a scan by the agent of this machine: the ports appear by themselves', async () => {
    await ui.lanreach.importCsv('devName,devMac,devLastIP\nme,00:1E:06:00:00:01,127.0.0.1\n');
    const listener = createServer();
    const port = await listenOnAny(listener, FAST_PORTS);
    try {
      const { page } = await open('home', '00:1E:06:00:00:01');
      await page.getByRole('button', { name: 'Scan now' }).click();
      const ports = page.getByRole('region', { name: 'Open ports' });
      await ports.getByText(`${port}/tcp`).waitFor();
      const scan = page.getByRole('region', { name: 'Scan ports' });
      await scan.getByText('succeeded').waitFor();
      await scan.getByRole('log').getByText(`${port}/tcp open`).waitFor();
      expect(await ports.getByRole('link', { name: 'fast scan' }).first().getAttribute('href')).toMatch(
        /\/sites\/home\/jobs\/home\.[0-9a-f-]{36}$/,
      );
      expect(await violations(page)).toEqual([]);
    } finally {
      listener.close();
    }
  });

  describe('with an agent that answers as told', () => {
    let site: string;
    let agent: StandIn;
    beforeAll(async () => {
      site = await ui.lanreach.addSite(CSV);
      agent = await startStandIn(ui.lanreach, await enrolAgent(ui.lanreach, site, 'main'));
    });
    afterAll(async () => {
      await agent?.[Symbol.asyncDispose]();
    });

    /** The next request, which the agent takes, and of which it tells whoever follows the job. */
    async function taken() {
      const request = await agent.request();
      await agent.say(request.replyTo, ackFor(request));
      const { id } = request;
      const watch = await agent.control('watch', id);
      const replyTo = 'replyTo' in watch ? watch.replyTo : expect.fail('nobody follows the job');
      await agent.say(replyTo, ackFor(request));
      const base = { v: PROTOCOL_VERSION, id } as const;
      return {
        request,
        print: (at: number, text: string) => agent.say(replyTo, { ...base, t: 'output', at, text }),
        progress: (seq: number, phase: string, percent: number) =>
          agent.say(replyTo, { ...base, t: 'progress', seq, phase, percent }),
        end: (changes: Parameters<typeof resultFor>[1]) => agent.say(replyTo, resultFor(request, changes)),
      };
    }

    const SENT = `Sent magic packet to ${NAS} via eth0 192.168.1.255:9\n`;
    const PACKETS = [{ interface: 'eth0', address: '192.168.1.255', port: 9, error: null }];

    test('wake: the packets are shown as they leave, and the proof in words', async () => {
      const { page } = await open(site, NAS);
      await page.getByRole('button', { name: 'Wake' }).click();
      const { request, print, end } = await taken();
      expect(request.command).toMatchObject({ tool: 'wakeonlan', mac: NAS, verify: true, ip: '192.168.1.20' });
      await print(0, SENT);
      const wake = page.getByRole('region', { name: 'Wake' });
      await wake.getByText('Sent magic packet').waitFor();
      expect(await page.getByRole('button', { name: 'Wake' }).isDisabled()).toBe(true);
      const verified = { awake: true, already: false, afterMs: 13_700, ip: '192.168.1.20' } as const;
      await end({ output: SENT, result: { mac: NAS, packets: PACKETS, verified } });
      await wake.getByText('It is awake: 192.168.1.20 answered 13.7 s after the first packet.').waitFor();

      await page.getByRole('button', { name: 'Wake' }).click();
      const second = await taken();
      await second.end({ state: 'failed', reason: 'tool_failed', message: 'no sign of it in 120 s', output: SENT });
      await wake.getByText('There is no proof that it is awake').waitFor();
      await wake.getByText('no sign of it in 120 s').waitFor();
      expect(await violations(page)).toEqual([]);
    });
  });

  test.each(WIDTHS)('axe finds nothing in either theme, and nothing is cut off: %i px', async (width) => {
    const site = await siteWithPast();
    const { page } = await open(site, NAS, { width });
    await page.getByRole('button', { name: '30 days' }).click();
    await page.getByText('that are known').waitFor();
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByText('More columns').click();
    await page.getByText('Nobody has scanned its ports yet.').waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);
  });
});

/** Listens on the first of the ports that is free on loopback. */
async function listenOnAny(server: ReturnType<typeof createServer>, ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    const isListening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (isListening) return port;
  }
  throw new Error(`none of the ports ${ports.join(', ')} is free`);
}
