import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryDevices, device } from '../../../test/support/console/devices.ts';
import { type Branch, fallsWith, forestOf, INTERNET, inUse, type TopologyDevice, withAllBehind } from './tree.ts';

/** `core(nas, ap(phone))`: the leaves of a branch, then the branches behind it. */
function drawn({ key, leaves, branches }: Branch): string {
  const inside = [...leaves.map((leaf) => leaf.key), ...branches.map(drawn)];
  return `${key || 'none'}(${inside.join(', ')})`;
}

const treesOf = (...devices: Parameters<typeof device>[]) =>
  forestOf(devices.map((one) => device(...one))).roots.map(drawn);

describe('the forest', () => {
  test('devices that others have as parent are branches, the others leaves', () => {
    expect(treesOf(['core', INTERNET], ['nas', 'core'], ['ap', 'core'], ['phone', 'ap'])).toEqual([
      'Internet(core(nas, ap(phone)))',
    ]);
  });

  test('devices whose parent is empty, themselves or unknown are together without parent, behind the trees', () => {
    expect(treesOf(['a'], ['b', 'b'], ['c', 'gone'], ['core'], ['nas', 'core'])).toEqual([
      'core(nas)',
      'none(a, b, c)',
    ]);
  });

  test('the Internet is the first root, whatever its parent is', () => {
    expect(treesOf(['core', INTERNET], [INTERNET, 'core'], ['a'], ['b', 'a'], ['c', 'b'])).toEqual([
      'Internet(core)',
      'a(b(c))',
    ]);
  });

  test('a circle is cut above the gateway, or above the device with most others', () => {
    expect(treesOf(['a', 'b'], ['b', 'c'], ['c', 'a'], ['x', 'b'], ['y', 'b'])).toEqual(['b(x, y, a(c()))']);
    expect(treesOf(['a', 'b'], ['b', 'a', { type: 'Router' }], ['x', 'a'], ['y', 'a'])).toEqual(['b(a(x, y))']);
  });

  test('every device is in it exactly once, for any parents', () => {
    fc.assert(
      fc.property(arbitraryDevices, (devices) => {
        const { branches } = forestOf(devices);
        const keys = branches.flatMap((branch) => [
          ...(branch.device === null ? [] : [branch.key]),
          ...branch.leaves.map(({ key }) => key),
        ]);
        expect(keys.toSorted()).toEqual(devices.map(({ key }) => key).toSorted());
      }),
    );
  });

  test('the counts of the roots are those of the devices', () => {
    fc.assert(
      fc.property(arbitraryDevices, (devices) => {
        const { roots } = forestOf(devices);
        const real = roots.filter((root) => root.device !== null);
        const down = devices.filter(({ status }) => status === 'down').length;
        const downRoots = real.filter((root) => root.device?.status === 'down').length;
        expect(roots.reduce((sum, { counts }) => sum + counts.devices, 0) + real.length).toBe(devices.length);
        expect(roots.reduce((sum, { counts }) => sum + counts.down, 0) + downRoots).toBe(down);
      }),
    );
  });

  test('a chain of 20,000 devices is no problem', () => {
    const chain = Array.from({ length: 20_000 }, (_, at) => device(`d${at}`, at === 0 ? '' : `d${at - 1}`));
    expect(forestOf(chain).roots[0]?.counts.devices).toBe(19_999);
  });
});

test('none of a device and its descendants can be its parent', () => {
  const devices = [device('a', 'c'), device('b', 'a'), device('c', 'b'), device('x', 'c'), device('y')];
  expect([...withAllBehind(devices, 'b')].toSorted()).toEqual(['a', 'b', 'c', 'x']);
  expect([...withAllBehind(devices, 'y')]).toEqual(['y']);
});

describe('the devices that lose their connection when one fails', () => {
  const falling = (devices: readonly TopologyDevice[], key: string | null) =>
    fallsWith(forestOf(devices), key).map((one) => one.key);

  test('are those behind it, at any depth, without archived ones; none behind a device that is no parent', () => {
    const devices = [
      device('core', INTERNET),
      device('switch', 'core'),
      device('nas', 'core'),
      device('ap', 'switch'),
      device('phone', 'ap'),
      device('old', 'ap', { status: 'archived' }),
    ];
    expect(falling(devices, 'switch').toSorted()).toEqual(['ap', 'phone']);
    expect(falling(devices, 'core').toSorted()).toEqual(['ap', 'nas', 'phone', 'switch']);
    expect([falling(devices, 'nas'), falling(devices, 'gone'), falling(devices, null)]).toEqual([[], [], []]);
  });

  test('of a circle, only those behind it as drawn: the gateway falls with no device of its own network', () => {
    const devices = [
      device('gateway', 'switch', { type: 'Router' }),
      device('switch', 'gateway'),
      device('tv', 'switch'),
    ];
    expect(falling(devices, 'switch')).toEqual(['tv']);
    expect(falling(devices, 'gateway')).toEqual(['switch', 'tv']);
  });

  test('for any parents, circles and islands: no device falls with itself or with one that falls with it, or on another island', () => {
    fc.assert(
      fc.property(arbitraryDevices, (devices) => {
        const forest = forestOf(devices);
        const all = new Map(devices.map(({ key }) => [key, new Set(fallsWith(forest, key).map((one) => one.key))]));
        const islands = forest.roots.map((root) => new Set(keysIn(root)));
        for (const [key, fall] of all) {
          expect(fall.has(key)).toBe(false);
          const island = islands.find((one) => one.has(key));
          for (const other of fall) {
            expect(all.get(other)?.has(key)).toBe(false);
            expect(island?.has(other)).toBe(true);
            for (const behind of all.get(other) ?? []) expect(fall.has(behind)).toBe(true);
          }
        }
      }),
    );
  });

  test('without circles, they are the devices whose parents lead to it', () => {
    const trees = fc.array(fc.nat(30), { maxLength: 30 });
    fc.assert(
      fc.property(trees, (parents) => {
        const devices = parents.map((parent, at) => device(`d${at}`, parent < at ? `d${parent}` : ''));
        const byKey = new Map(devices.map((one) => [one.key, one]));
        const leadsTo = (from: string, key: string): boolean => {
          const { parent = '' } = byKey.get(from) ?? {};
          return parent !== '' && (parent === key || leadsTo(parent, key));
        };
        for (const { key } of devices) {
          const expected = devices.filter((one) => leadsTo(one.key, key)).map((one) => one.key);
          expect(falling(devices, key).toSorted()).toEqual(expected.toSorted());
        }
      }),
    );
  });
});

function keysIn({ key, leaves, branches }: Branch): string[] {
  return [key, ...leaves.map((leaf) => leaf.key), ...branches.flatMap(keysIn)];
}

test('archived devices are left out, unless they are a parent', () => {
  const status = 'archived';
  const devices = [
    device('old', '', { status }),
    device('sw', 'up', { status }),
    device('up', '', { status }),
    device('nas', 'sw'),
  ];
  expect(inUse(devices).map(({ key }) => key)).toEqual(['sw', 'up', 'nas']);
});
