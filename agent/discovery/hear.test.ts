/** Signs between two scans. */
import { expect, test } from 'vitest';
import { MINUTE, macOf, NETWORK, newKnown, ROUTER, START, seen } from '../../test/support/agent/made-up-lan.ts';

const A = macOf(20);
const NEW = macOf(30);
const [router, a] = [ROUTER, seen(A, '10.0.0.20')];

/** An agent with a complete baseline: further signs are news. */
async function settled() {
  const agent = await newKnown();
  let at = START;
  const cycle = (evidence = [router, a]) => {
    at += MINUTE;
    return agent.cycle(at, evidence);
  };
  for (let i = 0; i < 3; i++) cycle();
  agent.known.confirm(agent.known.lastChange);
  const hear = (mac: string, ip: string | null, heard: Parameters<typeof agent.known.recordSign>[0]['heard'] = []) => {
    at += 1_000;
    const isNews = agent.known.recordSign({ mac, ip, heard }, NETWORK.cidr, at);
    return [isNews, agent.known.commit()];
  };
  return { ...agent, cycle, hear, now: () => at };
}

test('a new device is reported at once, with the address when there is one, and with its DHCP announcements', async () => {
  const { hear, reported, now } = await settled();
  const name = { source: 'dhcp-name', value: 'tv' } as const;
  expect(hear(NEW, null, [name])).toEqual([true, 1]);
  const first = reported(NEW);
  expect(first).toMatchObject({ online: true, ip: null, since: now(), observations: [name] });
  expect(first?.baseline).toBeUndefined();
  expect(hear(NEW, '10.0.0.30', [name])).toEqual([true, 1]);
  expect(reported(NEW)).toMatchObject({ ip: '10.0.0.30', ips: ['10.0.0.30'] });
  expect(hear(NEW, '10.0.0.30', [name])).toEqual([false, 0]);
});

test('a sign of an online device extends its presence, whatever address it claims; scans decide on that', async () => {
  const { known, hear, reported, cycle, now } = await settled();
  const before = reported(A);
  expect(hear(A, '10.0.0.21')).toEqual([false, 0]);
  expect(reported(A)).toEqual({ ...before, seenAt: now() });
  // It misses scans, and sends a sign: its grace starts over.
  for (let i = 0; i < 4; i++) cycle([router]);
  expect(hear(A, '10.0.0.20')).toEqual([false, 0]);
  for (let i = 0; i < 4; i++) cycle([router]);
  expect(known.get(A)?.presence.online).toBe(true);
});

test('a returning device is online with its first sign, and keeps its address when it claims none', async () => {
  const { hear, reported, cycle } = await settled();
  for (let i = 0; i < 7; i++) cycle([router]);
  expect(reported(A)).toMatchObject({ online: false });
  expect(hear(A, null)).toEqual([true, 1]);
  expect(reported(A)).toMatchObject({ online: true, ip: '10.0.0.20' });
});

test('a claim does not take the address of an online device', async () => {
  const { hear, reported } = await settled();
  expect(hear(NEW, '10.0.0.20')).toEqual([true, 1]);
  expect([reported(NEW)?.ip, reported(A)?.ip]).toEqual([null, '10.0.0.20']);
});

test('signs do not count before a valid scan, after an invalid one, and in a foreign network', async () => {
  const fresh = await newKnown();
  expect(fresh.known.recordSign({ mac: NEW, ip: '10.0.0.30', heard: [] }, NETWORK.cidr, START)).toBe(false);
  const { known, hear, cycle } = await settled();
  cycle([]);
  expect(hear(NEW, '10.0.0.30')).toEqual([false, 0]);
  const strangers = Array.from({ length: 9 }, (_, i) => seen(macOf(100 + i), `10.0.0.${100 + i}`));
  cycle([seen('A4:77:33:00:00:FE', '10.0.0.254'), ...strangers]);
  expect(known.foreign).toHaveLength(1);
  expect([...hear(NEW, '10.0.0.30'), ...hear(A, '10.0.0.20')]).toEqual([false, 0, false, 0]);
  cycle();
  expect(known.recordSign({ mac: NEW, ip: '10.9.9.9', heard: [] }, '10.9.9.0/24', START)).toBe(false);
  expect(hear(NEW, '10.0.0.30')).toEqual([true, 1]);
});

test('forged devices are bounded until the next scan, and ignored with proxy ARP; known devices count', async () => {
  const { known, hear, reported, cycle } = await settled();
  for (let i = 0; i < 1_000; i++) hear(macOf(1_000 + i), null);
  expect(known.size).toBe(2 + 64);
  expect(hear(A, null)).toEqual([false, 0]);
  cycle();
  expect(hear(NEW, null)).toEqual([true, 1]);
  const crowd = Array.from({ length: 250 }, (_, i) => seen(macOf(300), `10.0.0.${i + 1}`));
  cycle([router, a, ...crowd]);
  expect(known.proxyArpNetworks).toEqual([NETWORK.cidr]);
  expect(hear(macOf(400), null)).toEqual([false, 0]);
  expect(reported(macOf(400))).toBeUndefined();
});
