/** Answers as text for people: tables, and lists of fields. */
import { oneLine } from '../../shared/text.ts';

/** Columns under their headings, two blanks apart, with a line end after each row. Every cell stays on its line. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((cells) => cells.map(oneLine));
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => lengthOf(cells[column] ?? ''))));
  return lines
    .map(
      (cells) =>
        `${cells
          .map((cell, i) => pad(cell, widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** One field a line: its name, two blanks, its value. */
export function fields(values: Record<string, string>): string {
  const width = Math.max(...Object.keys(values).map(lengthOf));
  return Object.entries(values)
    .map(([name, value]) => `${pad(name, width)}  ${oneLine(value)}`.trimEnd().concat('\n'))
    .join('');
}

/** A text that ends its last line, as a terminal wants it; of nothing, nothing. */
export function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** One word of a shell's command line. */
export function shellWord(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function lengthOf(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - lengthOf(text));
}
