/** The screens of what happened, on one site and on all of them, and of the audit. */
import { expect, test } from 'vitest';
import type { StoredDevice } from '../../../functions/devices/collection/device-codec.ts';
import { auditRow } from '../../../functions/http/audit-log.ts';
import { violations } from '../../console/accessibility.ts';
import { nextPoll } from '../../console/browser.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { startObedientAgent } from '../../support/enrolled-agent.ts';

const NAS = '00:1E:06:00:00:01';
const PRINTER = '00:1E:06:00:00:02';
const CSV = `devMac,devName,devLastIP\n${NAS},nas,192.168.178.20\n${PRINTER},printer,192.168.178.30`;

describeConsole('events', startConsoleApi, (ui) => {
  const { open } = ui;
  const patch = (site: string, mac: string, body: object) =>
    ui.lanreach.request('PATCH', `/devices/${mac}`, { site, body });

  /** As the agent of the site sees it, or as a person edits it. */
  async function see(site: string, mac: string, record: object, cause: 'sighting' | 'edit' = 'sighting') {
    const { devices } = ui.lanreach.context;
    const actor = cause === 'sighting' ? `${site}:main` : '0123456789abcdef';
    await devices.change(site, { actor, cause }, (snapshot) => {
      const known: StoredDevice = snapshot.get(mac) ?? expect.fail(`no device ${mac}`);
      return { put: [{ ...known, record: { ...known.record, ...record } }], remove: [] };
    });
  }

  test('each event is a sentence, with who did it, and links; filters stand in the address', async () => {
    const site = await ui.lanreach.addSite(CSV);
    await see(site, NAS, { devLastIP: '192.168.178.21' });
    await patch(site, PRINTER, { devName: 'laser' });
    const { page } = await open(`/sites/${site}/events`);
    const moved = page
      .getByRole('listitem')
      .filter({ hasText: 'nas changed its address to 192.168.178.21 (was 192.168.178.20)' });
    await moved.getByText('agent main', { exact: true }).waitFor();
    const renamed = page.getByRole('listitem').filter({ hasText: 'printer was renamed to laser' });
    await renamed.getByText('you', { exact: true }).waitFor();
    expect(await moved.getByRole('link', { name: 'nas', exact: true }).getAttribute('href')).toBe(
      `#/sites/${site}/devices/${encodeURIComponent(NAS)}`,
    );
    await moved.getByRole('link', { name: 'All events of nas' }).click();
    await renamed.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'nas' }).count()).toBe(2);
    await page.getByRole('button', { name: 'Show events of all devices' }).click();
    await renamed.waitFor();

    await page.getByLabel('Type', { exact: true }).selectOption({ label: 'Imported' });
    await renamed.waitFor({ state: 'detached' });
    await page.getByText('printer was imported').waitFor();
    expect(page.url()).toContain('type=imported');
    await page.reload();
    await page.getByText('printer was imported').waitFor();
    await page.getByLabel('Type', { exact: true }).selectOption({ label: 'Went down' });
    await page.getByRole('heading', { name: 'No events match the filters' }).waitFor();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByLabel('Period').selectOption({ label: 'Last 24 hours' });
    await page.getByLabel('Search', { exact: true }).fill('RENAMED TO las');
    await renamed.waitFor();
    await page.getByText('printer was imported').waitFor({ state: 'detached' });
    await expect.poll(() => page.url()).toContain('since=24h&text=RENAMED+TO+las');
  });

  test('what happens appears by itself, moves nobody who has scrolled down, and older ones come by the page', async () => {
    const site = await ui.lanreach.addSite(CSV);
    const names = Array.from({ length: 130 }, (_, i) => `nas ${i}`);
    for (const devName of names) await see(site, NAS, { devName }, 'edit');
    const { page } = await open(`/sites/${site}/events`, { isTimeMovable: true });
    await page.getByText('nas 128 was renamed to nas 129').waitFor();
    expect(await page.getByText('printer was imported').count()).toBe(0);
    await patch(site, NAS, { devName: 'seen live' });
    await nextPoll(page);
    await page.getByText('nas 129 was renamed to seen live').waitFor();

    const row = page.getByText('nas 99 was renamed to nas 100');
    await row.scrollIntoViewIfNeeded();
    await row.hover();
    const before = await row.boundingBox();
    await patch(site, NAS, { devName: 'held back' });
    await nextPoll(page);
    const button = page.getByRole('button', { name: 'Show 1 new event' });
    await button.waitFor();
    expect(await row.boundingBox()).toEqual(before);
    expect(await page.getByText('was renamed to held back').count()).toBe(0);
    await button.click();
    await page.getByText('seen live was renamed to held back').waitFor();
    expect(await page.evaluate('window.scrollY')).toBe(0);

    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('printer was imported').waitFor();
    await page.getByText('End of list').waitFor();
    expect(await page.getByText('was renamed to').count()).toBe(names.length + 2);
  });

  test('devices that come in the same minute are one line that opens', async () => {
    const site = await ui.lanreach.addSite(`${CSV}\n00:1E:06:00:00:03,camera,192.168.178.40`);
    const { devices } = ui.lanreach.context;
    await devices.change(site, { actor: `${site}:main`, cause: 'sighting' }, (snapshot) => {
      const put = [...snapshot.devices.values()].map((known) => {
        return { ...known, record: { ...known.record, devPresentLastScan: 1 as const } };
      });
      return { put, remove: [] };
    });
    const { page } = await open(`/sites/${site}/events`);
    const fold = page.getByRole('button', { name: /3 devices came online/ });
    await fold.getByText(/camera/).waitFor();
    expect(await page.getByText('camera came online').count()).toBe(0);
    await fold.click();
    await page.getByText('camera came online').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a second visit marks what is new since the first, and so does the bell', async () => {
    const site = await ui.lanreach.addSite(CSV);
    await see(site, NAS, { devPresentLastScan: 1 });
    const { page } = await open(`/sites/${site}/events`, { isTimeMovable: true });
    await page.getByText('nas came online').waitFor();
    await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
    const quiet = page.getByRole('button', { name: 'Recent events', exact: true });
    await quiet.waitFor();
    await expect.poll(() => page.evaluate('Object.keys(localStorage).join()')).toMatch(/lanreach\.visit \S+ \*/);
    // The journal knows seconds: what happens in the same one as the visit is not new.
    await expect
      .poll(async () => {
        await patch(site, PRINTER, { devName: `laser ${Date.now()}` });
        const { json } = await ui.lanreach.request('GET', '/events', { site });
        const { events } = json as { events: { at: string }[] };
        return new Set(events.map(({ at }) => at)).size;
      })
      .toBeGreaterThan(1);
    await see(site, NAS, { devPresentLastScan: 0, devAlertDown: 1 });
    await nextPoll(page);
    const bell = page.getByRole('button', { name: /^Recent events: \d+ unread/ });
    await bell.click();
    const news = page.getByRole('dialog', { name: 'Recent events' });
    await news.getByText('nas went down').waitFor();
    await news.getByRole('button', { name: 'Mark all as read' }).click();
    await quiet.waitFor();
    await news.getByRole('link', { name: /nas went down/ }).click();
    await page.getByRole('heading', { name: 'nas', level: 1 }).waitFor();

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('navigation', { name: 'Activity' }).getByRole('link', { name: 'Events' }).click();
    await page.getByText(/\d+ new since your last visit/).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Last visit' }).waitFor();
  });

  test('those of all sites are one list, which is requested again only once something has changed', async () => {
    const [first, second] = [await ui.lanreach.addSite(CSV), await ui.lanreach.addSite(CSV)];
    await patch(first, NAS, { devName: 'media' });
    await patch(second, NAS, { devName: 'backup' });
    const { page } = await open('/events', { isTimeMovable: true });
    await page.getByText('nas was renamed to backup').waitFor();
    await page.getByText('nas was renamed to media').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/events') asked.push(url.searchParams.get('sites') ?? '');
    });
    await nextPoll(page);
    expect(asked).toEqual([]);
    await patch(second, NAS, { devName: 'archive' });
    await nextPoll(page);
    await page.getByText('backup was renamed to archive').waitFor();
    expect(new Set(asked)).toEqual(new Set(['*']));
    await page
      .getByRole('listitem')
      .filter({ hasText: 'nas was renamed to media' })
      .getByRole('link', { name: first, exact: true })
      .click();
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    expect(page.url()).toContain(`/sites/${first}/events`);
  });

  test('the audit leads to the jobs, and names what cannot be read', async () => {
    await using _agent = await startObedientAgent(ui.lanreach, 'home', 'main');
    const body = { scan: '127.0.0.2', mode: 'fast' };
    const started = await ui.lanreach.request('POST', '/nettools/nmap', { body, headers: { prefer: 'respond-async' } });
    expect(started.status).toBe(202);
    const { id } = started.json as { id: string };
    const broken = auditRow(
      { site: 'home', actor: 'home:main', action: 'agent.renew', detail: {}, requestId: '', sourceAddress: null },
      new Date(),
    );
    await ui.lanreach.context.table.put({ ...broken, d: '{' });
    const { page } = await open('/sites/home/audit');
    const command = page.getByRole('row').filter({ hasText: 'Ran “Scan ports”' });
    await command.getByText('127.0.0.2').waitFor();
    await command.getByText('127.0.0.1').waitFor(); // Who asked.
    expect(await command.getByRole('link', { name: 'Ran “Scan ports”' }).getAttribute('href')).toBe(
      `#/sites/home/runs/${id}`,
    );
    await page.getByText('These entries are stored but cannot be read').waitFor();
    await page.getByText(broken.sk).waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
