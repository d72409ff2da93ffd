/** The devices of a site in the console: `test/thorough/console/devices.test.ts` has what else the list can do. */
import { expect, test } from 'vitest';
import { enrolAgent, startStandIn } from '../support/enrolled-agent.ts';
import { violations } from './accessibility.ts';
import { nextPoll } from './browser.ts';
import { describeConsole, startConsoleApi } from './describe-console.ts';
import { hasFocus, listOf, mac, NAMES, SMALL, tabTo } from './device-list.ts';

describeConsole('devices', startConsoleApi, (ui) => {
  const { open, device, row, names, shows } = listOf(ui);

  test('what nobody watches is not monitored, and not online', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const networks = ['192.168.178.0/30'];
    const isWatched = (state: string) =>
      expect.poll(async () => (await device(site, mac(2))).watch).toMatchObject({ state });
    const { page } = await open(site, { isTimeMovable: true });
    await row(page, 'nas').getByText('not monitored').waitFor();
    expect(await page.getByRole('row').getByText('online', { exact: true }).count()).toBe(0);

    await ui.lanreach.request('PATCH', `/sites/${site}`, { body: { discovery: { enabled: true, networks } } });
    await using enrolled = await enrolAgent(ui.lanreach, site, 'attic');
    const agent = await startStandIn(ui.lanreach, enrolled, undefined, { state: 'on', networks });
    await isWatched('watched');
    await nextPoll(page);
    await row(page, 'nas').getByText('online', { exact: true }).waitFor();
    await row(page, 'laptop').getByText('not monitored').waitFor();
    await page.getByRole('button', { name: 'Not monitored 3' }).waitFor();
    await agent[Symbol.asyncDispose]();
    await isWatched('unwatched');
    await nextPoll(page);
    await row(page, 'nas').getByText('not monitored').waitFor();
    await page.getByRole('button', { name: 'Not monitored 6' }).click();
    await shows(page, NAMES);
    await page.getByRole('link', { name: 'nas' }).click();
    await page.getByText('last known: online').waitFor();
  });

  test('by keyboard alone: rename, favourite, archive, edit many, delete, undo', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site);
    const { keyboard } = page;
    await shows(page, NAMES);

    await row(page, 'camera').focus();
    await keyboard.press('e');
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await keyboard.type('camera at the door');
    await keyboard.press('Enter');
    await expect.poll(async () => (await device(site, mac(3))).devName).toBe('camera at the door');
    await expect.poll(() => hasFocus(page, row(page, 'camera at the door'))).toBe(true);

    await keyboard.press('f');
    await expect.poll(async () => (await device(site, mac(3))).devFavorite).toBe(1);
    await row(page, 'camera at the door').getByRole('img', { name: 'Favourite' }).waitFor();

    await keyboard.press('Home'); // laptop, which is new
    await keyboard.press('a');
    await page.getByText('1 device archived').waitFor();
    await shows(page, ['phone', 'camera at the door', 'nas', 'sensor', 'switch']);

    await keyboard.press('Home');
    await keyboard.press('Space');
    await keyboard.press('ArrowDown');
    await keyboard.press('Shift+ArrowDown');
    await keyboard.press('Shift+ArrowDown');
    await page.getByText('3 of 5 devices selected').waitFor();
    await keyboard.press('Control+a');
    await page.getByText('5 of 5 devices selected').waitFor();
    await keyboard.press('Escape');
    await page.getByText('5 devices', { exact: true }).waitFor();
    await keyboard.press('Control+a');
    await tabTo(page, page.getByRole('button', { name: 'Edit', exact: true }), 'Tab'); // From the row to the bar of the selection below it.
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Edit 5 devices' }).waitFor();
    await tabTo(page, page.getByRole('textbox', { name: 'New value: Location' }), 'Tab');
    await keyboard.type('attic');
    await page.getByText('5 devices will change').waitFor();
    await keyboard.press('Enter');
    await page.getByText('5 devices changed').waitFor();
    expect((await device(site, mac(1))).devLocation).toBe('attic');

    await keyboard.press('Escape');
    await keyboard.press('End');
    await keyboard.press('Shift+ArrowUp'); // sensor and switch: one of them has no MAC
    await page.getByText('2 of 5 devices selected').waitFor();
    await keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Delete 2 devices?' }).waitFor();
    await page.getByRole('button', { name: 'Delete 2' }).waitFor();
    await keyboard.press('Enter');
    await page.getByText('2 devices deleted').waitFor();
    await shows(page, ['phone', 'camera at the door', 'nas']);
    await tabTo(page, page.getByRole('button', { name: 'Undo' }).last(), 'Tab'); // From the row to the message behind it.
    await keyboard.press('Enter');
    await page.getByText('2 devices restored').waitFor();
    await shows(page, ['phone', 'camera at the door', 'nas', 'sensor', 'switch']);
    expect((await device(site, mac(1))).devLocation).toBe('attic');

    await row(page, 'nas').focus();
    await keyboard.press('Enter');
    await page.waitForURL((url) => url.hash === `#/sites/${site}/devices/${encodeURIComponent(mac(2))}`);
  });

  test('a token that may only read is offered nothing that writes or runs, on any of these screens', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const token = await ui.lanreach.createToken({ scopes: ['devices:read'], sites: [site] });
    const { page } = await open(site, { token });
    await shows(page, NAMES);
    for (const role of ['checkbox', 'textbox'] as const) expect(await page.getByRole(role).count(), role).toBe(0);
    const writing = page.getByRole('button', { name: /Import|Select all|Acknowledge|Favourite:|Edit|Delete/ });
    expect(await writing.count()).toBe(0);
    await row(page, 'nas').focus();
    for (const key of ['e', 'F2', 'f', 'a', 'n', 'y', 'Delete', 'Space', 'Control+a']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByText('selected').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(await device(site, mac(2))).toMatchObject({ devName: 'nas', devFavorite: 1, devIsArchived: 0 });

    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const main = page.getByRole('main');
    await page.keyboard.press('Enter'); // The device.
    await page.getByRole('heading', { name: 'nas', level: 1 }).waitFor();
    await main.getByRole('button', { name: /^Ports/ }).click();
    await main.getByText('Not scanned yet').waitFor();
    const changing = /Wake|Scan|Trace|Edit|Rename|Delete|Archive|[Ff]avourite|Acknowledge|Mark as known|Merge/;
    expect(await main.getByRole('button', { name: changing }).count()).toBe(0);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Map' }).click();
    await page.getByRole('treeitem', { name: 'nas' }).focus();
    await page.keyboard.press('m');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Move …' }).count()).toBe(0);
    expect(await page.locator('[draggable=true]').count()).toBe(0);
    const tools = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tools' });
    expect(await tools.getAttribute('href')).toBe(`#/sites/${site}/schedules`);
    for (const screen of ['tools', 'runs']) {
      await page.evaluate(`location.hash = '/sites/${site}/${screen}'`);
      await page.getByText('No permission to run tools').waitFor();
    }
    expect(asked.filter((path) => /^\/(?:nettools|jobs|sites\/.*agents)/.test(path))).toEqual([]);
  });

  test('what devices call themselves is text, whatever it is', async () => {
    const markup = '<img src=x onerror=alert(1)>';
    const hostile = [markup, 'javascript:alert(3)', 'right \u202Eto left\u202C', 'x'.repeat(1_000)];
    const site = await ui.lanreach.addSite(SMALL);
    const rows = hostile.map((devName, i) => `"${devName}",${mac(50 + i)},"<b>${i}</b>","<i>",&lt;,1`);
    await ui.lanreach.importCsv(['devName,devMac,devType,devGroup,devVendor,devIsNew', ...rows].join('\n'), site);
    const { page, offences } = await open(site, { query: '?status=new&columns=status+name+type+group+vendor' });
    page.on('dialog', (dialog) => offences.push(`dialog: ${dialog.message()}`));
    await page.getByText('6 devices', { exact: true }).waitFor();
    expect((await names(page)).sort()).toEqual([...hostile, 'laptop', 'phone'].sort());
    expect(await page.locator('[role=grid] :is(img, script, b, i)').count()).toBe(0);
    await page.getByRole('gridcell', { name: '<b>0</b>', exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const link = page.getByRole('link', { name: /javascript/ });
    expect(await link.getAttribute('href')).toBe(`#/sites/${site}/devices/${encodeURIComponent(mac(51))}`);
    await page.getByRole('row', { name: /onerror/ }).focus();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByText(`“${markup}”`).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 device deleted').waitFor();
  });
});
