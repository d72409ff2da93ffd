/** `GET /series`: from the messages of agents to charts. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { MeasurementsBody, Point } from '../../shared/agent/measurements.ts';
import { packMeasurements, packResult } from '../../shared/agent/wire.ts';
import type { OneSeries } from '../../shared/api/series.ts';
import { agentId } from '../../shared/identity.ts';
import { openIngest } from '../support/background-work.ts';
import { resultFor } from '../support/enrolled-agent.ts';
import { eraseSite } from '../support/erase-site.ts';
import { observeAt, sightAt } from '../support/history.ts';
import { parsePrometheusText, sampleValue } from '../support/prometheus-text.ts';
import { storeAgent } from '../support/stored-site.ts';
import { testApi } from '../support/test-api.ts';

const NOW = Date.UTC(2026, 10, 12, 10, 0);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MAIN = agentId('home', 'main');

let check: string;
/** What agents were told. */
const confirmed: number[] = [];
const warnings: string[] = [];
const system = testApi({ now: NOW });
beforeAll(async () => {
  for (const agent of ['main', 'attic']) await storeAgent(system.context, 'home', agent);
  const body = { kind: 'ping', host: '192.168.1.20', label: 'a "nas"' };
  const { json } = await system.request('POST', '/checks', { body });
  check = (json as { id: string }).id;
});

function ingest() {
  const warn = (_: object, message: string) => void warnings.push(message);
  const agents = {
    ...system.context.agents,
    control: async (_: string, message: { t: string; n?: number }) => void confirmed.push(message.n ?? 0),
    confirmStored: async () => {},
  };
  return openIngest({ ...system.context, agents }, { info: () => {}, warn, error: warn });
}

let told = NOW;
async function say(agent: string, body: Partial<MeasurementsBody>): Promise<number> {
  const n = ++told;
  await ingest().measurements(agent, packMeasurements({ n, changes: [], points: null, ...body }));
  return n;
}

const run = (offset: number, rtt: number | null, lost = 0): Point => [offset, rtt, 5, lost, rtt === null ? null : 0.1];

async function series(query: string, status = 200) {
  const answer = await system.request('GET', `/series?site=home&${query}`);
  expect([query, answer.status, answer.text]).toEqual([query, status, expect.anything()]);
  return answer.json as { series: OneSeries[]; summary: Record<string, number>; message: string };
}
const at = (ms: number) => Math.floor(ms / 1000);
const iso = (ms: number) => new Date(ms).toISOString();

describe('a check', () => {
  test('latency, loss and uptime: each run lately, buckets before; a time at which nobody measured is missing', async () => {
    const begin = NOW - 2 * HOUR;
    const points = (from: number, before: number | null, runs: Point[]) =>
      say(MAIN, { points: { from, before, checks: [[check, runs]] } });
    await points(begin, null, [run(0, 1), run(60, 3), run(120, null, 5)]);
    // For an hour nothing.
    await points(begin + HOUR, begin, [run(0, 2, 1)]);
    await say(agentId('home', 'attic'), { points: { from: begin, before: null, checks: [[check, [run(30, 7)]]] } });

    const raw = await series(`check=${check}&agent=main`);
    expect(raw.series).toMatchObject([{ agent: 'main', resolution: 'raw' }]);
    expect(raw.series[0]?.times).toEqual([0, 60, 120, 3_600].map((second) => at(begin) + second));
    expect(raw.series[0]?.columns).toEqual([
      { name: 'rttMs', unit: 'ms', values: [1, 3, null, 2] },
      { name: 'jitterMs', unit: 'ms', values: [0.1, 0.1, null, 0.1] },
      { name: 'lossPercent', unit: '%', values: [0, 0, 100, 20] },
    ]);
    const rtt = { rttMs: 2, rttMinMs: 1, rttMaxMs: 3 };
    expect(raw.summary).toMatchObject({ ...rtt, lossPercent: 30, uptimePercent: 75, runs: 4 });

    const hours = await series(`check=${check}&resolution=1h`);
    expect(hours.series.map(({ agent, times }) => [agent, times])).toEqual([
      ['attic', [at(begin)]],
      ['main', [at(begin), at(begin + HOUR)]],
    ]);
    expect(hours.summary.runs).toBe(5);
    const month = await series(`check=${check}&since=${iso(NOW - 30 * 24 * HOUR)}`);
    expect(month.series.map(({ resolution }) => resolution)).toEqual(['1h', '1h']);
    expect((await series(`check=${check}&since=${iso(NOW - 90 * 24 * HOUR)}`)).series[0]?.resolution).toBe('1d');
    expect((await series(`check=${check}&until=${iso(NOW - 90 * 24 * HOUR)}`)).series).toEqual([]);
    expect((await series(`check=${check}&since=${iso(NOW + HOUR)}&until=${iso(NOW + 2 * HOUR)}`)).series).toEqual([]);

    const file = await system.request('GET', `/series/export?check=${check}&site=home&agent=main`);
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(file.text.split('\r\n').slice(0, 4)).toEqual([
      'time,agent,rttMs,jitterMs,lossPercent',
      `${iso(begin)},main,1,0.1,0`,
      `${iso(begin + MINUTE)},main,3,0.1,0`,
      `${iso(begin + 2 * MINUTE)},main,,,100`,
    ]);
  });

  test('in the metrics of Prometheus as long as it is made', async () => {
    const from = NOW - 5 * MINUTE;
    const checks: [string, Point[]][] = [
      [check, [run(200, 12.5, 1)]],
      ['0123456789ab', [run(0, 1)]],
    ];
    await say(MAIN, { points: { from, before: null, checks } });
    const lines = async () => parsePrometheusText((await system.request('GET', '/metrics?site=home')).text);
    const labels = { site: 'home', check, name: 'a "nas"', agent: 'main' };
    const families = await lines();
    expect(sampleValue(families, 'lanreach_check_up', labels)).toBe(1);
    expect(sampleValue(families, 'lanreach_check_rtt_seconds', labels)).toBe(0.0125);
    expect(sampleValue(families, 'lanreach_check_loss_ratio', labels)).toBe(0.2);
    // One that the site does not have is nobody's.
    expect(families.get('lanreach_check_up')?.samples.map((one) => one.labels.check)).toEqual([check]);
    vi.setSystemTime(NOW + HOUR);
    expect((await lines()).get('lanreach_check_up')?.samples ?? []).toEqual([]);
    vi.setSystemTime(NOW);
  });

  test('what is wrong with a question is said', async () => {
    expect((await series('check=0123456789ff', 404)).message).toContain('no check 0123456789ff');
    expect((await series('device=02:00:00:00:00:99', 404)).message).toContain('no device');
    expect((await series('', 400)).message).toContain('exactly one of');
    expect((await series(`check=${check}&of=speed`, 400)).message).toContain('exactly one of check, device and of');
    const reversed = `since=${iso(NOW)}&until=${iso(NOW - HOUR)}`;
    expect((await series(`check=${check}&${reversed}`, 400)).message).toContain('after since');
    expect((await series(`check=${check}&resolution=2h`, 400)).message).toContain('resolution');
  });

  test('points of a time that cannot be, or that a hostile agent makes up, are confirmed and stored nowhere', async () => {
    const before = await rowsOf('V#home');
    for (const from of [NOW + 10 * MINUTE, NOW - 9 * 24 * HOUR, 5 * MINUTE, 20_000_000 * 5 * MINUTE]) {
      const n = await say(MAIN, { points: { from, before: null, checks: [[check, [run(0, 1)]]] } });
      expect(confirmed).toContain(n);
    }
    await ingest().measurements(MAIN, Buffer.from('{"v":3,"t":"measurements"}'));
    const many = Array.from({ length: 11 }, (_, i) => run(i, 1));
    for (const points of [[[0, -1, 1, 0, null] as Point], many, [[0, 1, 0, 0, null] as Point]]) {
      await say(MAIN, { points: { from: NOW, before: null, checks: [[check, points]] } });
    }
    expect(await rowsOf('V#home')).toEqual(before);
    const expected = ['dropped points of an implausible time', 'unreadable measurements'];
    expect(warnings).toEqual(expect.arrayContaining(expected));
  });
});

async function rowsOf(pk: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of system.context.table.query(pk, null)) keys.push(...page.map(({ sk }) => sk));
  return keys;
}

test('presence of a device: percent of the time online, without the time at which nobody watched', async () => {
  const key = '02:00:00:00:00:01';
  const { context } = system;
  await sightAt(context, NOW - 6 * HOUR, key, { devPresentLastScan: 1 });
  await sightAt(context, NOW - 5.5 * HOUR, key, { devPresentLastScan: 0 });
  await observeAt(context, NOW - 4 * HOUR, { type: 'site-dark' });
  await observeAt(context, NOW - 2 * HOUR, { type: 'site-back' });
  await sightAt(context, NOW - 2 * HOUR, key, { devPresentLastScan: 1 });
  vi.setSystemTime(NOW);
  const found = await series(`device=${key}&resolution=1h&since=${iso(NOW - 24 * HOUR)}`);
  expect(found.series).toEqual([
    {
      agent: null,
      resolution: '1h',
      times: [6, 5, 2, 1].map((hours) => at(NOW - hours * HOUR)),
      columns: [{ name: 'onlinePercent', unit: '%', values: [50, 0, 100, 100] }],
    },
  ]);
  expect(found.summary).toEqual({ uptimePercent: 62.5, knownPercent: 16.667 });
  expect((await series(`device=${key}&resolution=raw`, 400)).message).toContain('5m, 1h or 1d');
});

describe('the connection to the internet', () => {
  test('every speed test that has succeeded, once, whoever asked for it', async () => {
    const result = { server: 'speed.example.net', pingMs: 12, downloadMbps: 90, uploadMbps: 40 };
    for (const [i, downloadMbps] of [90, 240, 250].entries()) {
      const id = `home.01934c1e-5f00-7a11-8a22-01234567890${i}`;
      const command = { tool: 'speedtest' } as const;
      await system.context.jobs.create({ id, agent: MAIN, command, actor: 'test', sourceAddress: null });
      const packed = packResult(resultFor({ id }, { result: { ...result, downloadMbps } }));
      for (let times = 0; times < 2; times++) await ingest().result(MAIN, packed as Buffer);
      vi.setSystemTime(Date.now() + MINUTE);
    }
    const found = await series('of=speed');
    expect(found.series.map(({ agent, columns }) => [agent, columns[0]])).toEqual([
      ['main', { name: 'downMbps', unit: 'Mbit/s', values: [90, 240, 250] }],
    ]);
    expect(found.summary).toEqual({ downMbps: 240, upMbps: 40, pingMs: 12, tests: 3 });
    vi.setSystemTime(NOW);
  });

  test('public addresses: those of the span, and the one that held before it', async () => {
    const address = (time: number, text: string, provider: string | null = null) =>
      ({ t: 'address', at: time, address: text, provider }) as const;
    await say(MAIN, { changes: [address(NOW - 48 * HOUR, '203.0.113.7', 'Example Net')] });
    const later = [
      address(NOW - HOUR, '203.0.113.9'),
      address(NOW - 100 * 24 * HOUR, '203.0.113.1'),
      address(NOW, 'no address'),
    ];
    await say(MAIN, { changes: later });
    await say(MAIN, { changes: later });
    const found = await series('of=address');
    expect(found.series).toMatchObject([{ agent: 'main', times: [at(NOW - 48 * HOUR), at(NOW - HOUR)] }]);
    expect(found.series[0]?.columns.map(({ values }) => values)).toEqual([
      ['203.0.113.7', '203.0.113.9'],
      ['Example Net', null],
    ]);
  });
});

test('a token of another site learns nothing, and what was measured goes with the site', async () => {
  const site = await system.addSite();
  const agent = await storeAgent(system.context, site, 'main');
  await say(agent, { points: { from: NOW - 5 * MINUTE, before: null, checks: [[check, [run(0, 1)]]] } });
  const other = await system.createToken({ scopes: ['devices:read'], sites: ['home'] });
  const path = `/series?check=${check}&site=${site}`;
  expect((await system.request('GET', path, { token: other })).status).toBe(403);
  // A check that was removed, or that this site never had: what was measured of it is still there.
  expect(((await system.request('GET', path)).json as { series: unknown[] }).series).toHaveLength(1);
  expect(await rowsOf(`V#${site}`)).toHaveLength(1);
  await eraseSite(system, system.context, site);
  expect(await rowsOf(`V#${site}`)).toEqual([]);
});
