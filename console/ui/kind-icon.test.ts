import { expect, test } from 'vitest';
import { Kind } from '../../shared/recognition/kinds.ts';
import { KIND_LINES } from './kind-icon.tsx';

test('every kind has an icon of its own', () => {
  expect(Object.keys(KIND_LINES).toSorted()).toEqual(Kind.options.toSorted());
  expect(new Set(Object.values(KIND_LINES)).size).toBe(Kind.options.length);
});

test.each(Kind.options)('the lines of %s stay on the grid of 24', (kind) => {
  const points = pointsOf(KIND_LINES[kind]);
  expect(points.length).toBeGreaterThan(3);
  for (const value of points.flat()) {
    expect(value).toBeGreaterThanOrEqual(0.75);
    expect(value).toBeLessThanOrEqual(23.25);
  }
});

/** The numbers of each command; the last two are its end point. */
const TAKES: Record<string, number> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, a: 7, z: 0 };

/** The end points of a path's commands. An unknown command, or a number too few, gives NaN. */
function pointsOf(path: string): [number, number][] {
  const points: [number, number][] = [];
  let [x, y, startX, startY] = [0, 0, 0, 0];
  for (const [, command = '', numbers = ''] of path.matchAll(/([a-z])([^a-z]*)/gi)) {
    const kind = command.toLowerCase();
    const takes = TAKES[kind] ?? Number.NaN;
    const all = (numbers.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    if (kind === 'z') [x, y] = [startX, startY];
    for (let i = 0; kind !== 'z' && (i === 0 || i < all.length); i += takes) {
      const part = all.slice(i, i + takes);
      const [toX, toY] = part.length === takes ? part.slice(-2) : [Number.NaN, Number.NaN];
      const isRelative = command === kind;
      if (kind === 'h') x = (isRelative ? x : 0) + (part[0] ?? Number.NaN);
      else if (kind === 'v') y = (isRelative ? y : 0) + (part[0] ?? Number.NaN);
      else [x, y] = [(isRelative ? x : 0) + (toX ?? Number.NaN), (isRelative ? y : 0) + (toY ?? Number.NaN)];
      points.push([x, y]);
      if (kind === 'm') [startX, startY] = [x, y];
    }
  }
  return points;
}
