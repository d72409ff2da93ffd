/** The map of a LAN as people see it in the console. */
import { readFile } from 'node:fs/promises';
import { XMLValidator } from 'fast-xml-parser';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { nextPoll, type OpenOptions } from '../../console/browser.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';

const HEADER =
  'devMac,devName,devLastIP,devPresentLastScan,devAlertDown,devParentMAC,devParentPort,devType,devIsArchived';
const mac = (last: number) => `00:1E:06:00:${hex(last >> 8)}:${hex(last & 255)}`;
const hex = (byte: number) => byte.toString(16).padStart(2, '0').toUpperCase();

interface Row {
  at: number;
  name: string;
  parent?: string;
  status?: 'online' | 'offline' | 'down' | 'archived';
  port?: string;
}

function csvOf(rows: readonly Row[]): string {
  const lines = rows.map(({ at, name, parent = '', status = 'online', port = '' }) => {
    const ip = `192.168.${at >> 8}.${at & 255}`;
    const flags = [status === 'online' ? 1 : 0, status === 'down' ? 1 : 0];
    const quoted = `"${name.replaceAll('"', '""')}"`;
    return [mac(at), quoted, ip, ...flags, parent, port, '', status === 'archived' ? 1 : 0].join(',');
  });
  return [HEADER, ...lines, ''].join('\n');
}

/** A router on the Internet, a switch and an access point on it, a circle of two, and two devices that nobody placed. */
const LAN: Row[] = [
  { at: 1, name: 'router', parent: 'Internet' },
  { at: 2, name: 'switch', parent: mac(1) },
  { at: 3, name: 'attic-ap', parent: mac(1) },
  { at: 10, name: 'nas', parent: mac(2), port: '7' },
  { at: 11, name: 'printer', parent: mac(2), status: 'down' },
  ...Array.from({ length: 30 }, (_, at) => ({
    at: 40 + at,
    name: `phone-${at}`,
    parent: mac(3),
    status: at < 3 ? ('down' as const) : at < 10 ? ('offline' as const) : ('online' as const),
  })),
  { at: 20, name: 'ring-a', parent: mac(21) },
  { at: 21, name: 'ring-b', parent: mac(20) },
  { at: 30, name: 'camera' },
  { at: 31, name: 'lost', parent: '00:00:00:00:00:99' },
  { at: 32, name: 'shelf', status: 'archived' },
];

describeConsole('the map', startConsoleApi, (ui) => {
  const open = (site: string, options?: Partial<OpenOptions>) => ui.open(`/sites/${site}/map?view=tree`, options);

  const item = (page: Page, name: string | RegExp) => page.getByRole('treeitem', { name });
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.getAttribute("data-key")');

  async function parentOf(site: string, at: number): Promise<unknown> {
    const { json } = await ui.lanreach.request('GET', `/devices/${mac(at)}`, { site });
    const { devParentMAC, devParentPort } = json as { devParentMAC: string; devParentPort: string };
    return [devParentMAC, devParentPort];
  }

  test('an imported LAN is drawn: infrastructure as cards, each device once, those without parent together', async () => {
    const site = await ui.lanreach.addSite(csvOf(LAN));
    const { page } = await open(site);
    const region = page.getByRole('region', { name: 'Map', exact: true });
    await region.getByRole('treeitem', { name: 'attic-ap 192.168.0.3 online, 30 devices · 3 down' }).waitFor();
    // What is down counts on all cards above it.
    await region.getByRole('treeitem', { name: 'router 192.168.0.1 online, 34 devices · 4 down' }).waitFor();
    const tree = await region.getByRole('tree').ariaSnapshot();
    for (const { name } of LAN) {
      expect(tree.match(new RegExp(`treeitem "${name}\\b(?!-)`, 'g')) ?? [], name).toHaveLength(
        name === 'shelf' ? 0 : 1,
      );
    }
    expect(tree).toContain('treeitem "Internet 35 devices · 4 down"');
    expect(tree).toContain('treeitem "No known parent 2 devices"');
    // The circle of two is cut: one has become the root of the other.
    expect(await item(page, 'ring-a').getAttribute('aria-level')).toBe('1');
    expect(await item(page, 'ring-b').getAttribute('aria-level')).toBe('2');
    expect(await item(page, 'nas').getAttribute('aria-level')).toBe('4');
    await item(page, 'nas').dblclick();
    await expect.poll(() => page.url()).toMatch(new RegExp(`/sites/${site}/devices/00%3A1E%3A06%3A00%3A00%3A0A$`));
  });

  test('the chosen device says which devices depend on it, and the drawing shows them', async () => {
    const site = await ui.lanreach.addSite(csvOf(LAN));
    const { page } = await open(site);
    const panel = page.getByRole('complementary', { name: 'Chosen device' });
    await item(page, 'attic-ap').click();
    await panel.getByText('If it fails, 30 devices lose their connection.').waitFor();
    await panel.getByText(mac(3)).waitFor();
    expect(await item(page, 'phone-29').getAttribute('data-mark')).toBe('falling');
    expect(await item(page, 'nas').getAttribute('data-mark')).toBeNull();
    await item(page, 'nas').click();
    await panel.getByText('Connected to switch, port 7').waitFor();
    await panel.getByText('No other device depends on it.').waitFor();
    expect(await page.locator('[data-mark=falling]').count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => panel.count()).toBe(0);
    await item(page, 'router').click();
    await panel.getByText('If it fails, 34 devices lose their connection.').waitFor();
    await panel.getByRole('link', { name: 'Open' }).click();
    await expect.poll(() => page.url()).toContain(encodeURIComponent(mac(1)));
  });

  test('a search marks what it finds and goes there; down only leaves the way to what is down', async () => {
    const site = await ui.lanreach.addSite(csvOf(LAN));
    const { page } = await open(site, { width: 900, height: 500 });
    await item(page, 'attic-ap').press('ArrowLeft');
    await expect.poll(() => item(page, 'attic-ap').getAttribute('aria-expanded')).toBe('false');
    await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('192.168.0.69');
    await page.getByText('1 found').waitFor();
    const found = item(page, 'phone-29');
    expect(await found.getAttribute('data-mark')).toBe('found');
    await expect.poll(() => isInFrame(page, 'phone-29')).toBe(true);
    expect(await item(page, 'router').getAttribute('data-mark')).toBe('faint');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe(mac(69));
    await page.getByRole('searchbox').fill('');
    await page.getByRole('checkbox', { name: 'Down only' }).check();
    await item(page, 'attic-ap').press('ArrowRight');
    await expect.poll(() => page.getByRole('treeitem').count()).toBe(8);
    for (const name of ['Internet', 'router', 'switch', 'printer', 'attic-ap', 'phone-0', 'phone-1', 'phone-2'])
      expect(await page.getByRole('treeitem', { name: new RegExp(`^${name}\\b`) }).count(), name).toBe(1);
  });

  async function isInFrame(page: Page, name: string): Promise<boolean> {
    const [one, frame] = await Promise.all([
      item(page, name).boundingBox(),
      page.getByRole('tree').locator('xpath=../..').boundingBox(),
    ]);
    if (one === null || frame === null) return false;
    return one.x >= frame.x && one.y >= frame.y && one.y + one.height <= frame.y + frame.height;
  }

  test('the arrow keys walk through cards and devices, and Enter opens the device', async () => {
    const site = await ui.lanreach.addSite(csvOf(LAN));
    const { page } = await open(site);
    await item(page, 'Internet').focus();
    for (const [key, at] of [
      ['ArrowRight', 1],
      ['ArrowDown', 3],
      ['ArrowDown', 40],
      ['PageDown', 2],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => focused(page), { message: key }).toBe(mac(at));
    }
    expect(await page.locator('[role=treeitem][tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('Space');
    await expect.poll(() => item(page, 'nas').count()).toBe(0);
    await item(page, 'switch').locator('[data-toggle]').click();
    await item(page, 'nas').waitFor();
    expect(page.url()).toContain('/map');
    await item(page, 'switch').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(encodeURIComponent(mac(2)));
  });

  test('a device that is dragged to another card has a new parent, and undo gives it back with its port', async () => {
    const site = await ui.lanreach.addSite(csvOf(LAN));
    const { page } = await open(site, { width: 1900, height: 1000 });
    await item(page, 'nas').dragTo(item(page, 'attic-ap'));
    await page.getByText('nas is now connected to attic-ap.').waitFor();
    await item(page, 'attic-ap 192.168.0.3 online, 31 devices · 3 down').waitFor();
    expect(await parentOf(site, 10)).toEqual([mac(3), '']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await item(page, 'attic-ap 192.168.0.3 online, 30 devices · 3 down').waitFor();
    await expect.poll(() => parentOf(site, 10)).toEqual([mac(2), '7']);
    // A card with all that hangs on it, and the card of those without parent.
    await item(page, 'switch').dragTo(item(page, 'attic-ap'));
    await page.getByText('switch is now connected to attic-ap.').waitFor();
    expect(await item(page, 'nas').getAttribute('aria-level')).toBe('5');
    await item(page, 'printer').dragTo(item(page, 'No known parent'));
    await page.getByText('printer now has no parent.').waitFor();
    expect(await parentOf(site, 11)).toEqual(['', '']);
    await item(page, 'router').dragTo(item(page, 'switch'));
    await page.getByText('router was not moved: switch is connected to it, which would form a loop.').waitFor();

    // What the API refuses is taken back, in its words.
    await ui.lanreach.request('DELETE', '/devices', { site, body: { macs: [mac(10)] } });
    await item(page, 'nas').dragTo(item(page, 'attic-ap'));
    await page.getByRole('alert').waitFor();
    await expect.poll(() => item(page, 'nas').count()).toBe(0);
  });

  test('a device is moved by keyboard, with the focus; the dialog asks which one, and offers nothing behind it', async () => {
    const site = await ui.lanreach.addSite(csvOf(LAN));
    const { page } = await open(site, { width: 390, height: 800 });
    await item(page, 'nas').focus();
    await page.keyboard.press('m');
    await page.getByRole('dialog', { name: 'Move nas' }).waitFor();
    await page.keyboard.type('attic');
    await page.keyboard.press('Enter');
    await page.getByText('nas is now connected to attic-ap.').waitFor();
    await expect.poll(() => focused(page)).toBe(mac(10));
    expect(await parentOf(site, 10)).toEqual([mac(3), '']);

    await page.evaluate('document.activeElement.blur()');
    await page.reload();
    await item(page, 'nas').waitFor();
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Move device …' }).click();
    await page.getByRole('searchbox', { name: 'Device' }).fill('switch');
    await page.getByRole('dialog').getByRole('button', { name: 'switch' }).click();
    await page.getByRole('dialog', { name: 'Move switch' }).waitFor();
    expect(
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(?:switch|router)\b/ })
        .count(),
    ).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'ring-a' }).click();
    await page.getByText('switch is now connected to ring-a.').waitFor();
    expect(await parentOf(site, 2)).toEqual([mac(20), '']);
  });

  test('300 devices, whatever they are called, are drawn, searched, and saved as pictures by themselves', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202e]]>&amp;"';
    const site = await ui.lanreach.addSite(csvOf([...largeLan(300), { at: 900, name: hostile, parent: mac(1) }]));
    const { page } = await open(site);
    // At first the cards with their numbers, all of which are seen.
    await expect.poll(() => page.getByRole('treeitem').count()).toBe(21); // And the Internet.
    for (const name of ['Internet', 'switch-19']) expect(await isInFrame(page, name), name).toBe(true);
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Expand all' }).click();
    await expect.poll(() => page.getByRole('treeitem').count()).toBe(302);
    await item(page, hostile).waitFor();
    const save = async (as: string) => {
      await page.getByRole('button', { name: 'Actions', exact: true }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: `Save as ${as}` }).click(),
      ]);
      return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
    };
    const { name, content } = await save('SVG');
    const svg = content.toString('utf8');
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(svg.match(/<title>device-\d+, /g)).toHaveLength(280);
    expect(svg).not.toMatch(/<(?:script|img|style|image)|var\(|light-dark|class=/);
    expect(name).toBe(`map-${site}.svg`);
    const png = await save('PNG');
    expect([png.name, png.content.subarray(1, 4).toString()]).toEqual([`map-${site}.png`, 'PNG']);
  });

  test('the same by networks and as a list, which is what a narrow window begins with', async () => {
    const site = await ui.lanreach.addSite(csvOf([...LAN, { at: 300, name: 'elsewhere' }]));
    const { page } = await ui.open(`/sites/${site}/map`, { width: 390, height: 800 });
    const list = page.getByRole('navigation', { name: /as a list$/ });
    await list.getByRole('link', { name: 'nas 192.168.0.10 · port 7' }).waitFor();
    await list.getByRole('button', { name: 'Collapse switch, 2 devices · 1 down' }).click();
    await expect.poll(() => list.getByRole('link', { name: 'nas' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Networks' }).click();
    await item(page, /^192.168.0.0\/24 39 devices/).waitFor();
    await item(page, /^192.168.1.0\/24 1 device/).waitFor();
    await page.reload();
    await item(page, 'elsewhere').waitFor();
  });

  test('as it was: a device stands where it stood then, and cannot be moved there', async () => {
    const site = await ui.lanreach.addSite(csvOf(LAN));
    const { page } = await open(site, { isTimeMovable: true });
    const on = (parent: number) => page.locator(`[data-card="${mac(parent)}"]`).getByRole('treeitem', { name: 'nas' });
    await on(2).waitFor();
    await page.clock.fastForward(2 * 3_600_000);
    await page.getByRole('button', { name: 'History' }).click();
    const slider = page.getByRole('slider', { name: 'Time' });
    await slider.focus();
    // The slider goes by the second at which it was opened; what is changed in the same one counts already.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await ui.lanreach.request('PATCH', `/devices/${mac(10)}`, { site, body: { devParentMAC: mac(3) } });
    await nextPoll(page);
    await on(3).waitFor();
    await page.keyboard.press('Home');
    await page.getByText(/^State on /).waitFor();
    await on(2).waitFor();
    expect(await on(2).getAttribute('draggable')).toBe('false');
    await page.getByRole('button', { name: 'Back to now' }).click();
    await on(3).waitFor();
  });

  test('a site without devices says how to get some, and one without parents how to give them', async () => {
    const [empty, flat] = [await ui.lanreach.addSite(), await ui.lanreach.addSite(csvOf([{ at: 1, name: 'alone' }]))];
    const { page } = await open(empty);
    await page.getByText('No devices yet').waitFor();
    await page.goto(`${ui.lanreach.url}/console/#/sites/${flat}/map`);
    await item(page, '192.168.0.0/24 1 device').waitFor();
    await page.getByRole('button', { name: 'Connections' }).click();
    await page.getByText('No connections known yet.').waitFor();
    await page.getByRole('checkbox', { name: 'Down only' }).check();
    await page.getByText('No devices are down.').waitFor();
  });
});

/** 20 switches and access points, and devices on all of them. */
function largeLan(size: number): Row[] {
  return Array.from({ length: size }, (_, at) => {
    if (at === 0) return { at: 1, name: 'core', parent: 'Internet' };
    if (at < 20) return { at: at + 1, name: `switch-${at}`, parent: mac(at < 8 ? 1 : (at % 7) + 2) };
    const status = at % 9 === 0 ? 'down' : at % 4 === 0 ? 'offline' : 'online';
    return { at: at + 1, name: `device-${at}`, parent: mac((at % 20) + 1), status };
  });
}
