/** What devices are, which of them are one, and where they are connected, as people see and settle it in the console. */
import { expect, test } from 'vitest';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { addHeard, STORAGE } from '../../demo/recognised.ts';

const [NAS, SWITCH] = ['00:1E:06:00:00:01', '00:1E:06:00:00:02'] as const;
const [CAMERA, PRINTER] = ['00:1E:06:00:00:03', '00:1E:06:00:00:04'] as const;
const [MONDAY, TUESDAY] = ['02:1E:06:00:00:01', '02:1E:06:00:00:02'] as const;
const CSV = `devMac,devName,devLastIP
${NAS},,192.168.178.1
${SWITCH},switch,192.168.178.2
${CAMERA},camera,192.168.178.3
${PRINTER},printer,192.168.178.4
${MONDAY},,192.168.178.5
${TUESDAY},,192.168.178.6
`;

describeConsole('recognition', startConsoleApi, (ui) => {
  async function count(site: string): Promise<unknown> {
    return ((await ui.lanreach.request('GET', '/devices/totals', { site })).json as number[])[0];
  }

  async function siteOf(...heard: Parameters<typeof addHeard>[2][number][]): Promise<string> {
    const site = await ui.lanreach.addSite();
    await ui.lanreach.importCsv(CSV, site);
    await addHeard(ui.lanreach, site, heard);
    return site;
  }

  test('a device is what it says of itself, until a person says something else, and again when that is taken back', async () => {
    const site = await siteOf({ mac: NAS, said: STORAGE });
    const { page } = await ui.open(`/sites/${site}/devices/${NAS}`);
    const identity = page.getByRole('region', { name: 'Identification' });
    await identity.locator('span', { hasText: /^DS920\+$/ }).waitFor();
    await identity.getByText('NAS', { exact: true }).waitFor();
    await page.getByRole('img', { name: 'NAS' }).waitFor();
    await identity.getByText('Evidence').first().click();
    await identity.getByText('_http._tcp model=DS920+').first().waitFor();
    const observations = identity.getByRole('list', { name: `${STORAGE.length} observations` });
    expect(await observations.getByRole('listitem').count()).toBe(STORAGE.length);

    const setType = async (type: string) => {
      await identity.getByRole('button', { name: 'Edit: Type' }).click();
      const field = page.getByRole('dialog').getByRole('combobox', { name: 'Type' });
      await field.waitFor();
      await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Type');
      await field.fill(type);
      await page.keyboard.press('Enter');
    };
    await setType('Server');
    await page.getByRole('img', { name: 'Server' }).waitFor();
    await identity.getByText('set manually').waitFor();
    await identity.getByText(/^Evidence suggests: NAS/).waitFor();
    await setType('');
    await page.getByRole('img', { name: 'NAS' }).waitFor();
    expect(await identity.getByText('set manually').count()).toBe(0);
  });

  test('two MACs of one phone are joined, taken apart by Undo, and another time split', async () => {
    const phone = (mac: string, day: string) => ({
      mac,
      said: [['mdns', 'adas-pocket-companion']] as const,
      record: {
        ...({ devRandomMAC: 1, devPresentLastScan: 0 } as const),
        ...{ devFirstConnection: `${day} 08:00:00`, devLastConnection: `${day} 20:00:00` },
      },
    });
    const site = await siteOf(phone(MONDAY, '2026-11-02'), phone(TUESDAY, '2026-11-03'));
    const { page } = await ui.open(`/sites/${site}/devices`);
    await page.getByText('1 possible duplicate.').waitFor();
    await page.getByRole('link', { name: 'Review' }).click();
    await page.getByText(/were never there at the same time/).waitFor();
    await page.getByRole('button', { name: 'Merge 1 device into adas-pocket-companion' }).click();
    await page.getByText('No duplicates found').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 device restored.').waitFor();
    expect(await count(site)).toBe(6);

    await ui.lanreach.request('POST', `/devices/${TUESDAY}/join`, { site, body: { macs: [MONDAY] } });
    await page.evaluate(`location.hash = '#/sites/${site}/devices/${TUESDAY}'`);
    const others = page.getByRole('region', { name: 'Other MAC addresses' });
    await others.getByText(MONDAY).waitFor();
    await others.getByRole('button', { name: `Split ${MONDAY}` }).click();
    await others.waitFor({ state: 'detached' });
    expect(await count(site)).toBe(6);
  });

  test('a proposed place is accepted, then the others; a token that may not sees no buttons', async () => {
    const free = ['devParentMAC', 'devParentPort'] as const;
    const seenAt = (mac: string, port: string) => ({
      mac,
      said: [['parent-bridge', `${SWITCH} ${port}`]] as const,
      free,
    });
    const site = await siteOf(seenAt(CAMERA, 'Gi0/3'), seenAt(PRINTER, 'Gi0/4'), seenAt(NAS, 'Gi0/5'));
    const reader = await ui.lanreach.createToken({ scopes: ['devices:read'], sites: [site] });
    const only = await ui.open(`/sites/${site}/map`, { token: reader });
    await only.page.getByRole('button', { name: 'Show', exact: true }).click();
    await only.page.getByText('camera on switch, port Gi0/3').waitFor();
    expect(await only.page.getByRole('button', { name: /^Accept/ }).count()).toBe(0);

    const { page } = await ui.open(`/sites/${site}/map`);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('button', { name: 'Accept proposed connection of camera' }).click();
    await page.getByText('1 device moved.').waitFor();
    await page.getByRole('button', { name: 'Accept all 2' }).click();
    await page.getByText('2 devices moved.').waitFor();
    await page
      .locator(`[data-card="${SWITCH}"]`)
      .getByRole('treeitem', { name: /camera/ })
      .first()
      .waitFor();
    const { json } = await ui.lanreach.request('GET', `/devices/${CAMERA}`, { site });
    expect(json).toMatchObject({ devParentMAC: SWITCH, devParentPort: 'Gi0/3' });
  });
});
