/** Sites in the console: all of them at a glance, a new one with its agent, what can be set, and the end of one. */
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { enrol } from '../../../agent/identity/exchange-code.ts';
import type { DiscoveryState } from '../../../shared/agent/discovery.ts';
import { agentId } from '../../../shared/identity.ts';
import { violations } from '../../console/accessibility.ts';
import { nextPoll } from '../../console/browser.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { addOutage } from '../../demo/measured.ts';
import { addDay, addFound, watch } from '../../demo/watched.ts';
import { enrolAgent, startStandIn } from '../../support/enrolled-agent.ts';
import { writeRelease } from '../../support/made-up-release.ts';
import { makeTestFolder } from '../../support/test-folder.ts';

const COLLECTION = [
  'devName,devMAC,devIP,devType,devFavorite,devStatus',
  'router,02:A0:00:00:00:01,192.168.178.1,Router,1,online',
  'nas,02:A0:00:00:00:02,192.168.178.20,NAS,0,offline',
  'camera,02:B0:00:00:00:03,192.168.178.40,Camera,0,down',
  'phone,02:B0:00:00:00:05,192.168.178.50,,0,new',
].join('\n');
/** Of a LAN that is not there. */
const NETWORK = '127.0.8.0/24';

const releases = makeTestFolder();
async function startWithRelease() {
  await writeRelease(releases.path);
  return startConsoleApi({ releasesFolder: releases.path });
}
afterAll(() => releases.remove());

describeConsole('sites', startWithRelease, (ui) => {
  const { open } = ui;
  const change = (site: string, body: object) => ui.lanreach.request('PATCH', `/sites/${site}`, { body });
  const row = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });
  const line = (page: Page) => page.getByRole('figure', { name: 'Command for the host' });
  const wordsOf = async (page: Page) => ((await line(page).getByRole('code').textContent()) ?? '').split(' ');

  test('the first minutes: two clicks to a list of devices that fills itself, and steps that tick themselves', async () => {
    const young = await startConsoleApi();
    try {
      const agent = await enrolAgent(young, 'home', 'cellar');
      const watched: DiscoveryState = { state: 'on', networks: ['192.168.7.0/24'] };
      await using _agent = await startStandIn(young, agent, undefined, undefined, () => ({
        networks: watched.networks ?? [],
        discovery: watched,
      }));
      // The one click: the link that `npm start` prints, which leads to the only site.
      const { url, token } = young;
      const { page } = await open('/', { url, token });
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      const steps = page.getByRole('region', { name: 'First steps' });
      await steps.getByText('1 of 6 done').waitFor();
      // And the other.
      await steps.getByRole('button', { name: /^Turn on: .*192\.168\.7\.0\/24/ }).click();
      await steps.getByText('2 of 6 done').waitFor();
      await young.importCsv(COLLECTION);
      await steps.getByText('4 devices found').waitFor();
      await steps.getByRole('link', { name: /^nas/ }).waitFor();
      expect(await violations(page)).toEqual([]);

      const hook = { url: 'https://hooks.example.org/in', events: ['new'] };
      await young.request('POST', '/hooks', { site: 'home', body: hook });
      await young.createToken({ scopes: ['devices:read'] });
      await page.reload();
      await steps.getByText('5 of 6 done').waitFor();
      await steps.getByRole('button', { name: 'Hide' }).click();
      await steps.waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('region', { name: 'Site statistics' }).waitFor();
      expect(await steps.count()).toBe(0);
    } finally {
      await young.close();
    }
  });

  test('all sites: trouble first, each with its numbers, which are links to their lists', async () => {
    const site = await ui.lanreach.addSite(COLLECTION);
    await change(site, { name: 'Café Nord' });
    const { page } = await open('/', { isTimeMovable: true });
    const cafe = row(page, 'Café Nord');
    await cafe.getByRole('link', { name: 'Add an agent' }).waitFor();
    await cafe.getByText('4 not monitored').waitFor();
    expect(await page.getByRole('heading', { level: 2, name: /Café|Home/ }).allTextContents()).toEqual([
      'Café Nord',
      'Home',
    ]);
    const links = await cafe.getByRole('link').all();
    expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual([
      `#/sites/${site}`,
      `#/sites/${site}/devices?status=my`,
      `#/sites/${site}/devices?status=new`,
      `#/sites/${site}/agents/new`,
    ]);
    const tiles = page.getByRole('region', { name: 'Statistics of all sites' });
    expect(await tiles.getByText('not monitored').count()).toBe(2);
    expect(await tiles.getByText('no problems').count()).toBe(0);

    await ui.lanreach.importCsv('devName,devMAC\nnew one,02:A0:00:00:00:09\n', site);
    await nextPoll(page);
    await cafe.getByRole('link', { name: /^0 \/ 5 online devices, Café/ }).waitFor();
    await change(site, { discovery: { enabled: true, networks: [NETWORK] } });
    await nextPoll(page);
    await cafe.getByText('No agent connected since').waitFor();
    await cafe.getByRole('link', { name: 'Add an agent' }).click();
    await page.getByRole('heading', { name: 'Add an agent to Café Nord' }).waitFor();
  });

  test('one site: its numbers, which are links to their lists, and what it needs', async () => {
    const site = await ui.lanreach.addSite(COLLECTION);
    const { page } = await open(`/sites/${site}`);
    const numbers = page.getByRole('region', { name: 'Site statistics' });
    await numbers.getByRole('link', { name: 'Online 0 / 4 4 not monitored' }).waitFor();
    await numbers.getByRole('link', { name: 'New 1 phone' }).waitFor();
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText('Not monitored').waitFor();
    expect(await attention.getByRole('link', { name: 'Add an agent' }).count()).toBe(1);
    expect(await numbers.getByRole('link', { name: /^Down 0/ }).getAttribute('href')).toBe(
      `#/sites/${site}/devices?status=down`,
    );
    await page.getByRole('link', { name: 'Open tools' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Add an agent' }).first().waitFor();
  });

  test('what needs attention at a site, with the action in its row, and the last day by hour', async () => {
    const site = await ui.lanreach.addSite(
      'devName,devMac,devLastIP,devPresentLastScan,devAlertDown\ncamera,02:B0:00:00:00:03,192.168.178.40,1,1\n',
    );
    await watch(ui.lanreach, agentId(site, 'main'), '192.168.178.0/24', 'nuc');
    const found = Array.from({ length: 7 }, (_, i) => {
      return { mac: `02:C0:00:00:00:0${i}`, ip: `192.168.178.6${i}`, vendor: 'Xiaomi', hoursAgo: i + 1.5 };
    });
    await addFound(ui.lanreach, agentId(site, 'main'), found);
    await addDay(ui.lanreach, site, 'main', new Map([['02:B0:00:00:00:03', [12.5]]]));
    await addOutage(ui.lanreach, site, ['02:B0:00:00:00:03']);
    const { page } = await open(`/sites/${site}`);
    const attention = page.getByRole('region', { name: 'Needs attention' });
    const rows = attention.getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(6);
    await rows.first().getByText('down, last seen').waitFor();
    const more = attention.getByRole('link', { name: '2 more new' });
    expect(await more.getAttribute('href')).toBe(`#/sites/${site}/devices?status=new`);
    await page.getByRole('link', { name: 'Down 1 camera' }).waitFor();

    await page.getByText('Internet down 11 min').waitFor();
    await page.getByRole('list', { name: 'Interruptions' }).getByText('Internet down: ').waitFor({ state: 'attached' });
    const hour = page.getByRole('radio', { name: /: 1 problem$/ });
    await hour.focus();
    await page.keyboard.press('Space');
    const events = page.getByRole('region', { name: /^\d\d:\d\d–\d\d:\d\d$/ });
    await events.getByRole('link', { name: 'camera' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await events.getByRole('button', { name: 'Close' }).click();
    await events.waitFor({ state: 'detached' });

    await rows.nth(1).getByRole('button', { name: 'Name' }).click();
    await page.keyboard.type('vacuum');
    await page.keyboard.press('Enter');
    await page.getByText('Named: vacuum').waitFor();
    await attention.getByRole('link', { name: '1 more new' }).waitFor();
    const { text } = await ui.lanreach.request('GET', `/devices/${found[0]?.mac}`, { site });
    expect(JSON.parse(text)).toMatchObject({ devName: 'vacuum', devIsNew: 0 });
    await rows.nth(1).getByRole('button', { name: 'Mark as known' }).click();
    await attention.getByRole('link', { name: /more/ }).waitFor({ state: 'detached' });
    await rows.first().getByRole('button', { name: 'Turn alert off' }).click();
    await page.getByText('Down alerts for camera were turned off.').waitFor();
    await expect.poll(() => rows.count()).toBe(5);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await rows.first().getByRole('button', { name: 'Turn alert off' }).click();
    await expect.poll(() => rows.count()).toBe(5);
    await ui.lanreach.request('PATCH', '/devices', {
      site,
      body: { devices: found.map(({ mac }) => mac), set: { devIsNew: 0 } },
    });
    await page.reload();
    await page.getByText('Nothing needs attention.').waitFor();
  });

  test('among many sites, one is found by its name, and those with trouble by themselves', async () => {
    for (let i = 0; i < 26; i++) {
      await ui.lanreach.request('POST', '/sites', { body: { id: `branch-${i}`, name: `Branch ${i}` } });
    }
    await change('branch-4', { discovery: { enabled: true, networks: [NETWORK] } });
    const { page } = await open('/');
    const names = page.getByRole('list', { name: 'All sites' }).getByRole('heading', { level: 2 });
    await expect.poll(() => names.count()).toBe(25);
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect.poll(() => names.count()).toBeLessThan(25);
    await page.keyboard.press('/');
    await page.keyboard.type('branch');
    await page
      .getByText(/^26 of \d+ sites/)
      .first()
      .waitFor();
    await page.getByLabel('Only with problems').check();
    await expect.poll(() => names.allTextContents()).toEqual(['Branch 4']);
    expect(page.url()).toContain('only=trouble');
    await page.getByRole('searchbox', { name: 'Search sites' }).fill('nowhere');
    await page.getByText('No matching sites.').waitFor();
  });

  test('a token that may only read sees its own sites, and nothing that changes them', async () => {
    const site = await ui.lanreach.addSite(COLLECTION);
    const token = await ui.lanreach.createToken({ scopes: ['devices:read'], sites: [site] });
    const { page } = await open('/', { token });
    // With one site, its overview is the start.
    await page.getByRole('heading', { name: site, level: 1 }).waitFor();
    await page.getByRole('region', { name: 'Site statistics' }).waitFor();
    expect(await page.getByRole('main').getByRole('link', { name: /^Add/ }).count()).toBe(0);
    const goTo = (at: string) => page.goto(`${ui.lanreach.url}/console/#${at}`);
    await goTo(`/sites/${site}/settings`);
    await page.getByText('Scan for devices', { exact: true }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0);
    await goTo('/add-site');
    await page.getByText('Adding a site requires a token for all sites').waitFor();
    await goTo(`/sites/${site}/agents/new`);
    await page.getByText('Adding agents requires').waitFor();
  });

  test('a new site: its name makes the id, its line enrols an agent, and the page shows it and its devices come', async () => {
    const { page, context } = await open('/');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('main').getByRole('link', { name: 'Add a site' }).click();
    await page.getByLabel('Name').fill('Home');
    await page.keyboard.press('Enter');
    await page.getByText('There is a site "home" already').waitFor();
    await page.getByRole('textbox', { name: 'ID' }).fill('No Id');
    await page.keyboard.press('Enter');
    await page.getByText('Expected 1 to 32 lower-case letters').waitFor();
    expect(await page.getByRole('textbox', { name: 'ID' }).getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('textbox', { name: 'ID' }).fill('cabin');
    await page.getByLabel('Name').fill('Cabin by the Lake');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Agent main of Cabin by the Lake' }).waitFor();
    const { url } = ui.lanreach;
    await line(page).waitFor();
    const words = await wordsOf(page);
    const code = words.at(-1) ?? '';
    expect(code).toMatch(/^lre_[\w-]+$/);
    expect(words.join(' ')).toBe(`curl -fsSL ${url}/agent/install.sh | sh -s -- --url ${url} --code ${code}`);
    await page.getByText(/Valid once, until .*\d\d:\d\d/).waitFor();
    await line(page).getByRole('button', { name: 'Copy' }).click();
    await line(page).getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(words.join(' '));
    const address = page.getByLabel('API address');
    await address.fill('lanreach');
    await page.getByText('Enter the URL of the API').waitFor();
    await address.fill('https://[fd00::1]/lan/');
    expect((await wordsOf(page)).at(8)).toBe("'https://[fd00::1]/lan'");
    await page.getByRole('button', { name: 'npm', exact: true }).click();
    const commands = page.getByRole('figure', { name: /^Command/ }).getByRole('code');
    expect(await commands.allTextContents()).toEqual([
      `curl -fsSLO --header 'LanReach-Permit: ${code}' 'https://[fd00::1]/lan/agent/packages/lanreach-agent-1.2.3.tgz'`,
      'npm install --global ./lanreach-agent-1.2.3.tgz',
      `lanreach-agent enrol ${code} --url 'https://[fd00::1]/lan'`,
      'lanreach-agent run',
    ]);
    await page.getByRole('button', { name: 'Container' }).click();
    await commands.filter({ hasText: `lanreach-agent enrol ${code}` }).waitFor();
    await page.getByRole('button', { name: 'Proxmox' }).click();
    await page.getByText('Nesting').waitFor();
    expect(await commands.count()).toBe(1);

    // The code is in the memory of the page alone.
    const kept = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state, location.href])';
    expect(await page.evaluate(kept)).not.toContain(code);
    await page.reload();
    await page.getByText('is gone after a reload').waitFor();

    const { path: folder, remove } = makeTestFolder();
    const identity = await enrol(code, url, folder);
    await page.getByText('Host enrolled').waitFor();
    await page.getByText('Waiting for the agent to connect').waitFor();
    const parts = { id: identity.agent, identity, folder, [Symbol.asyncDispose]: remove };
    await using agent = await startStandIn(ui.lanreach, parts);
    await page.getByText('Agent online').waitFor();
    await page.getByText('Scanning for devices …').waitFor();
    expect(agent.discovery.at(-1)).toMatchObject({ discovery: { enabled: true } });
    await ui.lanreach.importCsv(COLLECTION, 'cabin');
    await page.getByText('4 devices found').waitFor();
    await page.getByRole('region', { name: 'Newest devices' }).getByText('camera').waitFor();
    await remove();
  });

  test('a code for several hosts: its line, how often it was used, and its end', async () => {
    const site = await ui.lanreach.addSite();
    const { page } = await open(`/sites/${site}/agents/new`);
    await page.getByText('Multiple hosts').click();
    const uses = page.getByRole('textbox', { name: 'Number of hosts' });
    await uses.fill('2000');
    await page.getByRole('button', { name: 'Show command' }).click();
    await page.getByText('Enter a number from 1 to 1,000').waitFor();
    await uses.fill('20');
    expect(await page.getByLabel('Agent name').count()).toBe(0);
    await page.getByLabel('Valid for').selectOption('30 days');
    const networks = page.getByLabel('Restrict to networks');
    await networks.fill('there');
    await page.getByRole('button', { name: 'Show command' }).click();
    await page.getByText('Enter networks such as').waitFor();
    await networks.fill('127.0.0.0/8\n::1');
    await page.getByRole('button', { name: 'Show command' }).click();
    await page.getByText(/Valid 20 times, until/).waitFor();
    const code = (await wordsOf(page)).at(-1) ?? '';
    const { csr } = await ui.lanreach.makeCsr();
    const body = { code, csr, name: 'till-1.example.net' };
    const enrolled = await ui.lanreach.request('POST', '/enrol', { token: null, body });
    expect(enrolled.json).toMatchObject({ agent: `${site}:till-1` });
    await page.reload();
    const codes = page.getByRole('list', { name: 'Active codes' });
    await codes.getByText('1 of 20 hosts · 127.0.0.0/8 · ::1').waitFor();
    expect(await codes.textContent()).not.toContain(code);
    expect(await violations(page)).toEqual([]);
    await codes.getByRole('button', { name: 'Revoke code' }).click();
    await page.getByText('The code was revoked').waitFor();
    await codes.waitFor({ state: 'detached' });
    const late = await ui.lanreach.request('POST', '/enrol', { token: null, body: { ...body, name: 'till-2' } });
    expect(late.json).toMatchObject({ code: 'enrolment_refused' });
  });

  test('an agent is replaced only where a person says so; one that is revoked is cut off, after a question', async () => {
    const site = await ui.lanreach.addSite();
    await change(site, { discovery: { enabled: true, networks: [NETWORK] } });
    await using first = await enrolAgent(ui.lanreach, site, 'main');
    await using _first = await startStandIn(ui.lanreach, first);
    const { page } = await open(`/sites/${site}/agents/new`);
    await expect.poll(() => page.getByLabel('Agent name').inputValue()).toBe('main-2');
    await page.getByLabel('Agent name').fill('main');
    const submit = page.getByRole('button', { name: 'Show command' });
    expect(await submit.isDisabled()).toBe(true);
    await page.getByLabel('Replace the agent').check();
    await submit.click();
    // The one that is there is not taken for the new one.
    await page.getByText('Waiting for the command to run').waitFor();

    await page.getByRole('link', { name: 'Site settings' }).click();
    await page.getByRole('region', { name: 'Agents' }).getByText('online since').waitFor();
    await page.getByRole('region', { name: 'Agents' }).getByRole('link', { name: 'main' }).click();
    await page.getByText('Online since').waitFor();
    const hook = { id: '0123456789ab', url: 'https://ntfy.example.org/…', enabled: true, events: ['new'] };
    await page.route(/\/hooks\?/, (route) => route.fulfill({ json: { success: true, hooks: [hook], unreadable: [] } }));
    const told = new Promise((resolve) =>
      page.route(/\/hooks\/\w+/, (route) => {
        resolve(route.request().postDataJSON());
        return route.fulfill({ json: { success: true, ...hook } });
      }),
    );
    await page.reload();
    await page.getByRole('button', { name: 'Notify me when an agent goes offline' }).click();
    expect(await told).toEqual({ events: ['new', 'agent-lost', 'agent-back'] });
    await page.getByRole('button', { name: 'More actions for agent main' }).click();
    await page.getByRole('menuitem', { name: 'Revoke …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke agent main?' });
    await dialog.getByText('This is the last agent of the site').waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Agent main was revoked.').waitFor();
    await page.getByRole('heading', { name: /^Agent main not found at/ }).waitFor();
    await page.evaluate(`location.hash = '/sites/${site}/settings'`);
    await page.getByText('statuses may be outdated').waitFor();
  });

  test('settings: the name, discovery with what is wrong in it, and what others change meanwhile', async () => {
    const site = await ui.lanreach.addSite();
    const { page } = await open(`/sites/${site}/settings`, { isTimeMovable: true });
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Office');
    await name.press('Enter');
    await page.getByRole('navigation', { name: 'You are here' }).getByText('Office', { exact: true }).waitFor();

    const interval = page.getByLabel('Scan every … seconds');
    await page.getByLabel('Scan for devices').check();
    await page.getByLabel('Networks', { exact: true }).selectOption('Only these networks');
    await page.getByLabel('Networks, one per line').fill(`${NETWORK}\n10.0.0.0/8`);
    await interval.fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter 1 to 32 IPv4 networks').waitFor();
    expect(await interval.getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Networks, one per line').fill(NETWORK);
    await interval.fill('90');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await ui.lanreach.request('GET', `/sites/${site}`)).json)
      .toMatchObject({ name: 'Office', discovery: { enabled: true, networks: [NETWORK], intervalSeconds: 90 } });
    // Switched on without an agent: no agent watches it from now on.
    await page.getByText('statuses may be outdated').waitFor();
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    await change(site, { name: 'Annex', discovery: { intervalSeconds: 120 } });
    await nextPoll(page);
    await expect.poll(() => name.inputValue()).toBe('Annex');
    await expect.poll(() => interval.inputValue()).toBe('120');
  });

  test('settings: updates by themselves within a window; a release that has stopped goes on, or is given up', async () => {
    const site = await ui.lanreach.addSite();
    const agent = `${site}:attic`;
    const failures = [{ agent, reason: 'it ended 3 times <b>', at: Date.now() }];
    const ring = { version: '1.2.3', ring: 1, since: Date.now(), size: 1, well: 0, early: {}, underWay: {} } as const;
    const { rollOuts } = ui.lanreach.context;
    expect(await (await rollOuts.read({ consistent: true })).write({ ...ring, state: 'stopped', failures })).toBe(true);
    const { page } = await open(`/sites/${site}/settings`);
    await page.getByLabel('New releases').selectOption('Install automatically');
    await page.getByLabel('Not before (optional)').fill('22:00');
    const save = page.getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByText('Enter a time such as 22:00 in both fields, or leave both empty.').first().waitFor();
    await page.getByLabel('Not after').fill('06:00');
    await save.click();
    const updates = { mode: 'auto', window: { from: '22:00', to: '06:00' } };
    await expect.poll(async () => (await ui.lanreach.request('GET', `/sites/${site}`)).json).toMatchObject({ updates });

    await page.getByText('Release 1.2.3 stopped for the remaining agents').waitFor();
    await page.getByText(`${agent} failed: it ended 3 times <b>`).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Release 1.2.3 rolling out').waitFor();
    await page.getByRole('button', { name: 'Cancel this rollout' }).click();
    await page.getByText('Release 1.2.3 cancelled for all agents').waitFor();
    expect((await rollOuts.read({ consistent: true })).rollOut?.state).toBe('given-up');
  });

  test('a network that an agent takes for another one is right once a person says so', async () => {
    const site = await ui.lanreach.addSite();
    const [known, other] = ['02:00:00:00:00:01', '02:00:00:00:00:02'];
    await change(site, { discovery: { gateways: [known] } });
    const strange = [{ network: '192.0.2.0/24', gateway: other, answered: 1, known: 30 }];
    const discovery = { state: 'another-network', strange };
    const agent = { id: `${site}:laptop`, state: 'online', since: null, networks: [], programs: {}, capabilities: [] };
    const { page } = await open('/no/such/screen');
    await page.route(`**/sites/${site}/agents`, (route) =>
      route.fulfill({ json: { success: true, agents: [{ ...agent, load: null, discovery }], unreadable: [] } }),
    );
    await page.evaluate(`location.hash = '/sites/${site}/notifications'`);
    await page.getByText(`sees a different router (${other}) in 192.0.2.0/24, and 1 of 30 known devices.`).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'This is the right network' }).click();
    await page.getByText('Confirmed').waitFor();
    expect((await ui.lanreach.request('GET', `/sites/${site}`)).json).toMatchObject({
      discovery: { gateways: [known, other] },
    });
  });

  test('a site is removed once its name is typed, and comes back by Undo, and from the list of those that are deleted', async () => {
    const site = await ui.lanreach.addSite(COLLECTION);
    await change(site, { name: 'Old office' });
    const { page } = await open(`/sites/${site}/settings`);
    const remove = async () => {
      await page.getByRole('button', { name: 'Remove …' }).click();
      const dialog = page.getByRole('dialog', { name: 'Remove site Old office?' });
      await dialog.getByText('This deletes 4 devices and 0 agents').waitFor();
      const button = dialog.getByRole('button', { name: 'Remove site' });
      await dialog.getByRole('textbox').fill('old office');
      expect(await button.isDisabled()).toBe(true);
      await dialog.getByRole('textbox').fill('Old office');
      await button.click();
      await page.getByText('Site Old office was removed.').waitFor();
      await page.getByRole('heading', { name: 'All sites', level: 1 }).waitFor();
      expect((await ui.lanreach.request('GET', `/sites/${site}`)).status).toBe(403);
    };
    await remove();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Site Old office was restored.').waitFor();
    await page.getByRole('heading', { name: 'Old office', level: 1 }).waitFor();

    await page.evaluate(`location.hash = '/sites/${site}/settings'`);
    await remove();
    expect(await row(page, 'Old office').count()).toBe(0);
    await page.getByText('Deleted: 1 site').click();
    await page.getByText('can be restored until').waitFor();
    await page.setViewportSize({ width: 1280, height: 1100 }); // The message at the bottom covers no link.
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore Old office' }).click();
    await page.getByText('Site Old office was restored.').last().waitFor();
    expect((await ui.lanreach.request('GET', `/sites/${site}`)).status).toBe(200);
  });

  test('where there is no site, a person who may add one is led there', async () => {
    const { page } = await open('/no/such/screen');
    await page.route(/\/overview\?/, (route) =>
      route.fulfill({ json: { success: true, sites: [], unreadable: [], nextCursor: null } }),
    );
    await page.evaluate(`location.hash = '/'`);
    await page.getByRole('heading', { name: 'No sites yet' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Add a site' }).click();
    await page.getByRole('heading', { name: 'Add a site' }).waitFor();
  });
});
