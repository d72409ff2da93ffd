import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryDevices, device } from '../../../test/support/console/devices.ts';
import { type Branch, forestOf, INTERNET, inUse, withAllBehind } from './tree.ts';

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
        expect(roots.reduce((sum, { all }) => sum + all.devices, 0) + real.length).toBe(devices.length);
        expect(roots.reduce((sum, { all }) => sum + all.down, 0) + downRoots).toBe(down);
      }),
    );
  });

  test('a chain of 20,000 devices is no problem', () => {
    const chain = Array.from({ length: 20_000 }, (_, at) => device(`d${at}`, at === 0 ? '' : `d${at - 1}`));
    expect(forestOf(chain).roots[0]?.all.devices).toBe(19_999);
  });
});

test('none of a device and its descendants can be its parent', () => {
  const devices = [device('a', 'c'), device('b', 'a'), device('c', 'b'), device('x', 'c'), device('y')];
  expect([...withAllBehind(devices, 'b')].toSorted()).toEqual(['a', 'b', 'c', 'x']);
  expect([...withAllBehind(devices, 'y')]).toEqual(['y']);
});

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
