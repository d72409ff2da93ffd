/** Figures as tables, in Markdown, which can be read in a terminal as well. */
import type { Sample } from './sampling.ts';

/** Largest acceptable value, or the least one; null for a figure without a goal. */
export type Goal = { atMost: number } | { atLeast: number } | null;

export interface Figure {
  name: string;
  unit: string;
  goal: Goal;
  /** The median of several measurements, or the only one. */
  value: number;
  p99?: number;
  /** The same of the build that this one is compared with. */
  other?: number;
}

/** A request with one connection, and with ten. */
export interface RequestRow {
  name: string;
  p50Ms: number;
  p99Ms: number;
  perSecond: number;
  cpuMs: number;
  /** What this build needs of the other one's, by the rounds that measured both. */
  ratios?: { p50: number; perSecond: number; cpu: number };
}

export interface RequestTable {
  title: string;
  rows: RequestRow[];
}

export interface Report {
  machine: string;
  requests?: RequestTable[];
  figures: Figure[];
}

/** @param samples of this build, and of the one that it is compared with */
export function figure(name: string, unit: string, goal: Goal, [own, other]: readonly Sample[]): Figure {
  if (own === undefined) throw new RangeError(`${name} was not measured`);
  return {
    name,
    unit,
    goal,
    value: own.p50,
    ...(own.p99 === own.p50 ? {} : { p99: own.p99 }),
    ...(other === undefined ? {} : { other: other.p50 }),
  };
}

/** @param values of each build, which were measured once */
export function single(name: string, unit: string, goal: Goal, values: readonly number[]): Figure {
  return figure(
    name,
    unit,
    goal,
    values.map((value) => ({ p50: value, p99: value })),
  );
}

export function markdown({ machine, requests = [], figures }: Report): string {
  const tables = [...requests.map(requestTable), ...(figures.length > 0 ? [figureTable(figures)] : [])];
  return [`${machine}\n`, ...tables].join('\n');
}

function requestTable({ title, rows }: RequestTable): string {
  const isCompared = rows.some(({ ratios }) => ratios !== undefined);
  const headings = [title, 'p50 ms', 'p99 ms', 'requests/s', 'CPU ms'];
  return table(
    isCompared ? [...headings, 'p50 ×', 'requests/s ×', 'CPU ×'] : headings,
    rows.map(({ name, p50Ms, p99Ms, perSecond, cpuMs, ratios }) => {
      const own = [p50Ms, p99Ms, perSecond, cpuMs];
      const compared = ratios === undefined ? [] : [ratios.p50, ratios.perSecond, ratios.cpu];
      return [name, ...[...own, ...compared].map(rounded)];
    }),
  );
}

function figureTable(figures: readonly Figure[]): string {
  const isCompared = figures.some(({ other }) => other !== undefined);
  const headings = ['figure', 'goal', 'measured', 'p99', ''];
  return table(
    isCompared ? [...headings, 'other', '×'] : headings,
    figures.map((one) => {
      const { name, unit, value, p99, other } = one;
      const own = [
        name,
        goalText(one),
        `${rounded(value)} ${unit}`.trimEnd(),
        p99 === undefined ? '' : rounded(p99),
        verdict(one),
      ];
      return other === undefined ? own : [...own, rounded(other), other === 0 ? '' : rounded(value / other)];
    }),
  );
}

function goalText({ goal, unit }: Figure): string {
  if (goal === null) return '';
  return 'atMost' in goal ? `≤ ${goal.atMost} ${unit}` : `≥ ${goal.atLeast} ${unit}`;
}

function verdict({ goal, value }: Figure): '' | 'ok' | 'missed' {
  if (goal === null) return '';
  return ('atMost' in goal ? value <= goal.atMost : value >= goal.atLeast) ? 'ok' : 'missed';
}

/** With padded columns, as the project's formatter writes them; all but the first hold numbers. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows.map((row) => headings.map((_, column) => row[column] ?? ''))];
  // A separator in Markdown has at least three characters.
  const widths = headings.map((_, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)));
  const [head = [], ...body] = all.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))),
  );
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [head, rule, ...body].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

/** Three significant digits, and no more than three after the point. */
export function rounded(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 || value === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toFixed(digits);
}
