/** Sites in the console: all of them at a glance, a new one with its agent, what can be set, and the end of one. */
import pLimit from 'p-limit';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enrol } from '../../agent/identity/exchange-code.ts';
import { becomes, enrolAgent, startStandIn } from '../faults/enrolled-agent.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { startTestSystem } from '../test-system.ts';
import { faultsInBothThemes, violations } from './accessibility.ts';
import { nextPoll } from './browser.ts';
import { describeConsole, WIDTHS } from './describe-console.ts';

const COLLECTION = [
  'devName,devMAC,devIP,devType,devFavorite,devStatus',
  'router,02:A0:00:00:00:01,192.168.1.1,Router,1,online',
  'nas,02:A0:00:00:00:02,192.168.1.20,NAS,0,offline',
  'camera,02:B0:00:00:00:03,192.168.1.40,Camera,0,down',
  'phone,02:B0:00:00:00:05,192.168.1.50,,0,new',
].join('\n');
/** Of a LAN that is not there. */
const NETWORK = '127.0.8.0/24';

function fewAtOnce<T>(all: readonly T[], run: (one: T) => Promise<unknown>): Promise<unknown> {
  const limit = pLimit(8);
  return Promise.all(all.map((one) => limit(() => run(one))));
}

describeConsole('sites', startTestSystem, (ui) => {
  const { open } = ui;
  const change = (site: string, body: object) => ui.lanreach.request('PATCH', `/sites/${site}`, { body });
  const row = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });

  test('each site shows its devices by status, its agents, its last change, and follows them by itself', async () => {
    const site = await ui.lanreach.addSite(COLLECTION);
    await change(site, { name: 'Café <b>Nord</b>' });
    const { page } = await open('/', { isTimeMovable: true });
    const home = row(page, 'Home');
    await home.getByText('online since').waitFor();
    await home.getByText('none yet').waitFor();

    const cafe = row(page, 'Café <b>Nord</b>');
    await cafe.getByText('No agent yet').waitFor();
    const links = await cafe.getByRole('listitem').getByRole('link').all();
    const shown = links.map(async (link) => [await link.textContent(), await link.getAttribute('href')]);
    expect(await Promise.all(shown)).toEqual([
      ['4 devices Café <b>Nord</b>', `#/sites/${site}/devices?status=my`],
      ['1 online Café <b>Nord</b>', `#/sites/${site}/devices?status=online`],
      ['3 offline Café <b>Nord</b>', `#/sites/${site}/devices?status=offline`],
      ['1 down Café <b>Nord</b>', `#/sites/${site}/devices?status=down`],
      ['1 new Café <b>Nord</b>', `#/sites/${site}/devices?status=new`],
    ]);
    expect(await cafe.getByRole('heading').getByRole('link').getAttribute('href')).toBe(`#/sites/${site}/devices`);

    await ui.lanreach.importCsv('devName,devMAC\nnew one,02:A0:00:00:00:09\n', site);
    await nextPoll(page);
    await cafe.getByRole('link', { name: '5 devices' }).waitFor();
    await change(site, { discovery: { enabled: true, networks: [NETWORK] } });
    await nextPoll(page);
    await cafe.getByText('No agent connected since').waitFor();
    await cafe.getByRole('link', { name: 'Add an agent' }).click();
    await page.getByRole('heading', { name: 'Add an agent to Café <b>Nord</b>' }).waitFor();
  });

  test('a token that may only read sees its own sites, and nothing that changes them', async () => {
    const site = await ui.lanreach.addSite(COLLECTION);
    const token = await ui.lanreach.createToken({ scopes: ['devices:read'], sites: [site] });
    const { page } = await open('/', { token });
    await row(page, site).getByText('No agent yet').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([site]);
    expect(await page.getByRole('link', { name: /^Add/ }).count()).toBe(0);
    await page.goto(`${ui.lanreach.system.url}/console/#/sites/${site}/settings`);
    await page.getByText('Look for devices', { exact: true }).waitFor();
    const main = page.getByRole('main');
    expect(await main.getByRole('button').count()).toBe(0);
    expect(await main.getByRole('textbox').count()).toBe(0);
    await page.goto(`${ui.lanreach.system.url}/console/#/sites/new`);
    await page.getByText('Only a token for all sites may add one.').waitFor();
    await page.goto(`${ui.lanreach.system.url}/console/#/sites/${site}/agents/new`);
    await page.getByText('This token may not add agents').waitFor();
  });

  test('a new site: its name makes the id, its line enrols an agent, and the page shows it and its devices come', async () => {
    const { page, context } = await open('/');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('main').getByRole('link', { name: 'Add a site' }).click();
    await page.getByLabel('Name').fill('Home');
    await page.keyboard.press('Enter');
    await page.getByText('There is a site "home" already').waitFor();
    await page.getByLabel('Id').fill('No Id');
    await page.keyboard.press('Enter');
    await page.getByText('expected 1 to 32 lower-case letters').waitFor();
    expect(await page.getByLabel('Id').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Id').fill('cabin');
    await page.getByLabel('Name').fill('Cabin by the Lake');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Add an agent to Cabin by the Lake' }).waitFor();
    expect(await page.getByLabel('Look for devices').isChecked()).toBe(true);
    await page.getByLabel('Name of the agent').fill('Attic!');
    await page.getByRole('button', { name: 'Show the line' }).click();
    await page.getByText('expected 1 to 32 lower-case letters').waitFor();
    expect(await page.getByLabel('Name of the agent').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Name of the agent').fill('attic');
    await page.getByRole('button', { name: 'Show the line' }).click();

    const line = page.getByRole('figure', { name: 'Line for the host' });
    const { url } = ui.lanreach.system;
    const words = ((await line.getByRole('code').textContent()) ?? '').split(' ');
    expect(words).toEqual(['lanreach-agent', 'enrol', expect.stringMatching(/^lre_/), '--url', url]);
    await page.getByText(`${url} leads to this host only.`).waitFor();
    await page.getByText(/The code works once, until .*\d\d:\d\d/).waitFor();
    await line.getByRole('button', { name: 'Copy' }).click();
    await line.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(words.join(' '));
    const address = page.getByLabel('Address of the API');
    await address.fill('lanreach');
    await page.getByText('Expected the URL of the API').waitFor();
    expect(await line.count()).toBe(0);
    await address.fill('https://[fd00::1]/lan/');
    expect(await line.getByRole('code').textContent()).toContain("--url 'https://[fd00::1]/lan'");
    await page.getByText('Waiting for the line to be run').waitFor();

    const code = words[2] ?? '';
    const { path: folder, remove } = makeTestFolder();
    const identity = await enrol(code, url, folder);
    await page.getByText('The host is enrolled').waitFor();
    await page.getByText('Waiting for the agent to connect').waitFor();
    expect(await line.count()).toBe(0);
    await using agent = await startStandIn(ui.lanreach, {
      id: identity.agent,
      identity,
      folder,
      [Symbol.asyncDispose]: remove,
    });
    await page.getByText('The agent is online').waitFor();
    await page.getByText('Looking for devices …').waitFor();
    expect(agent.discovery.at(-1)).toMatchObject({ discovery: { enabled: true } });
    await ui.lanreach.importCsv(COLLECTION, 'cabin');
    await page.getByText('4 devices found').waitFor();
    await page.getByRole('region', { name: 'The newest devices' }).getByText('camera').waitFor();
    expect(await page.getByRole('link', { name: 'Look at the devices' }).getAttribute('href')).toBe(
      '#/sites/cabin/devices',
    );
    await page.reload();
    await page.getByText('4 devices found').waitFor();
    await remove();
  });

  test('the code is in the memory of the page alone: loaded anew, it waits on and offers another line', async () => {
    const site = await ui.lanreach.addSite();
    const { page } = await open(`/sites/${site}/agents/new`);
    await page.getByLabel('Look for devices').uncheck();
    await page.getByRole('button', { name: 'Show the line' }).click();
    const line = page.getByRole('figure', { name: 'Line for the host' });
    const [, , code = ''] = ((await line.getByRole('code').textContent()) ?? '').split(' ');
    expect(code).toMatch(/^lre_/);
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state])'))
      .not //
      .toContain(code);
    expect(page.url()).not.toContain(code);
    await page.reload();
    await page.getByText('this page was loaded anew').waitFor();

    const { path: folder, remove } = makeTestFolder();
    const identity = await enrol(code, ui.lanreach.system.url, folder);
    const parts = { id: identity.agent, identity, folder, [Symbol.asyncDispose]: remove };
    await using _agent = await startStandIn(ui.lanreach, parts);
    await page.getByText('Discovery is off').waitFor();
    await page.getByRole('button', { name: 'Look for devices now' }).click();
    await page.getByText('Looking for devices …').waitFor();
    await remove();
  });

  test('an agent is replaced only by somebody who says so, and the one before is not taken for it', async () => {
    const site = await ui.lanreach.addSite();
    await using first = await enrolAgent(ui.lanreach, site, 'main');
    await using _first = await startStandIn(ui.lanreach, first);
    const { page } = await open(`/sites/${site}/agents/new`);
    await expect.poll(() => page.getByLabel('Name of the agent').inputValue()).toBe('main-2');
    await page.getByLabel('Name of the agent').fill('main');
    const submit = page.getByRole('button', { name: 'Show the line' });
    expect(await submit.isDisabled()).toBe(true);
    await page.getByLabel('Replace the agent').check();
    // As from a service that listens on every address of its host: the line is for another one.
    const outer = 'http://192.0.2.7:8787';
    await page.route(`**/sites/${site}/agents`, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), addresses: [outer] } });
    });
    await submit.click();
    const line = page.getByRole('figure', { name: 'Line for the host' });
    await line.getByText(`--url ${outer}`).waitFor();
    await page.getByLabel('Addresses of this service').selectOption(ui.lanreach.system.url);
    await line.getByText(`--url ${ui.lanreach.system.url}`).waitFor();
    const [, , code = ''] = ((await line.getByRole('code').textContent()) ?? '').split(' ');
    await page.getByText('Waiting for the line to be run').waitFor();
    const { path: folder, remove } = makeTestFolder();
    await enrol(code, ui.lanreach.system.url, folder);
    await page.getByText('The host is enrolled').waitFor();
    await remove();
  });

  test('settings: the name, discovery with what the API finds wrong, and what others change meanwhile', async () => {
    const site = await ui.lanreach.addSite();
    const { page } = await open(`/sites/${site}/settings`, { isTimeMovable: true });
    await page.getByRole('heading', { name: `Settings of ${site}` }).waitFor();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Office');
    await name.press('Enter');
    await page.getByRole('heading', { name: 'Settings of Office' }).waitFor();

    await page.getByLabel('Look for devices').check();
    await page.getByLabel('Networks', { exact: true }).selectOption('These:');
    await page.getByLabel('Networks, one a line').fill(`${NETWORK}\n10.0.0.0/8`);
    await page.getByLabel('Scan every … seconds').fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('expected "auto" or a list of 1 to 32 IPv4 networks').waitFor();
    expect(await page.getByLabel('Scan every … seconds').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Networks, one a line').fill(NETWORK);
    await page.getByLabel('Scan every … seconds').fill('90');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await ui.lanreach.request('GET', `/sites/${site}`)).json)
      .toMatchObject({ name: 'Office', discovery: { enabled: true, networks: [NETWORK], intervalSeconds: 90 } });
    // Switched on without an agent: nobody watches it from now on.
    await page.getByText('statuses may be outdated').waitFor();
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    await change(site, { name: 'Annex', discovery: { intervalSeconds: 120 } });
    await nextPoll(page);
    await page.getByRole('heading', { name: 'Settings of Annex' }).waitFor();
    await expect.poll(() => page.getByLabel('Scan every … seconds').inputValue()).toBe('120');
  });

  test('agents: each with what it says of itself; one that is revoked is cut off, after a question', async () => {
    const home = await open('/sites/home/settings');
    const agents = home.page.getByRole('region', { name: 'Agents' });
    await agents.getByText('raw-sockets').or(agents.getByText('Tools')).first().waitFor();

    const site = await ui.lanreach.addSite();
    await change(site, { discovery: { enabled: true, networks: [NETWORK] } });
    await using enrolled = await enrolAgent(ui.lanreach, site, 'attic');
    await using _agent = await startStandIn(ui.lanreach, enrolled);
    const { page } = await open(`/sites/${site}/settings`);
    await page.getByText('online since').waitFor();
    expect(await page.getByText('No agent connected since').count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke the agent attic' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke the agent attic?' });
    await dialog.getByText('It is the last agent of the site').waitFor();
    await page.keyboard.press('Escape');
    await becomes(ui.lanreach, enrolled.id, 'online');
    await page.getByRole('button', { name: 'Revoke the agent attic' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The agent attic is revoked.').waitFor();
    await page.getByText('statuses may be outdated').waitFor();
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
    await page.evaluate(`location.hash = '/sites/${site}/hooks'`);
    await page.getByText(`sees another router (${other}) in 192.0.2.0/24, and 1 of 30 known devices.`).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'This network is right' }).click();
    await page.getByText('It was said to be right').waitFor();
    expect((await ui.lanreach.request('GET', `/sites/${site}`)).json).toMatchObject({
      discovery: { gateways: [known, other] },
    });
  });

  test('a site is removed by whoever types its name, with as many requests as it takes', async () => {
    const site = await ui.lanreach.addSite(COLLECTION);
    await change(site, { name: 'Old office' });
    const { page } = await open(`/sites/${site}/settings`);
    // The first request does not reach the API: it answers as that does for a site with more in it than one can remove.
    let held = 1;
    await page.route(`**/sites/${site}?*`, async (route) => {
      if (route.request().method() !== 'DELETE' || held-- <= 0) return route.continue();
      return route.fulfill({ status: 202, json: { success: true, isComplete: false } });
    });
    await page.getByRole('button', { name: 'Remove …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove the site Old office?' });
    await dialog.getByText('4 devices and 0 agents are deleted').waitFor();
    const remove = dialog.getByRole('button', { name: 'Remove the site' });
    await dialog.getByRole('textbox').fill('old office');
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Old office');
    await remove.click();
    await dialog.getByText('Leave this page open').waitFor();
    await page.getByText('The site Old office is removed.').waitFor();
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor();
    expect((await ui.lanreach.request('GET', `/sites/${site}`)).status).toBe(403);
    expect(await row(page, 'Old office').count()).toBe(0);
  });

  test('no rule of WCAG 2.2 AA is broken, in any theme and width', async () => {
    const site = await ui.lanreach.addSite(COLLECTION);
    await change(site, { name: `${'long'.repeat(24)} \u202Ename`, discovery: { enabled: true, networks: [NETWORK] } });
    await using enrolled = await enrolAgent(ui.lanreach, site, 'attic');
    expect(enrolled.id).toBe(`${site}:attic`);
    for (const width of WIDTHS) {
      const { page } = await open('/', { width });
      const check = async (at: string, text: string) => {
        await page.goto(`${ui.lanreach.system.url}/console/#${at}`);
        await page.getByText(text).first().waitFor();
        expect([at, width, await faultsInBothThemes(page)]).toEqual([at, width, []]);
      };
      await check('/', 'Last change');
      await check('/sites/new', 'stands in addresses');
      await check(`/sites/${site}/settings`, 'not connected yet');
      await page.getByRole('button', { name: 'Remove …' }).click();
      await page.getByRole('dialog').getByText('are deleted').first().waitFor();
      expect(await faultsInBothThemes(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await check(`/sites/${site}/agents/new`, 'Name of the agent');
      await page.getByRole('button', { name: 'Show the line' }).click();
      await page.getByText('Waiting for the line').waitFor();
      expect(await faultsInBothThemes(page)).toEqual([]);
      await check('/sites/home/enrol/main', 'The agent is online');
    }
  });

  test('where there is no site, whoever may add one is led there', async () => {
    const token = await ui.lanreach.createToken({ scopes: ['devices:read'], sites: '*' });
    const { json } = await ui.lanreach.request('GET', '/sites');
    await fewAtOnce((json as { sites: { id: string; name: string }[] }).sites, ({ id, name }) =>
      ui.lanreach.request('DELETE', `/sites/${id}?confirm=${encodeURIComponent(name)}`),
    );
    const reader = await open('/', { token });
    await reader.page.getByText('Whoever runs this service can add one.').waitFor();
    expect(await reader.page.getByRole('link', { name: 'Add a site' }).count()).toBe(0);
    const { page } = await open('/');
    await page.getByRole('heading', { name: 'No site yet' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Add a site' }).click();
    await page.getByRole('heading', { name: 'Add a site' }).waitFor();
  });

  test('among hundreds of sites, one is found by its name, and those that need attention by themselves', async () => {
    await ui.lanreach.addSite(); // One that the search for "branch" leaves out.
    const numbers = Array.from({ length: 300 }, (_, i) => i);
    await fewAtOnce(numbers, (i) =>
      ui.lanreach.request('POST', '/sites', { body: { id: `branch-${i}`, name: `Branch ${i}` } }),
    );
    await change('branch-123', { discovery: { enabled: true, networks: [NETWORK] } });
    const { page } = await open('/');
    await page.getByRole('heading', { name: 'Branch 7', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('branch 299');
    await page.getByText(/^1 of \d+ sites/).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Branch 299']);
    await page.getByRole('searchbox').fill('branch');
    await page.getByText(/^300 of \d+ sites/).waitFor();
    await page.getByLabel('Only those that need attention').check();
    await expect.poll(() => page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Branch 123']);
    await page.getByRole('searchbox').fill('nowhere');
    await page.getByText('No site matches.').waitFor();
  });
});
