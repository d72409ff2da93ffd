/** Formats figures as a table for the terminal, as Markdown, and as JSON. */
import * as z from 'zod';
import type { Sample } from './sampling.ts';

/** One measurement, or why it was skipped. */
export const Figure = z.object({
  name: z.string(),
  unit: z.enum(['ms', 's', 'KB', 'MB', 'count', 'USD', '×', '%', '/s']),
  /** Largest acceptable value, or the least one; null for a figure without a goal. */
  goal: z.number().nullable(),
  /** Whether the goal is the least acceptable value. */
  isLeast: z.boolean().default(false),
  /** The median of several measurements, or the only one; null when it was skipped. */
  value: z.number().nullable(),
  p99: z.number().nullable(),
  /** How often it was measured. */
  samples: z.int(),
  /** Why it could not be measured. */
  skipped: z.string().nullable(),
});
export type Figure = z.infer<typeof Figure>;

/** Largest acceptable value, or the least one as `atLeast` makes it; null for a figure without a goal. */
export type Goal = number | { atLeast: number } | null;

export const atLeast = (value: number): Goal => ({ atLeast: value });

export function figure(name: string, unit: Figure['unit'], goal: Goal, { p50, p99, count }: Sample): Figure {
  return { name, unit, ...goalOf(goal), value: p50, p99, samples: count, skipped: null };
}

export function sizeFigure(name: string, goal: Goal, kb: number): Figure {
  return single(name, 'KB', goal, kb);
}

export function memoryFigure(name: string, goal: Goal, mb: number): Figure {
  return single(name, 'MB', goal, mb);
}

export function countFigure(name: string, goal: Goal, count: number): Figure {
  return single(name, 'count', goal, count);
}

export function dollarFigure(name: string, dollars: number): Figure {
  return single(name, 'USD', null, dollars);
}

export function ratioFigure(name: string, unit: '×' | '%', goal: Goal, ratio: number): Figure {
  return single(name, unit, goal, ratio);
}

/** Of something that happens so many times a second. */
export function rateFigure(name: string, goal: Goal, perSecond: number): Figure {
  return single(name, '/s', goal, perSecond);
}

export function skippedFigure(name: string, goal: Goal, reason: string, unit: Figure['unit'] = 'ms'): Figure {
  return { name, unit, ...goalOf(goal), value: null, p99: null, samples: 0, skipped: reason };
}

function single(name: string, unit: Figure['unit'], goal: Goal, value: number): Figure {
  return { name, unit, ...goalOf(goal), value, p99: null, samples: 1, skipped: null };
}

function goalOf(goal: Goal): Pick<Figure, 'goal' | 'isLeast'> {
  const isLeast = goal !== null && typeof goal === 'object';
  return { goal: isLeast ? goal.atLeast : goal, isLeast };
}

/** A request, measured in the same rounds as its yardstick. */
export const RequestRow = z.object({
  name: z.string(),
  /** With one connection. */
  p50Ms: z.number(),
  p99Ms: z.number(),
  /** With ten connections. */
  perSecond: z.number(),
  /** The p50 as a multiple of that of the yardstick. */
  timesYardstick: z.number(),
  /** Requests a second as a share of those of the yardstick. */
  percentOfYardstick: z.number(),
  /** Processor time of the server for a request, with ten connections. */
  serverCpuMs: z.number(),
  /** That as a multiple of the yardstick's. Other work on the host changes it least of all. */
  timesYardstickCpu: z.number(),
  /** Processor time of the server, with one connection. */
  serverCpuAloneMs: z.number(),
  /** Processor time of the database for a request, with ten connections; null for what has none. */
  engineCpuMs: z.number().nullable(),
});
export type RequestRow = z.infer<typeof RequestRow>;

/** The requests of one run of rounds. */
export const RequestTable = z.object({ title: z.string(), rows: z.array(RequestRow) });
export type RequestTable = z.infer<typeof RequestTable>;

export const Report = z.object({
  machine: z.object({
    date: z.string(),
    cpu: z.string(),
    cores: z.int(),
    memoryGb: z.number(),
    os: z.string(),
    node: z.string(),
    /** Load average over the minute before the start, because other processes affect the figures. */
    loadBefore: z.number(),
    /** Whether everything ran in a network namespace without external connections. */
    isolated: z.boolean(),
  }),
  figures: z.array(Figure),
  requests: z.array(RequestTable).default([]),
});
export type Report = z.infer<typeof Report>;
type Machine = Report['machine'];

/** Cells with headings; `right` says which columns are right-aligned, as numbers are. */
export interface Table {
  headings: readonly string[];
  right: readonly boolean[];
  rows: readonly string[][];
}

export function figuresTable(figures: readonly Figure[]): Table {
  return {
    headings: ['figure', 'goal', 'measured', 'p99', ''],
    right: [false, true, true, true, false],
    rows: figures.map(cells),
  };
}

export function requestsTable({ title, rows }: RequestTable): Table {
  return {
    headings: [title, 'p50 ms', 'p99 ms', '× empty', 'requests/s', '% of empty', 'CPU server', '× empty', 'CPU engine'],
    right: [false, true, true, true, true, true, true, true, true],
    rows: rows.map((row) => [
      row.name,
      rounded(row.p50Ms),
      rounded(row.p99Ms),
      rounded(row.timesYardstick),
      rounded(row.perSecond),
      rounded(row.percentOfYardstick),
      rounded(row.serverCpuMs),
      rounded(row.timesYardstickCpu),
      row.engineCpuMs === null ? '' : rounded(row.engineCpuMs),
    ]),
  };
}

/** Two tables with the same requests side by side, of which the first is the yardstick of the second. */
export function comparisonTable([first, second]: readonly RequestTable[]): Table {
  const titles = [first?.title, second?.title];
  const both = (column: string) => titles.map((title) => `${column}, ${title}`);
  return {
    headings: ['request', ...both('p50 ms'), ...both('requests/s'), '%', ...both('CPU ms'), '%'],
    right: [false, ...Array<boolean>(8).fill(true)],
    rows: (first?.rows ?? []).flatMap((row, i) => {
      const same = second?.rows[i];
      if (same === undefined) return [];
      const rates = [row.perSecond, same.perSecond, same.percentOfYardstick];
      const times = [row.serverCpuMs, same.serverCpuMs, same.timesYardstickCpu * 100];
      return [[row.name, ...[row.p50Ms, same.p50Ms, ...rates, ...times].map(rounded)]];
    }),
  };
}

export function asText(table: Table): string {
  return aligned(table)
    .map((row) => `${row.join('  ').trimEnd()}\n`)
    .join('');
}

/** With padded columns, as the project's formatter writes them. */
export function asMarkdown(table: Table): string {
  const [headings = [], ...rows] = aligned(table);
  const rule = headings.map(({ length }, column) =>
    table.right[column] ? `${'-'.repeat(length - 1)}:` : '-'.repeat(length),
  );
  return [headings, rule, ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

function aligned({ headings, right, rows }: Table): string[][] {
  const all = [[...headings], ...rows];
  // A separator in Markdown has at least three characters.
  const widths = headings.map((_, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, i) => (right[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))));
}

export function machineText({ date, cpu, cores, memoryGb, os, node, loadBefore, isolated }: Machine): string {
  const where = isolated ? 'in a network namespace of its own' : 'without a network namespace';
  return `${date}, ${cores} × ${cpu}, ${memoryGb} GB, ${os}, Node ${node}, load ${loadBefore}, ${where}`;
}

/** Whether every figure with a goal meets it. One that was skipped does not: nobody knows whether it would. */
export function allReached(figures: readonly Figure[]): boolean {
  return figures.every((figure) => figure.goal === null || verdict(figure) === 'ok');
}

function cells(figure: Figure): string[] {
  const { name, unit, value, p99, samples, skipped } = figure;
  if (value === null) return [name, goalText(figure), 'skipped', '', skipped ?? ''];
  return [name, goalText(figure), withUnit(rounded(value), unit), worst(p99, samples), verdict(figure)];
}

function goalText({ goal, isLeast, unit }: Figure): string {
  return goal === null ? '' : `${isLeast ? '≥' : '≤'} ${withUnit(String(goal), unit)}`;
}

function withUnit(number: string, unit: Figure['unit']): string {
  if (unit === 'count') return number;
  return unit === '/s' ? `${number}/s` : `${number} ${unit}`;
}

/** A single measurement has no percentile. */
function worst(p99: number | null, samples: number): string {
  return p99 === null || samples < 2 ? '' : rounded(p99);
}

function verdict({ goal, isLeast, value }: Figure): '' | 'ok' | 'over' | 'under' {
  if (goal === null || value === null) return '';
  if (isLeast) return value >= goal ? 'ok' : 'under';
  return value <= goal ? 'ok' : 'over';
}

/** Three significant digits, and no more than three after the point. */
export function rounded(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 || value === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toFixed(digits);
}
