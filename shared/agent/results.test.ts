import fc from 'fast-check';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import { TOOLS, type Tool } from './messages.ts';
import { parseToolData, TOOL_RESULTS } from './results.ts';

/** Data that fit the schema of each tool. */
const DATA: { [T in Tool]: z.infer<(typeof TOOL_RESULTS)[T]> } = {
  wakeonlan: {
    mac: '00:1E:06:AA:BB:01',
    packets: [{ interface: 'eth0', address: '10.0.0.255', port: 9, error: null }],
  },
  traceroute: {
    target: '10.0.0.1',
    reached: true,
    hops: [{ hop: 1, probes: [{ address: '10.0.0.1', rttMs: 0.3, note: null }] }],
  },
  speedtest: { server: 's', pingMs: 1, downloadMbps: 2, uploadMbps: 3 },
  nslookup: { server: null, name: 'nas', addresses: ['10.0.0.2'], names: [] },
  nmap: {
    hosts: [
      {
        address: '10.0.0.1',
        mac: null,
        vendor: null,
        names: ['router'],
        state: 'up',
        timedOut: false,
        os: null,
        ports: [{ port: 80, protocol: 'tcp', state: 'open', service: 'http', product: null, version: null }],
      },
    ],
    hostsUp: 1,
    hostsTotal: 1,
  },
  internetinfo: {
    ip: '192.0.2.1',
    city: 'Here',
    country: 'XX',
    organisation: 'None',
    at: '2026-01-01T12:00:00.000Z',
  },
  interfaces: {
    eth0: {
      name: 'eth0',
      short: 'eth0',
      type: 'ethernet',
      state: 'up',
      mtu: 1500,
      mac: null,
      ipv4: ['10.0.0.1/24'],
      ipv6: [],
      rx_bytes: 1,
      tx_bytes: 2,
    },
  },
};

/** What the reviewed function gives, or that it refuses. */
function outcomeOf(parse: () => unknown): unknown {
  try {
    return { parsed: parse() };
  } catch {
    return 'refused';
  }
}

/** The same data with one value in it replaced, removed or added, at any depth. */
function changed(data: unknown): fc.Arbitrary<unknown> {
  const other = fc.jsonValue({ maxDepth: 2 });
  if (Array.isArray(data)) {
    const items = data.length === 0 ? [] : [changed(data[0]).map((item) => [...data, item])];
    return fc.oneof(
      other,
      other.map((item) => [...data, item]),
      ...items,
    );
  }
  if (typeof data !== 'object' || data === null) return other;
  const fields = Object.entries(data).flatMap(([name, value]) => [
    changed(value).map((inner) => ({ ...data, [name]: inner })),
    fc.constant(Object.fromEntries(Object.entries(data).filter(([one]) => one !== name))),
  ]);
  return fc.oneof(
    other,
    fc.tuple(fc.string(), other).map(([name, value]) => ({ ...data, [name]: value })),
    ...fields,
  );
}

test.each(TOOLS)('the data of %s are taken and refused as its schema says, and nothing unknown is kept', (tool) => {
  expect(parseToolData(tool, DATA[tool])).toEqual(DATA[tool]);
  expect(parseToolData(tool, null)).toBeNull();
  fc.assert(
    fc.property(changed(DATA[tool]), (data) => {
      const expected = outcomeOf(() => TOOL_RESULTS[tool].nullable().parse(data));
      expect(outcomeOf(() => parseToolData(tool, data))).toEqual(expected);
    }),
  );
});

test('the first thing that is wrong is named, and what follows it is not looked at', () => {
  const hosts = [
    DATA.nmap.hosts[0],
    { ...DATA.nmap.hosts[0], ports: [{ port: 'x' }] },
    {
      get address(): string {
        throw new Error('looked at');
      },
    },
  ];
  const parse = () => parseToolData('nmap', { ...DATA.nmap, hosts });
  expect(parse).toThrow(/^data\.hosts\.1\.ports\.0\.port: expected (?:number|int), received string$/);
});
