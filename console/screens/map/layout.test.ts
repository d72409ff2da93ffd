import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryDevices, device } from '../../../test/support/console/devices.ts';
import { lanesOf } from './lanes.ts';
import { type Box, boxOf, cellBox, fittingScale, keysOf, type Look, layoutOf } from './layout.ts';
import { forestOf, INTERNET, type TopologyDevice } from './tree.ts';
import { viewOf } from './view.ts';

const unchanged = { toggled: new Map(), isDownOnly: false, found: null };
/** Every card is open, however many devices there are. */
const allOpen = (devices: readonly TopologyDevice[]) => ({
  ...unchanged,
  toggled: new Map(['', INTERNET, ...devices.map(({ key }) => key)].map((key) => [key, true])),
});
const frame = { width: 1100, height: 680 };
const drawingOf = (devices: readonly TopologyDevice[], look: Partial<Look> = {}) =>
  layoutOf(viewOf(forestOf(devices), allOpen(devices)).roots, { frame, ...look });

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function within(inner: Box, { x, y, width, height }: Box): boolean {
  return inner.x >= x && inner.y >= y && inner.x + inner.width <= x + width && inner.y + inner.height <= y + height;
}

/** Trees with cards of all sizes. */
const arbitraryTrees = fc
  .array(fc.record({ parent: fc.nat(60), leaves: fc.oneof(fc.nat(15), fc.nat(90)) }), { minLength: 1, maxLength: 25 })
  .map((cards) =>
    cards.flatMap(({ parent, leaves }, index) => [
      device(`s${index}`, parent < index ? `s${parent}` : ''),
      ...Array.from({ length: leaves }, (_, leaf) => device(`s${index}-${leaf}`, `s${index}`)),
    ]),
  );

const arbitraryLook = fc.record({
  frame: fc.record({ width: fc.integer({ min: 300, max: 3_000 }), height: fc.integer({ min: 300, max: 2_000 }) }),
});

test('no two cards overlap, and all are on the drawing', () => {
  fc.assert(
    fc.property(fc.oneof(arbitraryDevices, arbitraryTrees), arbitraryLook, (devices, look) => {
      const { cards, width, height } = drawingOf(devices, look);
      for (const [index, card] of cards.entries()) {
        expect(within(card, { x: 0, y: 0, width, height })).toBe(true);
        for (const other of cards.slice(index + 1)) expect(overlap(card, other)).toBe(false);
      }
    }),
  );
});

test('every device is drawn exactly once, in its card and over no other', () => {
  fc.assert(
    fc.property(fc.oneof(arbitraryDevices, arbitraryTrees), arbitraryLook, (devices, look) => {
      const layout = drawingOf(devices, look);
      const real = new Set(devices.map(({ key }) => key));
      expect(
        keysOf(layout)
          .filter((key) => real.has(key))
          .toSorted(),
      ).toEqual([...real].toSorted());
      for (const card of layout.cards) {
        const boxes = card.card.leaves.map((_, index) => cellBox(card, index));
        for (const [index, box] of boxes.entries()) {
          expect(within(box, card)).toBe(true);
          const next = boxes[index + 1];
          if (next !== undefined) expect(overlap(box, next)).toBe(false);
        }
      }
    }),
    { numRuns: 25 },
  );
});

test('a card with hundreds of named devices is no strip', () => {
  const devices = [device('ap'), ...Array.from({ length: 400 }, (_, at) => device(`d${at}`, 'ap'))];
  const [{ width, height } = { width: 0, height: 1 }] = drawingOf(devices).cards;
  expect(width / height).toBeGreaterThan(0.6);
  expect(width / height).toBeLessThan(1.7);
});

test('a parent stands left of its children; a line with its port leads from head to head, red only to a device that is down', () => {
  const layout = drawingOf([
    device('core'),
    device('ap', 'core', { parentPort: '7' }),
    device('phone', 'ap', { status: 'down' }),
    device('broken', 'ap', { status: 'down' }),
    device('tv', 'broken'),
  ]);
  const [core, ap] = ['core', 'ap'].map((key) => boxOf(layout, key));
  expect((core?.x ?? 0) + (core?.width ?? 0)).toBeLessThan(ap?.x ?? 0);
  expect(layout.links.map(({ key, port, isDown }) => [key, port, isDown])).toEqual([
    ['ap', '7', false],
    ['broken', '', true],
  ]);
});

test('no line crosses a card', () => {
  fc.assert(
    fc.property(fc.oneof(arbitraryDevices, arbitraryTrees), arbitraryLook, (devices, look) => {
      const { cards, links } = drawingOf(devices, look);
      const points = links.flatMap(({ path }) => {
        let [x, y] = [0, 0];
        return [...path.matchAll(/([MHV])(-?[\d.]+)(?: (-?[\d.]+))?/g)].map(([, command, first, second]) => {
          if (command !== 'V') x = Number(first);
          if (command !== 'H') y = Number(command === 'V' ? first : second);
          return [x, y];
        });
      });
      for (const [x = 0, y = 0] of points) {
        const inside = cards.some(
          (card) => x > card.x && x < card.x + card.width && y > card.y && y < card.y + card.height,
        );
        expect(inside).toBe(false);
      }
    }),
    { numRuns: 30 },
  );
});

/** A router, a core switch, 14 switches on it, and devices on all of these. */
function officeOf(size: number): TopologyDevice[] {
  const switches = Array.from({ length: 14 }, (_, at) => device(`s${at}`, 'core'));
  const others = Array.from({ length: size - 16 }, (_, at) => device(`d${at}`, `s${at % 14}`));
  return [device('router', INTERNET), device('core', 'router'), ...switches, ...others];
}

test('60 devices can be read on a usual screen as they are drawn first, and so can the cards of 2,000', () => {
  for (const size of [60, 2_000]) {
    const { roots } = viewOf(forestOf(officeOf(size)), unchanged);
    expect(fittingScale(layoutOf(roots, { frame }), frame)).toBeGreaterThan(0.65);
  }
});

test('networks stand as bands below each other, all of the same width', () => {
  const devices = Array.from({ length: 90 }, (_, at) => device(`d${at}`, '', { ip: `10.0.${at % 3}.${at}` }));
  const view = viewOf(lanesOf(devices, []), unchanged);
  const { cards, links } = layoutOf(view.roots, { frame, areBands: true });
  expect(cards.map(({ card }) => card.leaves.length)).toEqual([30, 30, 30]);
  expect(new Set(cards.map(({ x, width }) => `${x} ${width}`)).size).toBe(1);
  expect([
    links,
    cards.every((card, at) => !overlap(card, cards[at + 1] ?? { x: 0, y: 0, width: 0, height: 0 })),
  ]).toEqual([[], true]);
});

test('a chain of a thousand devices, and a drawing of nothing', () => {
  const chain = Array.from({ length: 1_000 }, (_, at) => device(`d${at}`, at === 0 ? '' : `d${at - 1}`));
  expect(drawingOf(chain).cards.length).toBe(999);
  expect(drawingOf([]).cards).toEqual([]);
});
