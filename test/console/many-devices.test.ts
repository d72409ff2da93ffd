/** Many devices in the console: more than are loaded at once, and those of a file. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { describeConsole, startConsoleApi } from './describe-console.ts';
import { FAILURE, HEADER, listOf, mac, NAMES, SMALL } from './device-list.ts';

/** Something to wait for, and what ends the waiting. */
function gate(): [Promise<void>, () => void] {
  let release = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  return [opened, () => release()];
}

/** Every second is a camera. */
function manyDevices(): string {
  const lines = Array.from({ length: 5_000 }, (_, n) => {
    const digits = n.toString(16).padStart(6, '0').toUpperCase();
    const address = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    const key = `02:00:00:${digits.replace(/(..)(?!$)/g, '$1:')}`;
    return `device ${n},${key},${address},${n % 2 === 0 ? 'Camera' : 'Phone'},,,0,0,0,0,1,`;
  });
  return [HEADER, ...lines].join('\n');
}

describeConsole('many devices', startConsoleApi, (ui) => {
  const { open, device, row, shows, field, filter, choose } = listOf(ui);

  test('a dropped CSV file: its bad lines are shown before anything is changed; what a replacement deletes comes back', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site);
    await shows(page, NAMES);
    const file = [
      'devName,devMac,devLastIP,devParentMAC',
      `new nas,${mac(2)},192.168.1.2,`,
      `tablet,${mac(9)},192.168.1.9,not a mac`,
      'broken,no mac at all,192.168.1.10,',
      `too,many,columns,in,this,line`,
    ].join('\n');
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(file)}], 'devices.csv', { type: 'text/csv' }));
      return transfer;
    })()`);
    await choose(page, 'More', 'Columns');
    await page.dispatchEvent('main', 'drop', { dataTransfer: dropped });
    const columns = page.getByRole('dialog', { name: 'Columns' });
    await columns.getByRole('checkbox', { name: 'Owner' }).check(); // The dialog is still there.
    await columns.getByRole('checkbox', { name: 'Owner' }).uncheck();
    await page.keyboard.press('Escape');
    await page.dispatchEvent('main', 'dragover', { dataTransfer: dropped });
    await page.getByText('Drop the CSV file').waitFor();
    await page.dispatchEvent('main', 'drop', { dataTransfer: dropped });
    const dialog = page.getByRole('dialog', { name: 'Import devices' });
    const skipped = dialog.getByRole('region', { name: 'Skipped lines' });
    await skipped.getByText('Line 4').waitFor();
    await skipped.getByText('Line 5').waitFor();
    await dialog.getByRole('region', { name: 'Adjusted lines' }).getByText('Line 3').waitFor();
    expect(await violations(page)).toEqual([]);
    expect((await device(site, mac(2))).devName).toBe('nas');
    await dialog.getByRole('button', { name: 'Import 2 devices' }).click();
    await page.getByText('2 devices imported').waitFor();
    await shows(page, ['camera', 'laptop', 'new nas', 'phone', 'sensor', 'switch', 'tablet']);

    await choose(page, 'More', 'Import');
    await page.getByLabel('CSV file').setInputFiles({
      name: 'few.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`devName,devMac\nonly one,${mac(1)}\n`),
    });
    await dialog.getByRole('button', { name: 'Import 1 device' }).waitFor();
    await dialog.getByRole('radio', { name: /Replace/ }).check();
    await dialog.getByRole('button', { name: 'Import 1 and delete 7' }).click();
    await page.getByText('1 device imported, 7 deleted').waitFor();
    await shows(page, ['only one']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('7 devices brought back').waitFor();
    await shows(page, ['camera', 'laptop', 'new nas', 'only one', 'phone', 'sensor', 'tablet']);

    await choose(page, 'More', 'Import');
    await page.getByLabel('CSV file').setInputFiles({
      name: 'broken.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from([0xff, 0xfe, 0x00, 0x22]),
    });
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');

    await choose(page, 'More', 'Export');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save everything' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(new RegExp(`^devices-${site}-[\\d-]+\\.csv$`));
    expect((await readFile(await saved.path(), 'utf8')).trim().split('\r\n')).toHaveLength(9);
  });

  test('of 5,000 devices: pages on demand, all that fit selected, edited in parts, cancelled, archived', async () => {
    const site = await ui.lanreach.addSite(manyDevices());
    const { page } = await open(site);
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
    await page.getByText('5,000 devices').waitFor();
    await row(page, 'device 1').first().waitFor();
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('5001');
    expect(await page.getByRole('row').count()).toBeLessThan(100);

    // A next page that fails is asked for again on demand only.
    let failures = 0;
    await page.route(/cursor=/, (route) => {
      failures++;
      return route.fulfill(FAILURE);
    });
    await row(page, 'device 0').first().focus();
    await page.keyboard.press('End');
    const alert = page.getByRole('main').getByRole('alert');
    await alert.getByText('out of order').waitFor();
    const before = failures;
    for (const key of ['Home', 'End', 'ArrowUp', 'End']) await page.keyboard.press(key);
    expect(failures).toBe(before);
    await page.unroute(/cursor=/);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    await row(page, 'device 499').first().focus();
    await page.keyboard.press('End');
    await row(page, 'device 999').first().waitFor();

    await field(page).fill('device 4999');
    await shows(page, ['device 4999']);
    await field(page).fill('');
    await filter(page, 'camera', 'Type: Camera 2,500');
    await button('Select all 2,500').click();
    await page.getByText('2,500 of 2,500 devices selected').waitFor();

    // Cancelling ends an edit after the part that is under way, and closes no dialog that was opened since.
    await button('Edit').click();
    await page.getByLabel('New value: Group').fill('cameras');
    await page.getByText('in parts of 1,000').waitFor();
    const [isCancelled, release] = gate();
    let parts = 0;
    await page.route(/\/devices\?/, async (route) => {
      if (route.request().method() === 'PATCH') {
        parts++;
        await isCancelled;
      }
      await route.continue();
    });
    await button('Change 2,500 devices').click();
    await expect.poll(() => parts).toBe(1);
    await button('Cancel').click();
    await choose(page, 'More', 'Columns');
    release();
    await page.getByText('1,000 devices changed').waitFor();
    expect(parts).toBe(1);
    await page.getByRole('dialog', { name: 'Columns' }).waitFor();
    await page.keyboard.press('Escape');

    await button('Archive').click();
    await page.getByText('2,500 devices archived').waitFor();
    await page.getByRole('heading', { name: 'No device fits the filter' }).waitFor();
    expect(await page.getByText(/devices selected/).count()).toBe(0);

    // What was asked for in another view is not selected in this one.
    await button(/^Archive 2,500/).click();
    await page.getByText('2,500 devices', { exact: true }).waitFor();
    const [isChanged, go] = gate();
    await page.route(/limit=10000/, async (route) => {
      await isChanged;
      await route.continue();
    });
    await button('Select all 2,500').click();
    await button(/^All 2,500/).click();
    await page.getByText('No device fits the filter').waitFor();
    go();
    await page.getByRole('main').getByRole('button', { name: 'Clear the filter' }).last().click();
    await page.getByText('2,500 devices', { exact: true }).waitFor(); // Not "working" any more, and none selected.
  });

  test('devices stand in groups that can be closed; a view is given a name, and its link shows the same', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site);
    await shows(page, NAMES);
    await filter(page, 'type:', 'Type: NAS 1');
    await page.getByRole('button', { name: 'Remove the filter: Type: NAS' }).click();
    await choose(page, 'Group by', 'By group');
    await shows(page, ['camera', 'sensor', 'nas', 'switch', 'laptop', 'phone']);
    await page.getByRole('button', { name: 'rack 2', expanded: true }).click();
    await shows(page, ['camera', 'sensor', 'laptop', 'phone']);
    expect(await violations(page)).toEqual([]);

    await choose(page, 'Views', 'Save this view …');
    await page.getByLabel('Name of the view').fill('By room');
    await page.keyboard.press('Enter');
    await page.getByText('View “By room” saved').waitFor();
    await page.goto(`${ui.lanreach.url}/console/#/sites/${site}/devices?status=new`);
    await shows(page, ['laptop', 'phone']);
    await choose(page, 'Views', 'By room');
    await page.waitForURL((url) => url.hash === `#/sites/${site}/devices?by=group`);
    await choose(page, 'Views', 'Delete “By room”');
    await page.getByText('View “By room” deleted').waitFor();
  });

  test('many devices are woken and scanned at once, a few at a time, and it is said how many', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site);
    await shows(page, NAMES);
    const asked: string[] = [];
    // An answer in the place of the API's: no test looks at a network.
    await page.route(/\/nettools\//, (route) => {
      const { scan, devMac } = route.request().postDataJSON() as Record<string, string>;
      asked.push(scan ?? devMac ?? '');
      const tool = scan === undefined ? 'wakeonlan' : 'nmap';
      const state = scan === '192.168.1.4' ? 'failed' : 'succeeded';
      return route.fulfill({
        json: { id: `${site}.1`, tool, state, result: { hosts: [{ ports: [{ state: 'open' }] }] } },
      });
    });
    await row(page, 'camera').focus();
    await page.keyboard.press('s');
    await page.getByText('camera: 1 open port').waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText('6 of 6 devices selected').waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Scan ports' }).click();
    await page.getByText('1 device without a fitting address left out').waitFor();
    await page.getByText('4 of 5 devices scanned').waitFor();
    expect(asked.sort()).toEqual([1, 2, 3, 3, 4, 5].map((n) => `192.168.1.${n}`));
  });
});
