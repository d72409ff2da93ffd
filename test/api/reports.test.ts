/** `GET /reports`, and reports by e-mail: the numbers of a known history. */
import { beforeAll, expect, test, vi } from 'vitest';
import type { Mail } from '../../functions/hooks/mail.ts';
import type { Mailer } from '../../functions/hooks/mailer.ts';
import { packMeasurements } from '../../shared/agent/wire.ts';
import { hooks } from '../../shared/api/hooks.ts';
import { reports } from '../../shared/api/reports.ts';
import { agentId } from '../../shared/identity.ts';
import { openIngest, openTurns } from '../support/background-work.ts';
import { observeAt, sightAt } from '../support/history.ts';
import { SILENT } from '../support/ingest-messages.ts';
import { storeAgent } from '../support/stored-site.ts';
import { testApi } from '../support/test-api.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** In Berlin, where October 2026 has 745 hours. */
const OCTOBER = { from: Date.UTC(2026, 8, 30, 22), to: Date.UTC(2026, 9, 31, 23) };
const NOW = OCTOBER.to + 6 * HOUR + 1_000;
const MAIN = agentId('home', 'main');
const [NAS, CAMERA] = ['00:1E:06:00:00:01', '00:1E:06:00:00:02'] as const;

const sent: Mail[] = [];
const mail: Mailer = {
  from: 'lan@example.net',
  async send(one) {
    sent.push(one);
    return { isDelivered: true, status: 250 };
  },
};
const system = testApi({ now: OCTOBER.from - DAY, mail });
let check: string;

beforeAll(async () => {
  await storeAgent(system.context, 'home', 'main');
  await system.request('PATCH', '/sites/home', { body: { timeZone: 'Europe/Berlin', tags: ['customers'] } });
  const ping = { kind: 'ping', host: '192.168.1.20', label: 'router' };
  const made = await system.request('POST', '/checks', { body: ping });
  check = (made.json as { id: string }).id;
  const day = (days: number) => OCTOBER.from + days * DAY;
  const internet = { subject: { kind: 'internet' as const, id: 'home', name: 'home' } };
  const { context } = system;
  const nas = { devName: 'nas', devFavorite: 1, devAlertDown: 1 } as const;
  await sightAt(context, day(-0.5), NAS, { ...nas, devPresentLastScan: 1 });
  await sightAt(context, day(3), NAS, { devPresentLastScan: 0 });
  await sightAt(context, day(3) + 7.45 * HOUR, NAS, { devPresentLastScan: 1 });
  const camera = { devName: 'camera', devLastIP: '192.168.1.44', devIsNew: 1, devPresentLastScan: 1 } as const;
  await sightAt(context, day(5), CAMERA, camera);
  const telnet = { device: CAMERA, detail: { port: 23, protocol: 'tcp' as const, service: 'telnet' } };
  await observeAt(context, day(6), { type: 'port-opened', ...telnet });
  const why = 'the gateway answers, the internet behind it does not';
  await observeAt(context, day(7), { type: 'internet-lost', ...internet, detail: { why } });
  await observeAt(context, day(7) + 2 * HOUR, { type: 'internet-back', ...internet, detail: { seconds: 7_200 } });
  const ingest = openIngest(context, SILENT);
  const runs = (failed: number) =>
    Array.from({ length: 10 }, (_, i) => [i * 10, i < failed ? null : 2, 1, i < failed ? 1 : 0, null] as never);
  for (const [i, [at, failed]] of (
    [
      [day(-0.25), 10],
      [day(8), 3],
      [OCTOBER.to + HOUR, 10],
    ] as const
  ).entries()) {
    vi.setSystemTime(at + 300_000);
    const points = { from: at, before: null, checks: [[check, runs(failed)]] };
    await ingest.measurements(MAIN, packMeasurements({ n: i + 1, changes: [], points } as never));
  }
  const speed = { upMbps: 40, pingMs: 12, agent: 'main' };
  const all = [240, 100, 250].map((downMbps, i) => ({ at: day(9 + i) / 1000, downMbps, ...speed }));
  await context.months.addSpeeds('home', all);
  await context.months.addSpeeds('home', [{ at: day(-1) / 1000, downMbps: 1, ...speed }]);
  await observeAt(context, OCTOBER.to + 2 * HOUR, { type: 'port-closed', ...telnet });
  vi.setSystemTime(NOW);
});

async function report(query: string) {
  const { status, text, json } = await system.request('GET', `/reports?${query}`);
  expect([query, status, text]).toEqual([query, 200, expect.anything()]);
  return reports.getReports.response.parse(json);
}

test('the report of a month has what happened from its first to its last midnight, and nothing else', async () => {
  const { period, sites, nextCursor } = await report('period=2026-10&sites=tag:customers');
  expect([period, sites.length, nextCursor]).toEqual(['2026-10', 1, null]);
  const [home] = sites;
  expect(home).toMatchObject({
    ...{ site: 'home', timeZone: 'Europe/Berlin', devices: 2, isPartial: false },
    since: new Date(OCTOBER.from).toISOString(),
    until: new Date(OCTOBER.to).toISOString(),
    newDevices: [{ name: 'camera', mac: CAMERA, ip: '192.168.1.44' }],
    newCount: 1,
    downtimes: [
      { kind: 'device', name: 'nas', seconds: 26_820 },
      { kind: 'internet', seconds: 7_200, why: expect.stringContaining('internet behind it') },
    ],
    downtimeCount: 2,
    // 7.45 of 745 hours; 3 of 10 runs.
    availability: [
      { kind: 'check', name: 'router', uptimePercent: 70 },
      { kind: 'device', name: 'nas', uptimePercent: 99, knownPercent: 100, times: 1 },
    ],
    // It was closed after the month.
    ports: [{ device: { name: 'camera' }, port: { port: 23, protocol: 'tcp', service: 'telnet' }, isOpen: true }],
    speed: { tests: 3, downMbps: 240, upMbps: 40, pingMs: 12, slowestMbps: 100 },
  });
  const other = await report(`period=2026-10&devices=${CAMERA}`);
  expect(other.sites[0]?.availability).toMatchObject([{ name: 'router' }, { name: 'camera', uptimePercent: 100 }]);
});

test('without a period it is the last complete month; one that is not kept, or has not begun, is refused', async () => {
  expect((await report('timeZone=UTC')).period).toBe('2026-10');
  for (const [period, message] of [
    ['2026-12', 'has begun'],
    ['2026-07', 'last 90 days'],
    ['2026-13', 'a month such as'],
    ['2025-W53', 'a month such as'],
  ]) {
    const { status, json } = await system.request('GET', `/reports?period=${period}`);
    const errors = [{ path: 'query.period', message: expect.stringContaining(message as string) }];
    expect([status, json]).toMatchObject([400, { errors }]);
  }
});

test('sites come in pages, and only those that the token may read', async () => {
  await system.addSite();
  await system.addSite();
  const first = await report('period=2026-10&limit=1');
  expect([first.sites.length, typeof first.nextCursor]).toEqual([1, 'string']);
  const second = await report(`period=2026-10&limit=1&cursor=${first.nextCursor}`);
  expect(second.sites[0]?.site).not.toBe(first.sites[0]?.site);
  const token = await system.createToken({ sites: ['home'], scopes: ['devices:read'] });
  const { json } = await system.request('GET', '/reports?period=2026-10', { token });
  expect(reports.getReports.response.parse(json).sites.map(({ site }) => site)).toEqual(['home']);
});

test('a notification by e-mail sends it once, on the first day of the month, however often its task is done', async () => {
  vi.setSystemTime(OCTOBER.to - DAY);
  const wanted = { every: 'month', at: '07:00', language: 'de' };
  const body = { url: 'mailto:me@example.org', format: 'email', events: [], report: wanted };
  const added = await system.request('POST', '/hooks', { site: 'home', body });
  expect([added.status, added.json]).toMatchObject([201, { report: body.report, events: [] }]);
  const { id: hook } = hooks.addHook.response.parse(added.json);
  const console = 'https://lan.example.net/console/';
  const settings = { allowPrivate: false, resolve: async () => [], mail, console } as const;
  const take = openTurns({ ...system.context, queue: { send: async () => {} }, settings, log: SILENT });
  async function tick(at: number) {
    vi.setSystemTime(at);
    sent.length = 0;
    await Promise.all([take({ site: 'home', hook }), take({ site: 'home', hook })]);
    await take({ site: 'home', hook });
    return sent.map(({ subject }) => subject);
  }
  expect(await tick(OCTOBER.to + 6.9 * HOUR)).toEqual([]);
  expect(await tick(OCTOBER.to + 7.1 * HOUR)).toEqual(['home: Bericht, Oktober 2026']);
  expect(await tick(OCTOBER.to + 9 * HOUR)).toEqual([]);
  expect(await tick(OCTOBER.to + 20 * DAY)).toEqual([]);
  const { json } = await system.request('GET', `/hooks/${hook}/deliveries`, { site: 'home' });
  expect(json).toMatchObject({ deliveries: [{ event: 'report', state: 'delivered', status: 250, device: null }] });
  expect(await tick(OCTOBER.to + 31 * DAY)).toEqual(['home: Bericht, November 2026']);
});

test('only e-mail has a report, and only an address is its target', async () => {
  const post = (body: object) => system.request('POST', '/hooks', { site: 'home', body: { events: ['new'], ...body } });
  const report = { every: 'week', at: '07:00', language: 'en' };
  for (const [body, path] of [
    [{ url: 'https://ntfy.sh/x', format: 'ntfy', report }, 'report'],
    [{ url: 'https://ntfy.sh/x', format: 'email' }, 'url'],
    [{ url: 'mailto:me@example.org', format: 'json' }, 'url'],
    [{ url: 'mailto:me@example.org,you@example.org', format: 'email' }, 'url'],
    [{ url: 'mailto:me@example.org?cc=you@example.org', format: 'email' }, 'url'],
    [{ url: 'mailto:me@example.org', format: 'email', report: { ...report, timeZone: 'Mars/One' } }, 'report.timeZone'],
    [{ url: 'mailto:me@example.org', format: 'email', events: [] }, 'events'],
  ] as const) {
    const { status, json } = await post(body);
    expect([body, status, json]).toMatchObject([body, 400, { errors: [{ path }] }]);
  }
  const added = await post({ url: 'mailto:me@example.org', format: 'email', report });
  const { id } = added.json as { id: string };
  const wrong = await system.request('PATCH', `/hooks/${id}`, { site: 'home', body: { format: 'slack' } });
  expect(wrong).toMatchObject({ status: 400, json: { errors: [{ path: 'url' }] } });
  const changed = await system.request('PATCH', `/hooks/${id}`, { site: 'home', body: { report: null } });
  expect(changed.json).toMatchObject({ report: null, events: ['new'] });
});
