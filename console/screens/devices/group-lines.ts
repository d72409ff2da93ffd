/** The lines of the list: devices, with a heading above each group. */
import { type Grouping, groupOf } from '../../../shared/device-groups.ts';
import type { Device } from './device.ts';

export interface GroupLine {
  group: string;
  /** Matching devices, those that are not loaded included; null where there are too many groups to count. */
  count: number | null;
  isCollapsed: boolean;
}

/** A heading, or the index of a shown device. */
type Line = GroupLine | number;

export interface Lines {
  /** Without those of groups that are collapsed. */
  shown: readonly Device[];
  /** Null: one for each device. */
  lines: readonly Line[] | null;
}

/**
 * @param rows in the order of their groups
 * @param groups how many devices each has
 */
export function linesOf(
  rows: readonly Device[],
  by: Grouping,
  groups: readonly { value: string; count: number }[],
  collapsed: ReadonlySet<string>,
): Lines {
  // Without new devices there is nothing to set apart.
  if (by === 'new' && rows[0]?.devIsNew !== 1) return { shown: rows, lines: null };
  const counts = new Map(groups.map(({ value, count }) => [value, count]));
  const shown: Device[] = [];
  const lines: Line[] = [];
  let last: string | null = null;
  for (const device of rows) {
    const group = groupOf(by, device);
    if (group !== last) {
      lines.push({ group, count: counts.get(group) ?? null, isCollapsed: collapsed.has(group) });
      last = group;
    }
    if (collapsed.has(group)) continue;
    lines.push(shown.length);
    shown.push(device);
  }
  return { shown, lines };
}
