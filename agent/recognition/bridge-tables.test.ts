import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placesOf, type Switch } from './bridge-tables.ts';

const macOf = (kind: string, i: number) => `00:1E:06:00:${kind}:${i.toString(16).padStart(2, '0').toUpperCase()}`;

/** A tree of switches: above which each hangs, and on which switch each host does. */
const trees = fc.array(fc.nat(), { minLength: 1, maxLength: 8 }).chain((above) =>
  fc.record({
    above: fc.constant(above.map((n, i) => (i === 0 ? -1 : n % i))),
    hosts: fc.array(fc.nat({ max: above.length - 1 }), { maxLength: 20 }),
  }),
);

/** The tables of each switch of a tree when all hosts have sent frames to all. */
function tablesOf({ above, hosts }: { above: number[]; hosts: number[] }): Switch[] {
  const chain = (at: number): number[] => (at < 0 ? [] : [at, ...chain(above[at] ?? -1)]);
  /** The port of switch `from` that leads to switch `to`. */
  const towards = (from: number, to: number) => {
    const path = chain(to);
    const place = path.indexOf(from);
    return place < 0 ? 'up' : `down ${path[place - 1]}`;
  };
  return above.map((_, from) => ({
    mac: macOf('AA', from),
    otherMacs: [],
    neighbours: [],
    learned: [
      ...above.flatMap((_, to) => (to === from ? [] : [{ mac: macOf('AA', to), port: towards(from, to) }])),
      ...hosts.map((at, host) => ({
        mac: macOf('BB', host),
        port: at === from ? `access ${host}` : towards(from, at),
      })),
    ],
  }));
}

test('in any tree of switches each host is found at its access port, and no switch is', () => {
  fc.assert(
    fc.property(trees, (tree) => {
      const expected = tree.hosts.map((at, host) => [
        macOf('BB', host),
        { parent: macOf('AA', at), port: `access ${host}`, by: 'bridge' },
      ]);
      expect(new Map(placesOf(tablesOf(tree)))).toEqual(new Map(expected as never));
    }),
  );
});

test('clients of an access point hang on it, and the access point on its port', () => {
  const [ap, phone, wired, table] = [macOf('CC', 1), macOf('BB', 1), macOf('BB', 2), macOf('AA', 1)];
  const learned = [...[ap, phone].map((mac) => ({ mac, port: '22' })), { mac: wired, port: '3' }];
  const neighbours = [{ mac: ap, port: '22', isBridge: false, isAccessPoint: true }];
  const found = placesOf([{ mac: table, otherMacs: [], learned, neighbours }]);
  expect(Object.fromEntries(found)).toEqual({
    [ap]: { parent: table, port: '22', by: 'lldp' },
    [phone]: { parent: ap, port: '', by: 'bridge' },
    [wired]: { parent: table, port: '3', by: 'bridge' },
  });
});

test('a port at which LLDP shows another switch is no place, and an LLDP announcement precedes learned MACs', () => {
  const learned = [
    { mac: macOf('BB', 1), port: '1' },
    { mac: macOf('BB', 2), port: '24' },
  ];
  const neighbours = [
    { mac: macOf('BB', 1), port: '1', isBridge: false },
    { mac: macOf('CC', 1), port: '24', isBridge: true },
  ];
  const found = placesOf([{ mac: macOf('AA', 1), otherMacs: [], learned, neighbours }]);
  expect([...found]).toEqual([[macOf('BB', 1), { parent: macOf('AA', 1), port: '1', by: 'lldp' }]]);
});
