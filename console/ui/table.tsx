/** A table for some hundred rows. Explicit roles, because browsers drop them where the style turns rows into cards. */
import type { ReactNode } from 'react';
import styles from './table.module.css';

export interface Column<Row> {
  heading: string;
  cell: (row: Row) => ReactNode;
}

interface Props<Row> {
  /** For screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** In a narrow window, shows the cells of a row in one line, without headings. */
  isInLine?: boolean;
}

const withRole = (role: string) => ({ role });

export function Table<Row>({ label, columns, rows, keyOf, isInLine = false }: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard (WCAG 2.1.1)
    <section className="card overflow-x-auto" tabIndex={0} aria-label={label}>
      <table
        // Links have the height of touch targets (WCAG 2.5.8).
        className={`${styles.table} max-700:[&_thead]:visually-hidden w-full border-collapse text-sm leading-[1.3] max-700:block [&_a]:inline-block [&_a]:py-1 [&_time]:whitespace-nowrap max-700:[&_tbody]:block ${isInLine ? styles.inLine : ''}`}
        {...withRole('table')}
      >
        <thead {...withRole('rowgroup')}>
          <tr {...withRole('row')}>
            {columns.map(({ heading }) => (
              <th key={heading} scope="col" {...withRole('columnheader')}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...withRole('rowgroup')}>
          {rows.map((row) => (
            <tr key={keyOf(row)} {...withRole('row')}>
              {columns.map(({ heading, cell }) => (
                <td key={heading} data-heading={heading} {...withRole('cell')}>
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
