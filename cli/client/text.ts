/** Formats answers as text: tables, and lists of fields. On a terminal for people, elsewhere for programs. */
import { oneLine, printable } from '../../shared/text.ts';
import { relativeTime } from './relative-time.ts';

/** How a text is to look. */
interface Look {
  isColored: boolean;
  /** Times as people say them. Otherwise ISO 8601. */
  isRelative: boolean;
  /** How many characters the lines of a table may have; absent where no person reads them. */
  width?: number;
}

export const PLAIN: Look = { isColored: false, isRelative: false };

/** A value that looks otherwise on a terminal. */
interface Value {
  kind: 'time' | 'state' | 'muted' | 'alert' | 'news';
  text: string;
}
export type Cell = string | number | Value | readonly Cell[];

/** @param none what stands there without a time */
export function time(at: string | null | undefined, none = '-'): Cell {
  return at ? { kind: 'time', text: isoOf(at) } : none;
}

/** The state of something, in the colour that it has where its first word is one that is known. */
export const state = (text: string): Cell => ({ kind: 'state', text });

/** What is there for programs, such as ids. */
export const muted = (text: string): Cell => ({ kind: 'muted', text });

/** What needs attention. */
export const alert = (text: string): Cell => ({ kind: 'alert', text });

/** What is new. */
export const news = (text: string): Cell => ({ kind: 'news', text });

interface Table {
  headings: readonly string[];
  /** How many of the last columns are hidden unless `--columns` names them. */
  more: number;
  rows: readonly (readonly Cell[])[];
}
export interface Fields {
  fields: Readonly<Record<string, Cell | null | undefined>>;
}
interface Line {
  line: readonly Cell[];
}
export type Text = string | Table | Fields | Line | readonly Text[];

/**
 * Columns under their headings, one row per line. Line breaks in cells are replaced.
 * @param more how many of the last columns are hidden unless `--columns` names them
 */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[], more = 0): Table {
  return { headings, rows, more };
}

/** One field per line: its name and its value; none for a field without a value. */
export function fields(values: Fields['fields']): Fields {
  return { fields: values };
}

/** A row without its table, for output that continues until Ctrl-C. */
export function line(cells: readonly Cell[]): Line {
  return { line: cells };
}

/** Cells in one, with a text between them. */
export function joined(cells: readonly Cell[], between: string): Cell {
  return cells.flatMap((cell, i) => (i === 0 ? [cell] : [between, cell]));
}

/** Adds a final line end, unless the text is empty. */
export function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** @param columns headings of the columns that are wanted, in their order; null for all */
export function render(text: Text, look: Look, columns: readonly string[] | null = null): string {
  if (typeof text === 'string') return printable(text);
  if (isList(text)) return text.map((part) => render(part, look, columns)).join('');
  if ('fields' in text) return renderFields(text, look);
  if ('line' in text) return renderLine(text.line.map((cell) => shown(cell, look)));
  return renderTable(columns === null ? withUsualColumns(text) : withColumns(text, columns), look);
}

/** The headings of the tables in a text. */
export function headingsOf(text: Text): string[] {
  if (typeof text === 'string') return [];
  if (isList(text)) return text.flatMap(headingsOf);
  return 'headings' in text ? [...text.headings] : [];
}

export const columnName = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

/** Without narrowing, which does not know lists that cannot be changed. */
function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function withUsualColumns({ headings, rows, more }: Table): Table {
  if (more === 0) return { headings, rows, more };
  const count = headings.length - more;
  return { headings: headings.slice(0, count), rows: rows.map((cells) => cells.slice(0, count)), more: 0 };
}

function withColumns({ headings, rows }: Table, wanted: readonly string[]): Table {
  const places = wanted
    .map((name) => headings.findIndex((heading) => columnName(heading) === name))
    .filter((i) => i >= 0);
  const chosen = <T>(cells: readonly T[]) => places.map((i) => cells[i]!);
  return { headings: chosen(headings), rows: rows.map(chosen), more: 0 };
}

function renderTable({ headings, rows }: Table, look: Look): string {
  const whole = rows.map((cells) => cells.map((cell) => shown(cell, look)));
  const heads = headings.map((heading) => shown(heading, look));
  const wanted = heads.map((head, i) => whole.reduce((width, cells) => Math.max(width, cells[i]!.length), head.length));
  const widths = look.width === undefined ? wanted : fitted(wanted, heads, look.width);
  const lines = rows.map((cells, row) =>
    cells.map((cell, i) => {
      const text = whole[row]![i]!;
      return text.length > widths[i]! ? shown(cut(cell, widths[i]!, look), look) : text;
    }),
  );
  const head = renderLine(heads, widths);
  const bold = look.isColored ? `${BOLD}${head.trimEnd()}${RESET}\n` : head;
  return [bold, ...lines.map((cells) => renderLine(cells, widths))].join('');
}

const GAP = 2;
/** What a cut column keeps: a whole address of IPv4 or MAC, and enough of a name to know it by. */
const LEAST = 17;

/** As wide as the texts, or narrower, so that a line has so many characters: the widest columns give way first. */
function fitted(wanted: readonly number[], heads: readonly Shown[], most: number): number[] {
  const widths = [...wanted];
  let over = widths.reduce((sum, width) => sum + width + GAP, -GAP) - most;
  while (over > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= Math.max(LEAST, heads[widest]!.length)) break;
    widths[widest]!--;
    over--;
  }
  return widths;
}

/** The beginning of a cell, with an ellipsis. */
function cut(cell: Cell, width: number, look: Look): Cell {
  if (!isList(cell)) {
    const { text } = shown(cell, { ...look, isColored: false });
    const begin = `${[...text].slice(0, width - 1).join('')}…`;
    return typeof cell !== 'object' || cell.kind === 'time' ? begin : { kind: cell.kind, text: begin };
  }
  let left = width;
  return cell.flatMap((part) => {
    const { length } = shown(part, look);
    const room = left;
    left -= length;
    if (room <= 0) return [];
    return left > 0 || (left === 0 && part === cell.at(-1)) ? [part] : [cut(part, room, look)];
  });
}

function renderFields({ fields: values }: Fields, look: Look): string {
  const lines = Object.entries(values).flatMap(([name, cell]) =>
    cell === null || cell === undefined ? [] : [[shown(name, look), shown(cell, look)]],
  );
  const width = Math.max(0, ...lines.map(([name]) => name!.length));
  return lines.map((cells) => renderLine(cells, [width, 0])).join('');
}

interface Shown {
  text: string;
  /** Characters on the screen. */
  length: number;
}

function renderLine(cells: readonly Shown[], widths: readonly number[] = []): string {
  const last = cells.findLastIndex(({ length }) => length > 0);
  const padded = cells
    .slice(0, last + 1)
    .map(({ text, length }, i) => (i === last ? text : text + ' '.repeat(Math.max(0, (widths[i] ?? 0) - length))));
  return `${padded.join('  ').replace(/ +$/, '')}\n`;
}

function shown(cell: Cell, look: Look): Shown {
  if (isList(cell)) {
    const parts = cell.map((part) => shown(part, look));
    return { text: parts.map(({ text }) => text).join(''), length: parts.reduce((sum, { length }) => sum + length, 0) };
  }
  const { kind = 'plain', text: known } = typeof cell === 'object' ? cell : { text: String(cell) };
  const text = oneLine(kind === 'time' && look.isRelative ? relativeTime(known) : known);
  const color = look.isColored ? colorOf(kind, text) : '';
  return { text: color === '' ? text : `${color}${text}${RESET}`, length: [...text].length };
}

const BOLD = '\x1b[1m';
const DIM = '\x1b[2m';
const RED = '\x1b[31m';
const GREEN = '\x1b[32m';
const YELLOW = '\x1b[33m';
const MAGENTA = '\x1b[35m';
const RESET = '\x1b[0m';

const STATES = [
  { color: GREEN, words: ['online', 'up', 'succeeded', 'delivered', 'done', 'on', 'enabled'] },
  { color: RED, words: ['down', 'failed', 'lost', 'dead', 'expired', 'failing', 'stopped'] },
  { color: YELLOW, words: ['running', 'queued', 'accepted', 'pending', 'draining', 'interrupted'] },
  { color: DIM, words: ['offline', 'archived', 'unknown', 'paused', 'off', 'disabled', 'cancelled'] },
];
const KINDS: Readonly<Record<string, string>> = { muted: DIM, alert: RED, news: MAGENTA };

function colorOf(kind: string, text: string): string {
  if (kind !== 'state') return KINDS[kind] ?? '';
  const [word = ''] = /^[a-z]+/.exec(text) ?? [];
  return STATES.find(({ words }) => words.includes(word))?.color ?? '';
}

/** Devices have times without a zone, which are UTC. */
function isoOf(at: string): string {
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(at) ? `${at.replace(' ', 'T')}Z` : at;
}
