import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Row, switchOf, TABLES, type Tables } from './switch-tables.ts';

const SWITCH = '00:1E:06:00:00:01';
const macOf = (host: number) => `00:1E:06:00:01:${host.toString(16).padStart(2, '0').toUpperCase()}`;
const bytesOf = (mac: string) => Buffer.from(mac.replaceAll(':', ''), 'hex');
const rows = (table: keyof typeof TABLES, values: Record<string, Row['value']>): Row[] =>
  Object.entries(values).map(([index, value]) => ({ oid: `${TABLES[table]}.${index}`, value }));
const index = (host: number) => [...bytesOf(macOf(host))].join('.');

/** Two ports, of which bridge port 1 is interface 10 and bridge port 2 is interface 20. */
const PORTS: Tables = {
  bridgePorts: rows('bridgePorts', { 1: 10, 2: 20 }),
  ifNames: rows('ifNames', { 10: Buffer.from('g1'), 20: Buffer.from('g2') }),
  ifDescriptions: rows('ifDescriptions', { 10: Buffer.from('Port 1'), 20: Buffer.from('Port 2') }),
};

test('what is learned is at a port by its name; own MACs, those at no port and those no longer valid are not learned', () => {
  const { tables } = switchOf(
    SWITCH,
    {
      ...PORTS,
      ifMacs: rows('ifMacs', { 10: bytesOf(macOf(90)), 11: Buffer.alloc(6), 12: Buffer.from('') }),
      learned: rows('learned', { [index(1)]: 1, [index(2)]: 2, [index(3)]: 0, [index(4)]: 1, [index(5)]: 2 }),
      learnedHow: rows('learnedHow', { [index(1)]: 3, [index(2)]: 3, [index(3)]: 3, [index(4)]: 4, [index(5)]: 2 }),
      // Of two VLANs; and no switch tells how it has learned these.
      learnedInVlans: rows('learnedInVlans', { [`1.${index(6)}`]: 2, [`4094.${index(7)}`]: 9 }),
    },
    () => true,
  );
  expect(tables.otherMacs).toEqual([macOf(90), macOf(4)]);
  expect(tables.learned).toEqual([
    { mac: macOf(1), port: 'g1' },
    { mac: macOf(2), port: 'g2' },
    { mac: macOf(6), port: 'g2' },
    { mac: macOf(7), port: '9' },
  ]);
});

/** A neighbour at a port of LLDP, with a MAC of its own and one of its port. */
const neighbour = (port: number, host: number, portMac: number) =>
  rows('neighbours', {
    [`4.100.${port}.1`]: 4,
    [`5.100.${port}.1`]: bytesOf(macOf(host)),
    [`6.100.${port}.1`]: 3,
    [`7.100.${port}.1`]: bytesOf(macOf(portMac)),
    [`9.100.${port}.1`]: Buffer.from('sw2'),
    [`12.100.${port}.1`]: Buffer.from([0b00100000]),
  });

test.each([
  ['the name of an interface', { '3.7': Buffer.from('g2') }, 'g2'],
  ['its description', { '3.7': Buffer.from('x'), '4.7': Buffer.from('Port 2') }, 'g2'],
  ['nothing: it is taken for the port of the bridge', {}, '7'],
])('a port of LLDP is named as that of the bridge, by %s', (_, lldpPorts, port) => {
  const given = { ...PORTS, lldpPorts: rows('lldpPorts', lldpPorts), neighbours: neighbour(7, 1, 2) };
  const { tables, neighbours } = switchOf(SWITCH, given, () => false);
  expect(tables.neighbours).toEqual([{ mac: macOf(2), port, isBridge: true }]);
  expect(neighbours).toMatchObject([{ name: 'sw2', description: null, capabilities: ['bridge'] }]);
});

test('of the MACs of a neighbour the one counts by which discovery knows it', () => {
  const given = { ...PORTS, neighbours: neighbour(1, 1, 2) };
  const { tables } = switchOf(SWITCH, given, (mac) => mac === macOf(1));
  expect(tables.neighbours).toEqual([{ mac: macOf(1), port: 'g1', isBridge: true }]);
});

test('whatever is in the tables, reading them does not fail, and each MAC and each port is one', () => {
  const bytes = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes));
  const value = fc.oneof(fc.integer(), fc.string(), bytes);
  const part = fc.oneof(fc.nat({ max: 14 }), fc.nat());
  const made = (base: string) => {
    const oid = fc.array(part, { maxLength: 8 }).map((parts) => [base, ...parts].join('.'));
    return fc.array(fc.record({ oid, value }));
  };
  const tables = fc.record(Object.fromEntries(Object.entries(TABLES).map(([table, base]) => [table, made(base)])));
  fc.assert(
    fc.property(tables, (each) => {
      const { tables } = switchOf(SWITCH, each as Tables, () => false);
      for (const { mac, port } of [...tables.learned, ...tables.neighbours]) {
        expect(mac).toMatch(/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/);
        expect(port.length).toBeGreaterThan(0);
        expect(port.length).toBeLessThanOrEqual(64);
      }
    }),
  );
});
