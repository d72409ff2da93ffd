import { describe, expect, test } from 'vitest';
import { device } from '../../../test/support/console/devices.ts';
import { forestOf } from './tree.ts';
import { type Card, MAX_CARDS, MAX_LEAVES, search, viewOf } from './view.ts';

const LAN = [
  device('core'),
  device('nas', 'core'),
  device('ap', 'core'),
  device('phone', 'ap', { status: 'down' }),
  device('lamp', 'ap'),
  device('switch', 'core'),
  device('tv', 'switch'),
];
const nothing = { toggled: new Map<string, boolean>(), isDownOnly: false, found: null };

function drawn({ branch, leaves, cards }: Card): string {
  return `${branch.key}(${[...leaves.map(({ key }) => key), ...cards.map(drawn)].join(', ')})`;
}

const view = (wanted: Partial<Parameters<typeof viewOf>[1]>, devices = LAN) =>
  viewOf(forestOf(devices), { ...nothing, ...wanted });

describe('what is drawn', () => {
  test('a card counts everything behind it, open or closed', () => {
    const counted = { devices: 6, down: 1 };
    const { roots } = view({ toggled: new Map([['ap', false]]) });
    expect(roots.map(drawn)).toEqual(['core(nas, ap(), switch(tv))']);
    const closed = view({ toggled: new Map([['core', false]]) }).roots[0];
    expect([closed?.branch.counts, view({}).roots[0]?.branch.counts]).toEqual([counted, counted]);
  });

  test('down only: devices that are down and their ancestors', () => {
    expect(view({ isDownOnly: true }).roots.map(drawn)).toEqual(['core(ap(phone))']);
    expect(view({ isDownOnly: true }, [device('a')]).roots).toEqual([]);
  });

  test('a search opens the ancestors of its matches', () => {
    const toggled = new Map([
      ['core', false],
      ['switch', false],
    ]);
    expect(view({ toggled }).roots.map(drawn)).toEqual(['core()']);
    expect(view({ toggled, found: new Set(['phone']) }).roots.map(drawn)).toEqual([
      'core(nas, ap(lamp, phone), switch())',
    ]);
  });

  test('of too many devices only the cards are drawn, and the matches of a search', () => {
    const many = [device('core'), ...Array.from({ length: MAX_LEAVES + 1 }, (_, at) => device(`d${at}`, 'core'))];
    many.push(device('broken', 'core', { status: 'down' }));
    expect(view({}, many)).toMatchObject({
      isCountsOnly: true,
      roots: [{ leaves: [], branch: { counts: { down: 1 } } }],
    });
    expect(view({ isDownOnly: true }, many).roots.map(drawn)).toEqual(['core(broken)']);
    expect(view({ found: new Set(['d7']) }, many).roots.map(drawn)).toEqual(['core(d7)']);
  });

  test('of too many cards the furthest begin closed, and trees beyond the limit appear in a search', () => {
    const pairs = Array.from({ length: MAX_CARDS + 10 }, (_, at) => [
      device(`p${at}`),
      device(`c${at}`, `p${at}`),
    ]).flat();
    const { roots, treesLeftOut } = view({}, pairs);
    expect([roots.length, treesLeftOut]).toEqual([MAX_CARDS, 10]);
    expect(view({ found: new Set([`c${MAX_CARDS + 9}`]) }, pairs).roots[0]?.branch.key).toBe(`p${MAX_CARDS + 9}`);
    const star = [
      device('core'),
      ...Array.from({ length: MAX_CARDS }, (_, at) => [device(`s${at}`, 'core'), device(`l${at}`, `s${at}`)]).flat(),
    ];
    expect(view({}, star).roots.map(drawn)).toEqual(['core()']);
    expect(view({ toggled: new Map([['core', true]]) }, star).roots[0]?.cards.length).toBe(MAX_CARDS);
  });
});

describe('search', () => {
  const devices = [
    device('00:1E:06:AA:BB:01', '', { name: 'NAS-ab', ip: '192.168.1.20' }),
    device('00:1E:06:AA:BB:02', '', { name: 'Drucker', ip: 'fd00::2' }),
  ];
  test.each([
    ['nas', 1],
    ['192.168.1.2', 1],
    ['fd00::2', 1],
    ['001e.06aa.bb02', 1],
    ['00-1e-06', 2],
    ['aabb', 0],
    ['001E06aabb', 2],
    ['ab', 1],
    ['x', 0],
  ])('%j finds %d', (text, count) => expect(search(devices, text)?.size).toBe(count));

  test('without a text there is no search', () => expect(search(devices, '  ')).toBeNull());
});
