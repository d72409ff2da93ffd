/** @param rows the first is the head; the first cell of each is aligned to the left, all others to the right */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |\n`;
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [head, rule, ...body].map(line).join('');
}
