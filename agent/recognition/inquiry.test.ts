import { expect, test } from 'vitest';
import { range } from '../../shared/network.ts';
import { NETWORK, newKnown, pass } from '../../test/support/agent/made-up-lan.ts';
import type { Evidence } from '../discovery/evidence.ts';
import { Inquiry } from './inquiry.ts';
import type { DeviceReply, LinkQuery } from './query-link.ts';

const MINUTE = 60_000;
const macOf = (last: number) => `00:11:32:00:00:${String(last).padStart(2, '0')}`;
const evidence = (last: number): Evidence => ({ mac: macOf(last), ip: `10.0.0.${last}`, fresh: true });

async function site() {
  const { known } = await newKnown();
  const sentQueries: (LinkQuery & { at: number })[] = [];
  let at = 1_000;
  let answers = new Map<string, DeviceReply>();
  const inquiry = new Inquiry(async (link) => {
    sentQueries.push({ ...link, at });
    return answers;
  });
  const look = async (devices: Evidence[], networks = [NETWORK], signal = new AbortController().signal) => {
    const scans = networks.map((network) => pass(devices, { network }));
    known.recordScans(scans, at);
    known.commit();
    await inquiry.observe({ run: () => Promise.reject(), signal, known, networks, now: () => at });
  };
  return {
    known,
    sentQueries,
    look,
    after: (ms: number) => (at += ms),
    answer: (all: [string, Partial<DeviceReply>][]) => {
      answers = new Map(all.map(([mac, one]) => [mac, { heard: [], host: null, isDescribed: false, ...one }]));
    },
  };
}

test('a link is queried at once, again while devices are new, and then once an hour', async () => {
  const { look, sentQueries, after } = await site();
  const minutes = async (count: number, devices: Evidence[]) => {
    for (let i = 0; i < count; i++) {
      await look(devices);
      after(MINUTE);
    }
    return sentQueries.length;
  };
  const devices = [evidence(20), evidence(21)];
  expect(await minutes(60, devices)).toBe(2);
  expect(await minutes(60, devices)).toBe(3);
  expect(await minutes(5, devices)).toBe(4);
  // A new device is queried twice; a returning one is not new.
  expect(await minutes(10, [...devices, evidence(22)])).toBe(6);
  expect(await minutes(20, [evidence(20)])).toBe(6);
  expect(await minutes(5, devices)).toBe(6);
});

test('many new devices cause no more than one query a minute', async () => {
  const { look, sentQueries, after } = await site();
  for (let i = 0; i < 40; i++) {
    await look(Array.from({ length: i + 1 }, (_, k) => evidence(20 + k)));
    after(10_000);
  }
  expect(sentQueries.length).toBeLessThanOrEqual(8);
  expect(sentQueries.length).toBeGreaterThan(4);
});

test('observations are recorded for the device, and its host name where it has no other', async () => {
  const { look, known, answer } = await site();
  const heard = [{ source: 'mdns-service' as const, value: '_ipp._tcp' }];
  answer([
    [macOf(20), { heard, host: 'printer.local' }],
    ['00:11:32:00:00:99', { heard, host: 'nobody.local' }],
  ]);
  await look([evidence(20)]);
  expect(known.get(macOf(20))).toMatchObject({
    name: { text: 'printer.local', source: 'mdns' },
    observations: [{ value: '_ipp._tcp' }],
  });
  expect(known.get('00:11:32:00:00:99')).toBeUndefined();
});

test('parts of one network are queried as one, no device at an ambiguous address, and a description once an hour', async () => {
  const { look, sentQueries, after, answer } = await site();
  answer([[macOf(20), { isDescribed: true }]]);
  const parts = ['10.0.0.0/25', '10.0.0.128/25'].map((cidr) => ({ ...NETWORK, cidr, range: range(cidr) }));
  const twice = [evidence(20), evidence(21), { ...evidence(22), ip: '10.0.0.21' }, { ...evidence(20), ip: 'fe80::20' }];
  await look(twice, parts);
  expect(sentQueries).toHaveLength(1);
  expect(sentQueries[0]?.networks).toHaveLength(2);
  expect([...(sentQueries[0]?.devices.keys() ?? [])].sort()).toEqual(['10.0.0.20', 'fe80::20']);
  after(MINUTE);
  await look(twice, parts);
  after(60 * MINUTE);
  await look(twice, parts);
  expect(sentQueries.map(({ devices }) => devices.get('10.0.0.20')?.describe)).toEqual([true, false, true]);
});

test('replies after the end are dropped', async () => {
  const { look, known, answer } = await site();
  answer([[macOf(20), { heard: [{ source: 'ssdp-server', value: 'x' }] }]]);
  await look([evidence(20)], [NETWORK], AbortSignal.abort());
  expect(known.get(macOf(20))?.observations).toEqual([]);
});
