import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Box, boxOf, cellBox, keysOf, layoutOf } from './layout.ts';
import { arbitraryDevices, device } from './testing/devices.ts';
import { forestOf, type TopologyDevice } from './tree.ts';
import { viewOf } from './view.ts';

const everything = { toggled: new Map(), isDownOnly: false, found: null };
const drawingOf = (devices: readonly TopologyDevice[]) => layoutOf(viewOf(forestOf(devices), everything).roots);

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function within(inner: Box, { x, y, width, height }: Box): boolean {
  return inner.x >= x && inner.y >= y && inner.x + inner.width <= x + width && inner.y + inner.height <= y + height;
}

/** Trees with cards of all sizes. */
const arbitraryTrees = fc
  .array(fc.record({ parent: fc.nat(60), leaves: fc.oneof(fc.nat(15), fc.nat(300)) }), { minLength: 1, maxLength: 40 })
  .map((cards) =>
    cards.flatMap(({ parent, leaves }, index) => [
      device(`s${index}`, parent < index ? `s${parent}` : ''),
      ...Array.from({ length: leaves }, (_, leaf) => device(`s${index}-${leaf}`, `s${index}`)),
    ]),
  );

test('no two cards overlap, and all are on the drawing', () => {
  fc.assert(
    fc.property(fc.oneof(arbitraryDevices, arbitraryTrees), (devices) => {
      const { cards, width, height } = drawingOf(devices);
      for (const [index, card] of cards.entries()) {
        expect(within(card, { x: 0, y: 0, width, height })).toBe(true);
        for (const other of cards.slice(index + 1)) expect(overlap(card, other)).toBe(false);
      }
    }),
  );
});

test('every device is drawn exactly once, in its card and over no other', () => {
  fc.assert(
    fc.property(fc.oneof(arbitraryDevices, arbitraryTrees), (devices) => {
      const layout = drawingOf(devices);
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
    { numRuns: 40 },
  );
});

test('a card with hundreds of devices stays compact', () => {
  const devices = [device('ap'), ...Array.from({ length: 400 }, (_, at) => device(`d${at}`, 'ap'))];
  const [card] = drawingOf(devices).cards;
  expect(card?.width).toBeLessThan(760);
  expect(card?.height).toBeLessThan(600);
});

test('a parent stands left of what hangs on it, and a line leads from head to head', () => {
  const layout = drawingOf([device('core'), device('ap', 'core'), device('phone', 'ap')]);
  const [core, ap] = ['core', 'ap'].map((key) => boxOf(layout, key));
  expect((core?.x ?? 0) + (core?.width ?? 0)).toBeLessThan(ap?.x ?? 0);
  expect(layout.links.map(({ key }) => key)).toEqual(['ap']);
});

test('a chain of a thousand devices, and a drawing of nothing', () => {
  const chain = Array.from({ length: 1_000 }, (_, at) => device(`d${at}`, at === 0 ? '' : `d${at - 1}`));
  expect(drawingOf(chain).cards.length).toBe(999);
  expect(drawingOf([]).cards).toEqual([]);
});
