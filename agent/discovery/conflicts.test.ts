import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MINUTE, macOf, NETWORK, newKnown, ROUTER, START, seen } from '../../test/support/agent/made-up-lan.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';

test('two devices at one address conflict from the second scan on, until three scans find one of them', async () => {
  const { cycle, reported } = await newKnown();
  const [a, b] = [seen(macOf(1), '10.0.0.11'), seen(macOf(2), '10.0.0.11')];
  const conflicts = () => [reported(a.mac)?.conflict, reported(b.mac)?.conflict];
  cycle(START, [ROUTER, a, b]);
  expect(conflicts()).toEqual([undefined, undefined]);
  cycle(START + MINUTE, [ROUTER, a]);
  cycle(START + 2 * MINUTE, [ROUTER, a, b]);
  expect(conflicts()).toEqual([undefined, undefined]);
  cycle(START + 3 * MINUTE, [ROUTER, a, b]);
  const both = [
    { kind: 'address', ip: '10.0.0.11', others: [b.mac] },
    { kind: 'address', ip: '10.0.0.11', others: [a.mac] },
  ];
  expect(conflicts()).toEqual(both);
  // An invalid scan, and two that find one of them.
  cycle(START + 4 * MINUTE, [a], { failure: 'it was stopped' });
  for (let i = 5; i < 7; i++) cycle(START + i * MINUTE, [ROUTER, a, { ...b, fresh: false }]);
  expect(conflicts()).toEqual(both);
  cycle(START + 7 * MINUTE, [ROUTER, a]);
  expect(conflicts()).toEqual([undefined, undefined]);
});

test('two cards of one host are no conflict, and each has an address of its own, also when an answer is lost', async () => {
  const { cycle, reported } = await newKnown();
  const [wire, radio] = [macOf(24), macOf(25)];
  const all = [wire, radio].flatMap((mac) => [seen(mac, '10.0.0.24'), seen(mac, '10.0.0.25')]);
  for (let i = 0; i < 9; i++)
    cycle(START + i * MINUTE, [ROUTER, ...(i % 3 === 0 ? all : all.slice(i % 2, 3 + (i % 2)))]);
  cycle(START + 9 * MINUTE, [ROUTER, ...all]);
  for (const mac of [wire, radio]) {
    expect(reported(mac)).toMatchObject({ ips: ['10.0.0.24', '10.0.0.25'] });
    expect(reported(mac)).not.toHaveProperty('conflict');
  }
  expect(new Set([reported(wire)?.ip, reported(radio)?.ip]).size).toBe(2);
});

test('one that answers for the address of another, beside its own, is a conflict', async () => {
  const { cycle, reported } = await newKnown();
  const [a, thief] = [macOf(24), macOf(66)];
  const all = [seen(a, '10.0.0.24'), seen(thief, '10.0.0.24'), seen(thief, '10.0.0.66')];
  for (let i = 0; i < 3; i++) cycle(START + i * MINUTE, [ROUTER, ...all]);
  expect(reported(a)?.conflict).toMatchObject({ kind: 'address', others: [thief] });
  // Nor may two do so together with the gateway.
  const both = [ROUTER, seen(ROUTER.mac, '10.0.0.66'), seen(thief, ROUTER.ip), seen(thief, '10.0.0.66')];
  for (let i = 3; i < 6; i++) cycle(START + i * MINUTE, both);
  expect(reported(ROUTER.mac)?.conflict).toMatchObject({ kind: 'gateway', others: [thief] });
});

test('a second gateway beside the known one is reported, and is not taken for the gateway', async () => {
  const { cycle, reported } = await newKnown();
  const second = [seen(macOf(66), '10.0.0.254'), seen(macOf(66), '10.0.0.66')];
  cycle(START, [ROUTER]);
  for (let i = 1; i < 4; i++) cycle(START + i * MINUTE, [ROUTER, ...second]);
  const conflict = (other: string) => ({ kind: 'gateway', ip: '10.0.0.254', others: [other] });
  expect(reported(ROUTER.mac)).toMatchObject({ gateway: true, ip: '10.0.0.254', conflict: conflict(macOf(66)) });
  expect(reported(macOf(66))).toMatchObject({ ip: '10.0.0.66', conflict: conflict(ROUTER.mac) });
  expect(reported(macOf(66))).not.toHaveProperty('gateway');
});

test('a second DHCP server is reported; one without a MAC is known by its address', async () => {
  const { known, cycle, reported } = await newKnown();
  cycle(START, [ROUTER, seen(macOf(5), '10.0.0.5')]);
  const look = (...servers: { ip: string; mac: string | null }[]) => {
    known.recordDhcpServers(NETWORK.cidr, servers);
    known.commit();
    return [reported(ROUTER.mac)?.conflict, reported(macOf(5))?.conflict];
  };
  const [right, wrong] = [
    { ip: '10.0.0.254', mac: ROUTER.mac },
    { ip: '10.0.0.5', mac: null },
  ];
  expect(look(right, wrong)).toEqual([undefined, undefined]);
  const both = [
    { kind: 'dhcp', ip: '10.0.0.254', others: [macOf(5)] },
    { kind: 'dhcp', ip: '10.0.0.5', others: [ROUTER.mac] },
  ];
  expect(look(right, wrong)).toEqual(both);
  cycle(START + MINUTE, [ROUTER, seen(macOf(5), '10.0.0.5')]);
  expect([look(right), look(right)]).toEqual([both, both]);
  expect(look(right, right)).toEqual([undefined, undefined]);
});

test('a conflict reported before a restart ends when scans contradict it', async () => {
  await using folder = makeTestFolder();
  const path = join(folder.path, 'known-devices.json');
  const first = await newKnown(path);
  const [a, b] = [seen(macOf(1), '10.0.0.11'), seen(macOf(2), '10.0.0.11')];
  for (let i = 0; i < 3; i++) first.cycle(START + i * MINUTE, [ROUTER, a, b]);
  await first.known.save();
  const { cycle, reported } = await newKnown(path);
  expect(reported(b.mac)?.conflict).toMatchObject({ others: [a.mac] });
  for (let i = 3; i < 6; i++) cycle(START + i * MINUTE, [ROUTER, a]);
  expect([reported(a.mac)?.conflict, reported(b.mac)?.conflict]).toEqual([undefined, undefined]);
});

test('a router that answers for others keeps its own address, and reports all', async () => {
  const { cycle, reported } = await newKnown();
  const own = seen(macOf(3), '10.0.0.9');
  const proxied = ['10.0.0.10', '10.0.0.192', '10.0.0.193'].map((ip) => seen(macOf(3), ip));
  cycle(START, [ROUTER, ...proxied, own]);
  expect(reported(macOf(3))).toMatchObject({
    ip: '10.0.0.9',
    ips: ['10.0.0.9', '10.0.0.10', '10.0.0.192', '10.0.0.193'],
  });
  // The gateway's own is that of the gateway, also where it is not the lowest.
  cycle(START + MINUTE, [ROUTER, seen(ROUTER.mac, '10.0.0.2'), seen(ROUTER.mac, 'fd00::1'), ...proxied, own]);
  expect(reported(ROUTER.mac)).toMatchObject({ ip: '10.0.0.254', ips: ['10.0.0.2', '10.0.0.254', 'fd00::1'] });
  // An address from which nothing is heard for an hour is its own no more; one lost packet changes nothing.
  const n = reported(ROUTER.mac)?.n;
  cycle(START + 2 * MINUTE, [ROUTER, own]);
  expect(reported(ROUTER.mac)?.n).toBe(n);
  cycle(START + 62 * MINUTE, [ROUTER, own]);
  expect([reported(ROUTER.mac)?.ips, reported(macOf(3))?.ips]).toEqual([['10.0.0.254'], ['10.0.0.9']]);
});
