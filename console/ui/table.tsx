/**
 * A plain table for lists of some hundred rows. Devices have one of their own. The roles are said once more, because
 * browsers forget them where the style makes cards of the rows, in a narrow window.
 */
import type { ReactNode } from 'react';
import styles from './table.module.css';

export interface Column<Row> {
  heading: string;
  cell: (row: Row) => ReactNode;
}

interface Props<Row> {
  /** What the table is about, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** In a narrow window, the cells of a row follow each other in one line, without their headings. */
  isInLine?: boolean;
}

const TABLE = { role: 'table' };
const GROUP = { role: 'rowgroup' };
const ROW = { role: 'row' };
const HEADER = { role: 'columnheader' };
const CELL = { role: 'cell' };

export function Table<Row>({ label, columns, rows, keyOf, isInLine = false }: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section className="card overflow-x-auto" tabIndex={0} aria-label={label}>
      <table
        // Links are as high as a finger or an unsteady hand needs it (WCAG 2.5.8).
        className={`${styles.table} max-700:[&_thead]:unseen w-full border-collapse text-sm leading-[1.3] max-700:block [&_a]:inline-block [&_a]:py-1 [&_time]:whitespace-nowrap max-700:[&_tbody]:block ${isInLine ? styles.inLine : ''}`}
        {...TABLE}
      >
        <thead {...GROUP}>
          <tr {...ROW}>
            {columns.map(({ heading }) => (
              <th key={heading} scope="col" {...HEADER}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...GROUP}>
          {rows.map((row) => (
            <tr key={keyOf(row)} {...ROW}>
              {columns.map(({ heading, cell }) => (
                <td key={heading} data-heading={heading} {...CELL}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
