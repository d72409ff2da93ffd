/** Many devices in the console: those of a file, in groups, and what is done with several at once. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { listOf, mac, NAMES, SMALL } from '../../console/device-list.ts';

describeConsole('many devices', startConsoleApi, (ui) => {
  const { open, device, row, shows, filter, choose } = listOf(ui);

  test('a dropped CSV file: its bad lines are shown before anything is changed; what a replacement deletes comes back', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site);
    await shows(page, NAMES);
    const file = [
      'devName,devMac,devLastIP,devParentMAC',
      `new nas,${mac(2)},192.168.178.2,`,
      `tablet,${mac(9)},192.168.178.9,not a mac`,
      'broken,no mac at all,192.168.178.10,',
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
    expect((await device(site, mac(2))).devName).toBe('nas');
    await dialog.getByRole('button', { name: 'Import 2 devices' }).click();
    await page.getByText('2 devices imported').waitFor();
    await shows(page, ['laptop', 'phone', 'camera', 'new nas', 'sensor', 'switch', 'tablet']); // New ones first.

    const importFile = async (content: string | number[]) => {
      await choose(page, 'More', 'Import');
      const file = { name: 'file.csv', mimeType: 'text/csv', buffer: Buffer.from(content) };
      await page.getByLabel('CSV file').setInputFiles(file);
    };
    await importFile(`devName,devMac\nonly one,${mac(1)}\n`);
    await dialog.getByRole('button', { name: 'Import 1 device' }).waitFor();
    await dialog.getByRole('radio', { name: /Replace/ }).check();
    await dialog.getByRole('button', { name: 'Import 1 and delete 7' }).click();
    await page.getByText('1 device imported, 7 deleted').waitFor();
    await shows(page, ['only one']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('7 devices restored').waitFor();
    await shows(page, ['laptop', 'phone', 'camera', 'new nas', 'only one', 'sensor', 'tablet']);

    // A line that cannot be read may name any of them: nothing is replaced until that is allowed.
    await importFile(`devName,devMac\nonly one,${mac(1)}\ntorn,${mac(2).slice(0, 8)}`);
    await dialog.getByRole('radio', { name: /Replace/ }).check();
    await dialog.getByRole('alert').getByText('removes nothing while a row cannot be read').waitFor();
    await skipped.getByText('Line 3').waitFor();
    expect(await dialog.getByRole('button', { name: /^Import 1/ }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Replace anyway' }).click();
    await dialog.getByRole('button', { name: 'Import 1 and delete 7' }).waitFor();
    await page.keyboard.press('Escape');

    await importFile([0xff, 0xfe, 0x00, 0x22]);
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');

    await choose(page, 'More', 'Export');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export all fields' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(new RegExp(`^devices-${site}-[\\d-]+\\.csv$`));
    const exported = await readFile(await saved.path(), 'utf8');
    expect(exported.startsWith('\ufeffdevMac,')).toBe(true); // By the mark Excel on Windows knows its letters.
    expect(exported.trim().split('\r\n')).toHaveLength(9);
  });

  test('devices stand in groups that can be closed; a view is given a name, and its link shows the same', async () => {
    const site = await ui.lanreach.addSite(SMALL);
    const { page } = await open(site);
    await shows(page, NAMES);
    await filter(page, 'type:', 'Type: NAS 1');
    await page.getByRole('button', { name: 'Remove filter: Type: NAS' }).click();
    await choose(page, 'Group by', 'By group');
    await shows(page, ['camera', 'sensor', 'nas', 'switch', 'laptop', 'phone']);
    await page.getByRole('button', { name: 'rack 2', expanded: true }).click();
    await shows(page, ['camera', 'sensor', 'laptop', 'phone']);

    await choose(page, 'Views', 'Save view …');
    await page.getByLabel('View name').fill('By room');
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
      const state = scan === '192.168.178.4' ? 'failed' : 'succeeded';
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
    await page.getByText('1 device without a suitable address skipped').waitFor();
    await page.getByText('4 of 5 devices scanned').waitFor();
    expect(asked.sort()).toEqual([1, 2, 3, 3, 4, 5].map((n) => `192.168.178.${n}`));
  });
});
