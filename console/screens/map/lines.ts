/** Lines with right angles and round corners. */

/** Where a line goes next: along to an `x`, or up or down to a `y`. */
export type Bend = { x: number } | { y: number };

const RADIUS = 6;

/** @param bends alternately along and up or down; those without length are skipped */
export function orthogonal(start: { x: number; y: number }, bends: readonly Bend[]): string {
  const points = [start];
  for (const bend of bends) {
    const last = points.at(-1) ?? start;
    const next = { ...last, ...bend };
    if (next.x === last.x && next.y === last.y) continue;
    const before = points.at(-2);
    const isStraight =
      before !== undefined &&
      ((before.x === last.x && last.x === next.x) || (before.y === last.y && last.y === next.y));
    if (isStraight) points[points.length - 1] = next;
    else points.push(next);
  }
  const parts = [`M${start.x} ${start.y}`];
  for (const [index, point] of points.entries()) {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (before === undefined) continue;
    const radius = after === undefined ? 0 : Math.min(RADIUS, lengthOf(before, point) / 2, lengthOf(point, after) / 2);
    const near = towards(point, before, radius);
    parts.push(`L${near.x} ${near.y}`);
    if (after === undefined) continue;
    const far = towards(point, after, radius);
    parts.push(`Q${point.x} ${point.y} ${far.x} ${far.y}`);
  }
  return parts.join('');
}

type Point = { x: number; y: number };

const lengthOf = (a: Point, b: Point): number => Math.abs(a.x - b.x) + Math.abs(a.y - b.y);

function towards(from: Point, to: Point, by: number): Point {
  return { x: from.x + Math.sign(to.x - from.x) * by, y: from.y + Math.sign(to.y - from.y) * by };
}
