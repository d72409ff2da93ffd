import { pino } from 'pino';
import { expect, test } from 'vitest';
import { range } from '../../shared/network.ts';
import { KnownDevices } from './known-devices.ts';

const START = Date.UTC(2026, 10, 1);
const MINUTE = 60_000;
const NETWORK = {
  interface: 'eth0',
  mac: '00:1E:06:00:00:01',
  address: '10.0.0.1',
  ipv6: null,
  gateway: '10.0.0.254',
  range: range('10.0.0.0/24'),
  cidr: '10.0.0.0/24',
};
const [ROUTER, NAS, PHONE] = ['00:0D:B9:00:00:FE', '00:11:32:00:00:20', '00:11:32:00:00:30'] as const;

async function watched() {
  const known = await KnownDevices.open('/nonexistent/known.json', START, pino({ level: 'silent' }));
  const look = (at: number, devices: readonly (readonly [string, string])[]) => {
    const evidence = devices.map(([mac, ip]) => ({ mac, ip, fresh: true }));
    const scans = [{ network: NETWORK, evidence, method: 'arp-scan' as const, startedAt: 0, failure: null }];
    const valid = known.recordScans(scans, at);
    known.countMisses(scans, valid, new Map([[NETWORK.cidr, new Set<string>()]]), at, 10 * MINUTE);
    return known.commit();
  };
  return { known, look, router: [ROUTER, '10.0.0.254'] as const, nas: [NAS, '10.0.0.20'] as const };
}

test('a device is heard between two looks: a new one is told, one that is there keeps what is known of it', async () => {
  const { known, look, router, nas } = await watched();
  expect(known.hear(PHONE, '10.0.0.30', NETWORK, START)).toBe(false); // No look has counted yet.
  look(START, [router, nas]);
  known.confirm(known.lastChange);
  expect(known.hear(PHONE, '10.0.0.30', NETWORK, START + 1)).toBe(true);
  expect(known.hear(NAS, '10.0.0.99', NETWORK, START + 2)).toBe(false);
  expect(known.hear(NETWORK.mac, '10.0.0.1', NETWORK, START + 3)).toBe(false);
  expect(known.commit()).toBe(1);
  expect(known.get(PHONE)).toMatchObject({ ip: '10.0.0.30', presence: { online: true, since: START + 1 } });
  expect(known.get(NAS)).toMatchObject({ ip: '10.0.0.20', presence: { online: true, seenAt: START + 2 } });
});

test('what is heard is a sign of presence: who is heard is not gone, and who was gone is back', async () => {
  const { known, look, router, nas } = await watched();
  look(START, [router, nas]);
  for (let minute = 1; minute <= 8; minute++) {
    known.hear(NAS, '10.0.0.20', NETWORK, START + minute * MINUTE - 1);
    look(START + minute * MINUTE, [router]);
  }
  expect(known.get(NAS)?.presence.online).toBe(true);
  for (let minute = 9; minute <= 16; minute++) look(START + minute * MINUTE, [router]);
  expect(known.get(NAS)?.presence.online).toBe(false);
  expect(known.hear(NAS, null, NETWORK, START + 17 * MINUTE)).toBe(true);
  expect(known.get(NAS)).toMatchObject({ ip: '10.0.0.20', presence: { online: true } });
});

test('where somebody answers for everything, or makes MACs up, hearing adds no more than looks do', async () => {
  const { known, look, router } = await watched();
  for (let minute = 0; minute < 10; minute++) look(START + minute * MINUTE, [router]);
  known.confirm(known.lastChange);
  for (let i = 0; i < 9_000; i++) {
    const mac = `02:00:00:00:${[i >> 8, i & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`;
    known.hear(mac.toUpperCase(), `10.0.0.${(i % 250) + 1}`, NETWORK, START + 10 * MINUTE + i);
  }
  expect(known.commit()).toBeLessThanOrEqual(501);
  expect(known.size).toBeLessThanOrEqual(8_192);
});
