/** `GET /devices/presence`: from the journal to 48 characters, and the latency of devices beside them. */
import { beforeAll, expect, test, vi } from 'vitest';
import type { Point } from '../../shared/agent/measurements.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { packMeasurements } from '../../shared/agent/wire.ts';
import { devices } from '../../shared/api/devices.ts';
import { agentId } from '../../shared/identity.ts';
import { openIngest } from '../support/background-work.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { observeAt, sightAt } from '../support/history.ts';
import { NO_AGENTS, SILENT } from '../support/ingest-messages.ts';
import { storeAgent } from '../support/stored-site.ts';
import { testApi } from '../support/test-api.ts';

const NOW = Date.UTC(2026, 10, 12, 10);
const SLOT = 30 * 60_000;
const HOUR = 2 * SLOT;
const MAIN = agentId('home', 'main');
const macOf = (i: number) => `02:00:00:00:00:${String(i).padStart(2, '0')}`;

/** How often rows of the journal were asked for. */
let journalQueries = 0;
const system = testApi({ now: NOW - 24 * HOUR });
beforeAll(async () => {
  await storeAgent(system.context, 'home', 'main');
  aroundCalls(system.context.table, ({ method, args }, pass) => {
    if (method === 'query' && args[1] === 'C#') journalQueries++;
    return pass();
  });
});

const sight = (mac: string, devPresentLastScan: 0 | 1, time: number) =>
  sightAt(system.context, time, mac, { devPresentLastScan });

async function presence(query = '') {
  const { status, text, json } = await system.request('GET', `/devices/presence?site=home&${query}`);
  expect([status, text]).toEqual([200, expect.anything()]);
  return devices.devicePresence.response.parse(json);
}

const [nas, phone, imported, visitor] = [1, 2, 3, 4].map(macOf) as [string, string, string, string];

test('each slot says whether a device was there all of it, some of it, not, or whether nobody looked', async () => {
  await system.importCsv(`devName,devMac,devStatus\ntv,${imported},online`);
  await sight(nas, 1, NOW - 20 * HOUR);
  await sight(phone, 1, NOW - 20 * HOUR);
  await sight(phone, 0, NOW - 15 * HOUR + SLOT / 2);
  await sight(visitor, 1, NOW - 14 * HOUR);
  await observeAt(system.context, NOW - 12 * HOUR, { type: 'site-dark' });
  await observeAt(system.context, NOW - 11 * HOUR, { type: 'site-back' });
  await sight(visitor, 0, NOW - 10 * HOUR);
  vi.setSystemTime(NOW - 9 * HOUR);
  await system.request('PATCH', `/devices/${phone}`, { site: 'home', body: { devAlertDown: 1 } });
  await system.request('DELETE', `/devices/${visitor}`, { site: 'home' });
  vi.setSystemTime(NOW);

  const all = [nas, phone, imported, visitor, macOf(99)];
  const found = await presence(`devices=${all.join()}`);
  expect([found.from, found.to, found.slotSeconds]).toEqual([
    new Date(NOW - 24 * HOUR).toISOString(),
    new Date(NOW).toISOString(),
    SLOT / 1000,
  ]);
  // Who is not there any more has no line of its own.
  expect(found.devices).toEqual({
    [nas]: `${'?'.repeat(8)}${'#'.repeat(16)}??${'#'.repeat(22)}`,
    [phone]: `${'?'.repeat(8)}${'#'.repeat(10)}+${'.'.repeat(5)}??${'.'.repeat(22)}`,
    [imported]: '?'.repeat(48),
  });
  // It counts as long as it was.
  const times = (count: number | null, slots: number) => Array.from({ length: slots }, () => count);
  expect(found.online).toEqual([
    ...times(null, 8),
    ...times(2, 10),
    ...[1, 1, 2, 2, 2, 2, null, null, 2, 2],
    ...times(1, 20),
  ]);
  expect(await presence()).toEqual({ ...found, devices: {}, latency: {} });
  const month = await presence(`devices=${all.join()}&hours=720&spans=true`);
  const states = Object.fromEntries(
    Object.entries(month.spans ?? {}).map(([key, spans]) => [
      key,
      spans.map(({ since, state }) => `${state} ${(NOW - Date.parse(since)) / HOUR}`),
    ]),
  );
  expect(states).toEqual({
    [nas]: ['unknown 720', 'online 20', 'unknown 12', 'online 11'],
    [phone]: ['unknown 720', 'online 20', 'offline 14.75', 'unknown 12', 'offline 11', 'down 9'],
    [imported]: ['unknown 720'],
  });
  const short = await presence(`devices=${nas}&hours=1`);
  expect([short.slotSeconds, short.devices[nas]]).toEqual([75, '#'.repeat(48)]);
  const week = await presence(`devices=${nas}&hours=168`);
  expect(week.devices[nas]).toBe(`${'?'.repeat(42)}+#+###`);
});

test('the journal is read once; after a change only what is new, and for an answer that is known nothing', async () => {
  journalQueries = 0;
  const { headers } = await system.request('GET', '/devices/presence?site=home');
  expect(journalQueries).toBe(0);
  const again = { 'if-none-match': headers.get('etag') ?? '' };
  expect((await system.request('GET', '/devices/presence?site=home', { headers: again })).status).toBe(304);
  await sight(phone, 1, NOW);
  vi.setSystemTime(NOW + SLOT);
  journalQueries = 0;
  const text = (await presence(`devices=${phone}`)).devices[phone];
  expect(text?.slice(-3)).toBe('..#');
  expect(journalQueries).toBe(2); // A page, and its end.
  vi.setSystemTime(NOW);
});

test('the latency of a ping check, and whether it is above what was usual in the hours before', async () => {
  const ingest = openIngest({ ...system.context, agents: NO_AGENTS }, SILENT);
  const discovery = { state: 'on' as const, networks: ['10.0.0.0/24'] };
  await system.context.sites.recordPresence(MAIN, {
    ...({ v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: NOW, version: '1', programs: {} } as const),
    ...{ capabilities: [], networks: [], load: { running: 0, queued: 0 }, discovery },
  });
  await system.request('PATCH', `/devices/${nas}`, { body: { devLastIP: '10.0.0.9' } });
  const ids: string[] = [];
  for (const device of [nas, phone]) {
    const { json } = await system.request('POST', '/checks', { body: { kind: 'ping', device, label: device } });
    ids.push((json as { id: string }).id);
  }
  const run = (rtt: number | null): Point => [0, rtt, 5, rtt === null ? 5 : 0, null];
  let n = 0;
  const measured = async (from: number, rtts: (number | null)[]) => {
    const checks = ids.map((id, i): [string, Point[]] => [id, [run(rtts[i] ?? null)]]);
    const points = { from, before: n === 0 ? null : from - 5 * 60_000, checks };
    await ingest.measurements(MAIN, packMeasurements({ n: ++n, changes: [], points }));
  };
  for (let at = NOW - 2 * HOUR; at < NOW; at += 5 * 60_000) await measured(at, [2, 40]);
  const latency = async () => (await presence(`devices=${nas},${phone},${imported}`)).latency;
  expect(await latency()).toEqual({ [nas]: { ms: 2, isHigh: false }, [phone]: { ms: 40, isHigh: false } });
  await measured(NOW, [9, null]);
  vi.setSystemTime(NOW + 60_000);
  expect(await latency()).toEqual({ [nas]: { ms: 9, isHigh: true } });
});
