/** The figures that matter, commit by commit. Ratios, because they are about the same on a fast host and on a slow one. */
import * as z from 'zod';
import type { Figure, Report, RequestRow, RequestTable, Table } from './report.ts';
import { rounded } from './report.ts';
import { NAMES } from './requests.ts';

export const History = z.array(
  z.object({
    /** Short hash. */
    commit: z.string(),
    date: z.string(),
    /** Version of Node.js. */
    node: z.string(),
    /** By heading; null where it was not measured. */
    values: z.record(z.string(), z.number().nullable()),
  }),
);
export type History = z.infer<typeof History>;

const SMALL = '10,000 devices';
const LARGE = '100,000 devices';
const CLOUD = "1,000 devices, the cloud's way";

/** Of requests a second with ten connections, as a percentage of the empty route's. */
const SHARES: Record<string, [title: string, name: string]> = {
  totals: [SMALL, NAMES.totals],
  latest: [SMALL, NAMES.latest],
  'list, 304': [SMALL, NAMES.unchanged],
  'by-status': [SMALL, NAMES.byStatus],
  search: [SMALL, NAMES.search],
  list: [SMALL, NAMES.list],
  'list, 100k': [LARGE, NAMES.list],
  'totals, cloud': [CLOUD, NAMES.totals],
};
/** Ratios that are figures already. */
const RATIOS: Record<string, string> = {
  'import, 10k': "import of 10,000 rows: rows/s of the empty route's requests/s",
  interfaces: 'GET /nettools/interfaces: ten in flight, of the bare ip',
  nslookup: 'POST /nettools/nslookup: ten in flight, of the bare look-up',
};
const TIMES: Record<string, [title: string, name: string]> = { 'totals, p50 ×': [SMALL, NAMES.totals] };

const HEADINGS = [...Object.keys(SHARES), ...Object.keys(RATIOS), ...Object.keys(TIMES)];

/** @throws {Error} when the report lacks a figure, because it has been renamed: the history would end without a word */
export function historyEntry({ machine, figures, requests }: Report, commit: string): History[number] {
  const ofRow = (wanted: Record<string, [string, string]>, value: (row: RequestRow) => number) =>
    Object.entries(wanted).map(
      ([heading, [title, name]]) => [heading, threeDigits(value(rowOf(requests, title, name)))] as const,
    );
  const ofFigure = Object.entries(RATIOS).map(([heading, name]) => {
    const { value } = figureOf(figures, name);
    return [heading, value === null ? null : threeDigits(value)] as const;
  });
  const values = Object.fromEntries([
    ...ofRow(SHARES, (row) => row.percentOfYardstick),
    ...ofFigure,
    ...ofRow(TIMES, (row) => row.timesYardstick),
  ]);
  return { commit, date: machine.date, node: machine.node, values };
}

/** With the newest commit at the end. */
export function historyTable(history: History): Table {
  return {
    headings: ['commit', 'date', 'Node', ...HEADINGS],
    right: [false, false, false, ...HEADINGS.map(() => true)],
    rows: history.map(({ commit, date, node, values }) => [
      commit,
      date,
      node,
      ...HEADINGS.map((heading) => {
        const value = values[heading] ?? null;
        return value === null ? '' : rounded(value);
      }),
    ]),
  };
}

function rowOf(tables: readonly RequestTable[], title: string, name: string): RequestRow {
  const row = tables.find((table) => table.title === title)?.rows.find((row) => row.name === name);
  return row ?? missing(`${title}: ${name}`);
}

/** A command that was skipped has one figure, by the name of the command, in place of several. */
function figureOf(figures: readonly Figure[], wanted: string): Figure {
  const isInPlaceOf = ({ name, skipped }: Figure) => skipped !== null && wanted.startsWith(`${name}: `);
  return figures.find(({ name }) => name === wanted) ?? figures.find(isInPlaceOf) ?? missing(wanted);
}

function missing(figure: string): never {
  throw new Error(`The history shows a figure that was not measured; name it in bench/history.ts as it is: ${figure}`);
}

function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}
