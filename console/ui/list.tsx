/** A list of the API: loading, a problem, empty, or the rows with the button for more. */
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Unreadable } from '../../shared/api/operation.ts';
import { MoreButton, type Pages } from './more-button.tsx';
import { Answered, Empty, type Loadable } from './state.tsx';
import { type Column, Table } from './table.tsx';
import { UnreadableNote } from './unreadable-note.tsx';

interface Props<Page, Row> {
  of: Loadable<unknown> & Partial<Pages>;
  pages: readonly Page[] | undefined;
  rows: (page: Page) => readonly Row[];
  keyOf: (row: Row) => string;
  /** For screen readers. */
  label: string;
  /** For a table. */
  columns?: readonly Column<Row>[];
  /** For a list. */
  item?: (row: Row) => ReactNode;
  empty: { title: string; hint?: string | null; icon?: LucideIcon | undefined; action?: ReactNode };
  /** The title of the unreadable entries. */
  unreadable?: string;
}

export function List<Page extends object, Row>(props: Props<Page, Row>) {
  const { of, pages = [], rows, keyOf, label, columns, item, empty, unreadable = '' } = props;
  const { hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = of;
  const all = pages.flatMap(rows);
  return (
    <Answered of={of}>
      {() => (
        <>
          <UnreadableNote title={unreadable} entries={pages.flatMap(unreadableOf)} />
          {all.length === 0 ? (
            <Empty title={empty.title} icon={empty.icon}>
              {empty.hint ? <p>{empty.hint}</p> : null}
              {empty.action}
            </Empty>
          ) : columns === undefined ? (
            <ul className="grid gap-3" aria-label={label}>
              {all.map((row) => (
                <li key={keyOf(row)}>{item?.(row)}</li>
              ))}
            </ul>
          ) : (
            <Table label={label} columns={columns} rows={all} keyOf={keyOf} />
          )}
          {fetchNextPage !== undefined && <MoreButton of={{ hasNextPage, isFetchingNextPage, fetchNextPage }} />}
        </>
      )}
    </Answered>
  );
}

function unreadableOf(page: object): readonly Unreadable[] {
  return 'unreadable' in page ? (page.unreadable as readonly Unreadable[]) : [];
}
