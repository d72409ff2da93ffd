/** One answer of those of several cells. What a cell did not answer is named in it. */
import type { Cell } from './config.ts';

/** The answer of a cell; null when it did not answer, or failed. */
export interface CellAnswer {
  cell: Cell;
  status: number | null;
  text: string;
}

/** The cells that are missing in an answer, by their names, separated by commas. */
export const MISSING_HEADER = 'LanReach-Missing-Cells';

export function mergeLists(answers: readonly CellAnswer[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const { text, status } of answers) {
    if (status === null) continue;
    for (const [name, value] of Object.entries(JSON.parse(text) as Record<string, unknown>)) {
      const before = merged[name];
      merged[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : (before ?? value);
    }
  }
  return withMissing(merged, answers);
}

/** Says which cells are missing, also where unreadable rows are listed. */
export function withMissing(body: Record<string, unknown>, answers: readonly CellAnswer[]): Record<string, unknown> {
  const missing = answers.filter(({ status }) => status === null).map(({ cell }) => cell.name);
  if (missing.length === 0) return body;
  const unreadable = Array.isArray(body.unreadable) ? body.unreadable : [];
  const problems = missing.map((id) => ({
    id,
    problem: 'This cell does not answer at the moment; its sites are missing',
  }));
  return { ...body, unreadable: [...unreadable, ...problems], missingCells: missing };
}

/** Families that several cells have are named once, with the samples of all of them. */
export function mergeMetrics(answers: readonly CellAnswer[]): string {
  const families = new Map<string, { head: Set<string>; samples: string[] }>();
  for (const { text, status } of answers) {
    if (status === null) continue;
    let family = '';
    for (const line of text.split('\n').filter((one) => one !== '' && one !== '# EOF')) {
      const named = /^# (?:HELP|TYPE|UNIT) (\S+)/.exec(line)?.[1];
      family = named ?? family;
      const kept = families.get(family) ?? { head: new Set(), samples: [] };
      families.set(family, kept);
      if (named === undefined) kept.samples.push(line);
      else kept.head.add(line);
    }
  }
  const up = answers.map(({ cell, status }) => `lanreach_cell_up{cell="${cell.name}"} ${status === null ? 0 : 1}`);
  const lines = [...families.values()].flatMap(({ head, samples }) => [...head, ...samples]);
  return `${['# HELP lanreach_cell_up Whether the cell answers.', '# TYPE lanreach_cell_up gauge', ...up, ...lines].join('\n')}\n`;
}

/** Where a list over all cells goes on: in which cell, and there. */
export function readCursor(
  cursor: string | null,
  cells: readonly Cell[],
): { at: number; cursor: string | null } | null {
  if (cursor === null) return { at: 0, cursor: null };
  const split = cursor.indexOf('~');
  const at = cells.findIndex(({ name }) => name === cursor.slice(0, split));
  return split <= 0 || at === -1 ? null : { at, cursor: cursor.slice(split + 1) || null };
}

/** @param next that of the cell; null when it has no more */
export function cursorAfter(at: number, next: string | null, cells: readonly Cell[]): string | null {
  if (next !== null) return `${cells[at]?.name}~${next}`;
  const following = cells[at + 1];
  return following === undefined ? null : `${following.name}~`;
}
