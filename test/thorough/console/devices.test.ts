/** What the list of devices can do: `test/console/devices.test.ts` has what must hold before each push. */
import { expect, test } from 'vitest';
import { violations } from '../../console/accessibility.ts';
import { nextPoll } from '../../console/browser.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { FAILURE, hasFocus, listOf, mac, NAMES, SMALL } from '../../console/device-list.ts';

/** The addresses in the list of which something is not seen. */
const CUT = `[...document.querySelectorAll('[role=row] code')].filter((one) => {
  const inner = one.getBoundingClientRect();
  const outer = (one.closest('[role=gridcell]') ?? one).getBoundingClientRect();
  return one.scrollWidth > one.clientWidth || inner.right > outer.right + 1 || inner.right > innerWidth;
}).map((one) => one.textContent)`;

describeConsole('the list of devices', startConsoleApi, (ui) => {
  const { open, device, row, names, shows, field, filter, choose } = listOf(ui);

  test('an address is never cut, at any width', async () => {
    const site = await ui.lanreach.addSite(`devName,devMac,devLastIP,devVendor
Annas MacBook Air,${mac(1)},192.168.178.122,Apple
Canon TS5300 series,${mac(2)},172.16.100.122,Canon
Heizung Erdgeschoss,${mac(3)},2001:db8:1234:5678:9abc:def0:1234:5678,AVM Audiovisuelles Marketing und Computersysteme GmbH
`);
    const { page } = await open(site);
    await row(page, 'Canon TS5300 series').waitFor();
    for (const width of [1440, 1280, 1024, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await row(page, 'Canon TS5300 series').waitFor();
      const cut = await page.evaluate(CUT);
      expect([width, cut]).toEqual([width, []]);
    }
  });

  test('several values are edited in place; Escape leaves them, and a refused edit is taken back', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site, { width: 1920 });
    const { keyboard } = page;
    await choose(page, 'More', 'Columns');
    for (const name of ['Type', 'Group', 'Parent']) await page.getByRole('checkbox', { name, exact: true }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

    await row(page, 'nas').focus();
    await keyboard.press('F2');
    await keyboard.type('never saved');
    await keyboard.press('Escape');
    await row(page, 'nas').waitFor();

    await keyboard.press('F2');
    await keyboard.type('storage');
    await keyboard.press('Tab');
    await keyboard.type('Server');
    await keyboard.press('Tab');
    await keyboard.type('cellar');
    await keyboard.press('Tab');
    await keyboard.type(mac(3));
    await keyboard.press('Enter');
    await expect.poll(async () => (await device(site, mac(2))).devName).toBe('storage');
    expect(await device(site, mac(2))).toMatchObject({ devType: 'Server', devGroup: 'cellar', devParentMAC: mac(3) });

    await row(page, 'switch not monitored').focus();
    await keyboard.press('e');
    await keyboard.type('a loop');
    for (let i = 0; i < 3; i++) await keyboard.press('Tab');
    await keyboard.type(mac(1));
    await keyboard.press('Enter');
    await page.getByText(/cannot hang on itself/).waitFor();
    await row(page, 'switch not monitored').waitFor();
    expect((await device(site, mac(1))).devName).toBe('switch');

    // What others change meanwhile stays, and the Enter of an input method ends nothing.
    await row(page, 'storage').focus();
    await keyboard.press('e');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    await ui.lanreach.request('PATCH', '/devices', { site, body: { devices: [mac(2)], set: { devGroup: 'attic' } } });
    await name.fill('archive');
    await name.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await name.fill('archive 2');
    await keyboard.press('Enter');
    await expect.poll(async () => (await device(site, mac(2))).devName).toBe('archive 2');
    expect((await device(site, mac(2))).devGroup).toBe('attic');
    await page.reload();
    await page.getByRole('columnheader', { name: 'Parent' }).waitFor(); // This browser keeps the columns.
  });

  test('filters, search and order stand in the address, and the history brings them back', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site);
    await shows(page, NAMES);
    await page.getByRole('button', { name: 'New 2' }).first().click(); // Not the heading of the group.
    await shows(page, ['laptop', 'phone']);
    await page.getByRole('button', { name: 'Archive 1' }).click();
    await shows(page, ['old printer']);
    await page.getByRole('button', { name: 'All 6' }).click();
    await filter(page, 'group:ra', 'Group: rack 2');
    await shows(page, ['nas', 'switch']);
    await page.getByRole('button', { name: 'IP address' }).click();
    await page.getByRole('button', { name: 'IP address' }).click();
    expect(new URL(page.url()).hash).toBe(`#/sites/${site}/devices?group=rack&sort=-ip`);
    await shows(page, ['nas', 'switch']);
    await page.keyboard.press('/');
    await page.keyboard.type('001e06aabb01');
    await shows(page, ['switch']);
    await page.waitForURL((url) => url.hash.includes('text=001e06aabb01'));
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await shows(page, NAMES);
    await page.goForward();
    await shows(page, ['nas', 'switch']);
    await field(page).fill('no device is called like this');
    await page.getByRole('heading', { name: 'No devices match the filter' }).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Clear filter' }).last().click();
    await shows(page, NAMES);
  });

  test('a link shows a view; new devices are acknowledged; an empty site says what to do', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site, { query: '?status=new&sort=-name' });
    await shows(page, ['phone', 'laptop']);
    await page.getByRole('button', { name: 'Mark all 2 as known' }).click();
    await page.getByText('2 devices marked as known').waitFor();
    await page.getByRole('heading', { name: 'No devices match the filter' }).waitFor();
    expect((await device(site, mac(4))).devIsNew).toBe(0);

    const { page: empty } = await open(await ui.lanreach.addSite());
    await empty.getByRole('heading', { name: 'No devices yet' }).waitFor();
    const addAgent = empty.getByRole('link', { name: 'Add an agent' });
    expect(await addAgent.getAttribute('href')).toMatch(/^#\/sites\/[^/]+\/agents\/new$/);
  });

  test('new devices stand on top, where they are named or marked as known; nothing is on top without any', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site);
    await shows(page, NAMES);
    await row(page, 'laptop').getByRole('button', { name: 'Name it' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('work laptop');
    await page.keyboard.press('Enter');
    await shows(page, ['phone', 'camera', 'nas', 'sensor', 'switch', 'work laptop']);
    expect(await device(site, mac(5))).toMatchObject({ devName: 'work laptop', devIsNew: 0 });
    await page.getByRole('button', { name: 'IP address' }).click();
    await shows(page, ['phone', 'switch', 'nas', 'camera', 'work laptop', 'sensor']);
    await row(page, 'phone').getByRole('button', { name: 'Mark as known' }).click();
    await shows(page, ['switch', 'nas', 'camera', 'phone', 'work laptop', 'sensor']);
    expect(await page.getByRole('button', { name: /^(?:New|Known) \d$/, expanded: true }).count()).toBe(0);
  });

  test('deleted devices are listed with who deleted them, and restored: one, or as many as a change deleted', async () => {
    const many = Array.from({ length: 120 }, (_, i) => `lamp ${i},02:00:5E:00:02:${i.toString(16).padStart(2, '0')}`);
    const site = await ui.lanreach.addSite(SMALL);
    await ui.lanreach.importCsv(['devName,devMac', ...many].join('\n'), site);
    await ui.lanreach.request('DELETE', '/devices', { site, body: { macs: ['02:00:5E:00:02:*'] } });
    await ui.lanreach.request('DELETE', '/devices', { site, body: { macs: [mac(2), mac(3)] } });
    const { page } = await open(site);
    await page.getByRole('button', { name: 'Deleted' }).click();
    const deleted = page.getByRole('table').getByRole('row');
    await deleted.filter({ hasText: '120 devices' }).getByRole('button', { name: 'Restore 120' }).waitFor();
    expect(await deleted.filter({ hasText: 'nas' }).textContent()).toMatch(/you/);
    expect(await violations(page)).toEqual([]);
    await deleted.filter({ hasText: 'nas' }).getByRole('button', { name: 'Restore' }).click();
    await page.getByText('1 device restored').waitFor();
    await deleted.filter({ hasText: 'nas' }).waitFor({ state: 'detached' });
    expect(await device(site, mac(2))).toMatchObject({ devName: 'nas' });
    expect(await device(site, mac(3))).toMatchObject({ code: 'not_found' });
    await page.getByRole('button', { name: 'Restore 120' }).click();
    await page.getByText('120 devices restored').waitFor();
    await deleted.filter({ hasText: '120 devices' }).getByText('restored').waitFor();
    await page.getByRole('button', { name: 'All 125' }).click();
    await page.getByText('125 devices', { exact: true }).waitFor();
  });

  test('an empty site with an agent is watched by one press, and what is found appears by itself', async () => {
    const site = await ui.lanreach.addSite();
    const { page } = await ui.open('/no/such/screen', { isTimeMovable: true });
    // An answer in the place of the API's, so that no agent looks at a network.
    const agent = { id: `${site}:main`, state: 'online', networks: ['192.0.2.0/24'], discovery: null };
    await page.route(`**/sites/${site}/agents`, (route) =>
      route.fulfill({ json: { success: true, agents: [agent], unreadable: [] } }),
    );
    await page.evaluate(`location.hash = '/sites/${site}/devices'`);
    await page.getByText('Its host is attached to 192.0.2.0/24.').waitFor();
    expect(await page.getByRole('link', { name: 'Add an agent' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Monitor this network' }).click();
    await page.getByText('They appear here as they are found.').waitFor();
    expect((await ui.lanreach.request('GET', `/sites/${site}`)).json).toMatchObject({ discovery: { enabled: true } });
    expect(await violations(page)).toEqual([]);
    await ui.lanreach.importCsv(SMALL, site);
    await nextPoll(page);
    await shows(page, NAMES);
  });

  test('a device is shown beside the list, and J and K walk on; what can be done with it stands in its menu', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site);
    const panel = (name: string) => page.getByRole('complementary', { name: `Device ${name}` });
    await row(page, 'camera').getByText('192.168.178.3').click();
    await panel('camera').getByText('garden').waitFor();
    await panel('camera').getByText('Not scanned yet.').waitFor();
    await page.keyboard.press('j');
    await panel('nas').getByText('Open page').waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await panel('phone').waitFor();
    await page.keyboard.press('Escape');
    await panel('phone').waitFor({ state: 'detached' });
    await expect.poll(() => hasFocus(page, row(page, 'phone'))).toBe(true);

    await row(page, 'nas').hover();
    await choose(page, 'Actions for nas', 'Archive');
    await page.getByText('1 device archived').waitFor();
    await shows(page, ['laptop', 'phone', 'camera', 'sensor', 'switch']);
    await row(page, 'camera').getByText('192.168.178.3').dblclick();
    await page.waitForURL((url) => url.hash === `#/sites/${site}/devices/${encodeURIComponent(mac(3))}`);
  });

  test('an undo that fails midway is offered again; that the list is old is said while it is shown', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site);
    await shows(page, NAMES);
    await row(page, 'switch').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowUp'); // The sensor, which has no MAC and is a deletion of its own.
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Delete 2' }).click();
    await page.getByText('2 devices deleted').waitFor();
    let requests = 0;
    await page.route(/\/devices\/restore/, (route) => (++requests === 2 ? route.fulfill(FAILURE) : route.continue()));
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 device restored').waitFor();
    await page.getByText('out of order').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await shows(page, NAMES);

    await page.route(/\/devices\?/, (route) =>
      route.request().method() === 'GET' ? route.fulfill(FAILURE) : route.continue(),
    );
    await row(page, 'nas').focus();
    await page.keyboard.press('f');
    const alert = page.getByRole('main').getByRole('alert');
    await alert.getByText('out of order').waitFor();
    expect(await names(page)).toEqual(NAMES);
    await page.unroute(/\/devices\?/);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
  });
});
