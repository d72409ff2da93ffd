/** Figures as a table for the terminal, as Markdown, and as JSON. */
import * as z from 'zod';

/** One thing that was measured, or why it was not. */
export const Figure = z.object({
  name: z.string(),
  unit: z.enum(['ms', 's', 'MB']),
  /** Largest value that is good enough; null for a figure that is only shown. */
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

export const Report = z.object({
  machine: z.object({
    date: z.string(),
    cpu: z.string(),
    cores: z.int(),
    memoryGb: z.number(),
    os: z.string(),
    node: z.string(),
    /** Processes that wanted to run, averaged over the minute before the start: other work spoils the figures. */
    loadBefore: z.number(),
    /** Whether everything ran in a network namespace without a way out. */
    isolated: z.boolean(),
  }),
  figures: z.array(Figure),
});
export type Report = z.infer<typeof Report>;
type Machine = Report['machine'];

const HEADINGS = ['figure', 'goal', 'measured', 'p99', ''];

export function textTable(figures: readonly Figure[]): string {
  const rows = [HEADINGS, ...figures.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    row.map((cell, i) => (i === 0 || i === 4 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

export function markdownTable(figures: readonly Figure[]): string {
  const rows = [HEADINGS, ['---', '---:', '---:', '---:', '---'], ...figures.map(cells)];
  return rows.map((row) => `| ${row.join(' | ')} |\n`).join('');
}

export function machineText({ date, cpu, cores, memoryGb, os, node, loadBefore, isolated }: Machine): string {
  const where = isolated ? 'in a network namespace of its own' : 'without a network namespace';
  return `${date}, ${cores} × ${cpu}, ${memoryGb} GB, ${os}, Node ${node}, load ${loadBefore}, ${where}`;
}

/** Whether every figure that was measured reaches its goal. */
export function allReached(figures: readonly Figure[]): boolean {
  return figures.every((figure) => verdict(figure) !== 'over');
}

function cells(figure: Figure): string[] {
  const { name, unit, goal, value, p99, samples, skipped } = figure;
  if (value === null) return [name, goalText(figure), 'skipped', '', skipped ?? ''];
  return [
    name,
    goal === null ? '' : goalText(figure),
    `${rounded(value)} ${unit}`,
    worst(p99, samples),
    verdict(figure),
  ];
}

function goalText({ goal, unit }: Figure): string {
  return goal === null ? '' : `≤ ${goal} ${unit}`;
}

/** Of a single measurement there is no distribution to speak of. */
function worst(p99: number | null, samples: number): string {
  return p99 === null || samples < 2 ? '' : rounded(p99);
}

function verdict({ goal, value }: Figure): '' | 'ok' | 'over' {
  if (goal === null || value === null) return '';
  return value <= goal ? 'ok' : 'over';
}

/** Three digits that count. */
function rounded(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}
