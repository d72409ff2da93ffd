/** Shares: made in the console, seen by anyone with the link, revoked. */
import { expect, onTestFinished, test } from 'vitest';
import { violations } from '../../console/accessibility.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { standInAt } from '../../support/enrolled-agent.ts';

const CSV = [
  'devName,devMAC,devIP,devType,devFavorite,devStatus,devParentMAC',
  'router,02:AA:BB:CC:00:01,192.168.77.1,Router,1,online,',
  'switch in the hall,02:AA:BB:CC:00:02,192.168.77.2,Switch,0,online,02:AA:BB:CC:00:01',
  '"<img src=x onerror=alert(1)> a very long name of a device that no phone can show on one line at all",02:AA:BB:CC:00:03,192.168.77.3,NAS,1,down,02:AA:BB:CC:00:02',
  ...Array.from(
    { length: 12 },
    (_, i) => `host ${i},02:AA:BB:CC:01:${String(i).padStart(2, '0')},,,0,online,02:AA:BB:CC:00:0${1 + (i % 2)}`,
  ),
  'printer,02:AA:BB:CC:00:09,192.168.77.9,Printer,1,offline,',
].join('\n');

describeConsole('shares', startConsoleApi, (ui) => {
  async function linkOf(site: string, rest: object): Promise<string> {
    const { json } = await ui.lanreach.request('POST', '/shares', { body: { name: 'Main office', of: site, ...rest } });
    return `${ui.lanreach.url}/console/shared.html#${(json as { token: string }).token}`;
  }

  test('one is made by keyboard at the overview; a visitor sees it without signing in; it is listed, and ends', async () => {
    const site = await ui.lanreach.addSite(CSV);
    const { page, openTab } = await ui.open(`/sites/${site}`);
    await page.getByRole('button', { name: 'Share' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Heading').fill('Main office');
    await dialog.getByLabel('Named devices').selectOption({ label: 'All devices' });
    await dialog.getByLabel('Valid').selectOption({ label: '7 days' });
    await dialog.getByRole('button', { name: 'Create link' }).press('Enter');
    const link = await dialog.getByRole('figure', { name: 'Link' }).locator('code').textContent();
    expect(link).toMatch(/\/console\/shared\.html#lr_[\w.-]+$/);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    expect(await page.content()).not.toContain('#lr_');

    const visitor = await openTab({ url: ui.lanreach.url });
    const requests: string[] = [];
    visitor.on('request', (request) => requests.push(request.url()));
    const answered = visitor.waitForResponse((response) => response.url().endsWith('/shared'));
    await visitor.goto(link ?? '');
    await visitor.getByRole('heading', { name: 'Main office' }).waitFor();
    await visitor.getByRole('listitem').filter({ hasText: 'printer' }).waitFor();
    expect(await (await answered).text()).not.toContain('192.168');
    // The secret is in no address, and nothing of the console is loaded.
    const secret = link?.split('#')[1] ?? 'none';
    expect(requests.filter((url) => url.split('#')[0]?.includes(secret))).toEqual([]);
    expect(requests.filter((url) => /\/assets\/(?:main|first-(?!paint)|react)/.test(url))).toEqual([]);
    expect(requests.filter((url) => url.includes('/assets/')).length).toBeLessThan(9);

    await page.goto(`${ui.lanreach.url}/console/#/admin/tokens`);
    await page.getByRole('button', { name: 'Shares' }).click();
    await page.getByRole('row').filter({ hasText: 'Main office' }).getByText('Status').waitFor();
    await page.getByRole('button', { name: 'Revoke Main office' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('“Main office” was revoked.').waitFor();
    await visitor.reload();
    await visitor.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
    expect(await visitor.content()).not.toContain('printer');
  });

  test.each([
    ['status', 390, 'light', 'de-DE'],
    ['status', 1280, 'dark', 'en-GB'],
    ['map', 390, 'dark', 'en-GB'],
    ['map', 1280, 'light', 'de-DE'],
  ] as const)(
    'the page of a %s at %i px, %s, in %s: WCAG AA, nothing overflows, texts of devices stay texts',
    async (view, width, theme, locale) => {
      const site = await ui.lanreach.addSite(CSV);
      await ui.lanreach.request('PATCH', `/sites/${site}`, {
        body: { name: 'Main office', discovery: { enabled: true } },
      });
      const agent = await standInAt(ui.lanreach, site, 'main', { state: 'on', networks: ['192.168.77.0/24'] });
      onTestFinished(() => agent[Symbol.asyncDispose]());
      const link = await linkOf(site, { view, devices: 'all' });
      const { page } = await ui.open('/', { token: null, width, theme, locale, height: 844 });
      await page.goto(link);
      await page.getByRole('heading', { name: 'Main office' }).waitFor();
      await page.getByText('<img src=x').waitFor();
      expect(await page.locator('main img').count()).toBe(0);
      expect(await page.getByText(locale === 'de-DE' ? 'nicht überwacht' : 'not monitored').count()).toBeGreaterThan(0);
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
      expect(await page.evaluate('document.documentElement.lang')).toBe(locale.slice(0, 2));
      expect(await violations(page)).toEqual([]);
    },
  );

  test('the page is read again each minute, says when it is not up to date, and goes on', async () => {
    const site = await ui.lanreach.addSite(CSV);
    const link = await linkOf(site, {});
    const { page } = await ui.open('/', { token: null, isTimeMovable: true });
    await page.goto(link);
    await page.getByText('printer', { exact: true }).waitFor();
    await page.route('**/shared', (route) => route.abort());
    await page.clock.fastForward(61_000);
    await page.getByText('cannot be reached at the moment').waitFor();
    await page.getByText('printer', { exact: true }).waitFor();
    await page.unroute('**/shared');
    await ui.lanreach.request('PATCH', '/devices/02:AA:BB:CC:00:09', { site, body: { devName: 'copier' } });
    await page.clock.fastForward(61_000);
    await page.getByText('copier').waitFor();
    expect(await page.getByText('cannot be reached at the moment').count()).toBe(0);
  });
});
