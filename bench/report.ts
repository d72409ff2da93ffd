/** Formats figures as a table for the terminal, as Markdown, and as JSON. */
import * as z from 'zod';
import type { Sample } from './sampling.ts';

/** One measurement, or why it was skipped. */
export const Figure = z.object({
  name: z.string(),
  unit: z.enum(['ms', 's', 'KB', 'MB', 'count', 'USD']),
  /** Largest acceptable value; null for a figure without a goal. */
  goal: z.number().nullable(),
  /** The median of several measurements, or the only one; null when it was skipped. */
  value: z.number().nullable(),
  p99: z.number().nullable(),
  /** How often it was measured. */
  samples: z.int(),
  /** Why it could not be measured. */
  skipped: z.string().nullable(),
});
export type Figure = z.infer<typeof Figure>;

export function figure(name: string, unit: Figure['unit'], goal: number | null, { p50, p99, count }: Sample): Figure {
  return { name, unit, goal, value: p50, p99, samples: count, skipped: null };
}

export function sizeFigure(name: string, goal: number | null, kb: number): Figure {
  return { name, unit: 'KB', goal, value: kb, p99: null, samples: 1, skipped: null };
}

export function memoryFigure(name: string, goal: number, mb: number): Figure {
  return { name, unit: 'MB', goal, value: mb, p99: null, samples: 1, skipped: null };
}

export function countFigure(name: string, goal: number | null, count: number): Figure {
  return { name, unit: 'count', goal, value: count, p99: null, samples: 1, skipped: null };
}

export function dollarFigure(name: string, dollars: number): Figure {
  return { name, unit: 'USD', goal: null, value: dollars, p99: null, samples: 1, skipped: null };
}

export function skippedFigure(name: string, goal: number | null, reason: string): Figure {
  return { name, unit: 'ms', goal, value: null, p99: null, samples: 0, skipped: reason };
}

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
});
export type Report = z.infer<typeof Report>;
type Machine = Report['machine'];

const HEADINGS = ['figure', 'goal', 'measured', 'p99', ''];
/** Numbers are right-aligned. */
const ON_THE_RIGHT = [false, true, true, true, false];

export function textTable(figures: readonly Figure[]): string {
  return aligned([HEADINGS, ...figures.map(cells)])
    .map((row) => `${row.join('  ').trimEnd()}\n`)
    .join('');
}

/** With padded columns, as the project's formatter writes them. */
export function markdownTable(figures: readonly Figure[]): string {
  const [headings = [], ...rows] = aligned([HEADINGS, ...figures.map(cells)]);
  const rule = headings.map(({ length }, column) =>
    ON_THE_RIGHT[column] ? `${'-'.repeat(length - 1)}:` : '-'.repeat(length),
  );
  return [headings, rule, ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

function aligned(rows: readonly string[][]): string[][] {
  // A separator in Markdown has at least three characters.
  const widths = HEADINGS.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row.map((cell, i) => (ON_THE_RIGHT[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))),
  );
}

export function machineText({ date, cpu, cores, memoryGb, os, node, loadBefore, isolated }: Machine): string {
  const where = isolated ? 'in a network namespace of its own' : 'without a network namespace';
  return `${date}, ${cores} × ${cpu}, ${memoryGb} GB, ${os}, Node ${node}, load ${loadBefore}, ${where}`;
}

/** Whether every figure that was measured meets its goal. */
export function allReached(figures: readonly Figure[]): boolean {
  return figures.every((figure) => verdict(figure) !== 'over');
}

function cells(figure: Figure): string[] {
  const { name, unit, goal, value, p99, samples, skipped } = figure;
  if (value === null) return [name, goalText(figure), 'skipped', '', skipped ?? ''];
  return [
    name,
    goal === null ? '' : goalText(figure),
    unit === 'count' ? rounded(value) : `${rounded(value)} ${unit}`,
    worst(p99, samples),
    verdict(figure),
  ];
}

function goalText({ goal, unit }: Figure): string {
  return goal === null ? '' : unit === 'count' ? `≤ ${goal}` : `≤ ${goal} ${unit}`;
}

/** A single measurement has no percentile. */
function worst(p99: number | null, samples: number): string {
  return p99 === null || samples < 2 ? '' : rounded(p99);
}

function verdict({ goal, value }: Figure): '' | 'ok' | 'over' {
  if (goal === null || value === null) return '';
  return value <= goal ? 'ok' : 'over';
}

/** Three significant digits. */
function rounded(value: number): string {
  const digits = Math.abs(value) >= 100 || value === 0 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}
