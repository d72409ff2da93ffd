/** Formats answers as text: tables, and lists of fields. */
import { oneLine } from '../../shared/text.ts';

/** Columns under their headings, separated by two blanks, one row per line. Line breaks in cells are replaced. */
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

/** One field per line: its name, two blanks, its value. */
export function fields(values: Record<string, string>): string {
  const width = Math.max(...Object.keys(values).map(lengthOf));
  return Object.entries(values)
    .map(([name, value]) => `${pad(name, width)}  ${oneLine(value)}`.trimEnd().concat('\n'))
    .join('');
}

/** Adds a final line end, unless the text is empty. */
export function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function lengthOf(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - lengthOf(text));
}
