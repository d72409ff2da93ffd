/** More devices in the console than are loaded at once. */
import { expect, test } from 'vitest';
import { deferred } from '../../../shared/async.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { FAILURE, HEADER, listOf } from '../../console/device-list.ts';

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

describeConsole('thousands of devices', startConsoleApi, (ui) => {
  const { open, row, shows, field, filter, choose } = listOf(ui);

  test('of 5,000 devices: pages on demand, all that fit selected, edited in parts, cancelled, archived', async () => {
    const site = await ui.lanreach.addSite(manyDevices());
    const { page } = await open(site);
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
    await page.getByText('5,000 devices').waitFor();
    await row(page, 'device 1').first().waitFor();
    // With the heading of the columns, and that of the new ones.
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('5002');
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
    await page.getByText('in batches of 1,000').waitFor();
    const cancelled = deferred<void>();
    let parts = 0;
    await page.route(/\/devices\?/, async (route) => {
      if (route.request().method() === 'PATCH') {
        parts++;
        await cancelled.promise;
      }
      await route.continue();
    });
    await button('Change 2,500 devices').click();
    await expect.poll(() => parts).toBe(1);
    await button('Cancel').click();
    await choose(page, 'More', 'Columns');
    cancelled.resolve();
    await page.getByText('1,000 devices changed').waitFor();
    expect(parts).toBe(1);
    await page.getByRole('dialog', { name: 'Columns' }).waitFor();
    await page.keyboard.press('Escape');

    await button('Archive').click();
    await page.getByText('2,500 devices archived').waitFor();
    await page.getByRole('heading', { name: 'No devices match the filter' }).waitFor();
    expect(await page.getByText(/devices selected/).count()).toBe(0);

    // What was asked for in another view is not selected in this one.
    await button(/^Archive 2,500/).click();
    await page.getByText('2,500 devices', { exact: true }).waitFor();
    const changed = deferred<void>();
    await page.route(/limit=10000/, async (route) => {
      await changed.promise;
      await route.continue();
    });
    await button('Select all 2,500').click();
    await button(/^All 2,500/).click();
    await page.getByText('No devices match the filter').waitFor();
    changed.resolve();
    await page.getByRole('main').getByRole('button', { name: 'Clear filter' }).last().click();
    await page.getByText('2,500 devices', { exact: true }).waitFor(); // Not "working" any more, and none selected.
  });
});
