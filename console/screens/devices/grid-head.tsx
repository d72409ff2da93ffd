/** The headings of the table, which sort it, and of its groups, which collapse them. */
import texts from 'messages:devices';
import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, Circle } from 'lucide-react';
import { numberText } from '../../text/format.ts';
import { kindText } from '../../text/kind-texts.ts';
import { Button } from '../../ui/button.tsx';
import { COLUMNS, type ColumnName } from './columns.tsx';
import styles from './device-grid.module.css';
import gridStyles from './device-row.module.css';
import { GridPart } from './grid-part.tsx';
import type { GroupLine } from './group-lines.ts';
import { useScreen } from './screen.ts';
import { columnOf } from './view.ts';

export function GridHead({ columns, hasActions }: { columns: readonly ColumnName[]; hasActions: boolean }) {
  const { isNarrow, canWrite } = useScreen();
  const first = canWrite ? 2 : 1;
  return (
    <GridPart role="rowgroup" className={isNarrow ? 'visually-hidden' : 'sticky top-0 z-1 min-w-min'}>
      <GridPart
        role="row"
        aria-rowindex={1}
        className="grid grid-cols-(--columns) items-center h-8 border-b border-line bg-surface text-xs text-muted"
      >
        {canWrite ? (
          <GridPart role="columnheader" aria-colindex={1}>
            <span className="visually-hidden">{texts.selected}</span>
          </GridPart>
        ) : null}
        {isNarrow ? (
          <GridPart role="columnheader" aria-colindex={first}>
            {texts.columns.name}
          </GridPart>
        ) : (
          columns.map((name, i) => <Heading key={name} name={name} index={first + i} />)
        )}
        {hasActions ? (
          <GridPart role="columnheader" aria-colindex={first + (isNarrow ? 1 : columns.length)}>
            <span className="visually-hidden">{texts.actionsColumn}</span>
          </GridPart>
        ) : null}
      </GridPart>
    </GridPart>
  );
}

function Heading({ name, index }: { name: ColumnName; index: number }) {
  const { view, changeView } = useScreen();
  const { sort } = view;
  const label = texts.columns[name];
  const by = COLUMNS[name].sort;
  const isSorted = columnOf(sort) === by;
  const isDescending = sort.startsWith('-');
  return (
    <GridPart
      role="columnheader"
      aria-colindex={index}
      aria-sort={by === null ? undefined : isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}
      className={`min-w-0 overflow-hidden font-medium whitespace-nowrap ${name === 'status' ? 'grid place-items-center [&_button]:m-0' : 'px-2'}`}
    >
      {by === null ? (
        label
      ) : (
        <button
          type="button"
          className={`${styles.sort} inline-flex items-center gap-1 max-w-full min-h-6.5 -ms-1.5 px-1.5 py-0 border-0 rounded-control bg-transparent font-medium text-inherit cursor-pointer hover:bg-hover focus-visible:-outline-offset-2 [&_svg]:size-3`}
          onClick={() => changeView({ sort: isSorted && !isDescending ? `-${by}` : by })}
        >
          {name === 'status' ? <span className="unseen">{label}</span> : label}
          {name === 'status' && !isSorted ? <Circle aria-hidden="true" /> : null}
          {isSorted ? isDescending ? <ArrowDown aria-hidden="true" /> : <ArrowUp aria-hidden="true" /> : null}
        </button>
      )}
    </GridPart>
  );
}

interface Props {
  of: GroupLine;
  line: number;
  top: number;
}

/** The heading of a group of devices, which collapses it. */
export function GroupRow({ of: { group, count, isCollapsed }, line, top }: Props) {
  const { view, parents, collapse, canWrite, list, actions } = useScreen();
  const named = view.by === 'parent' ? parents.get(group) : view.by === 'type' ? kindText(group) : group;
  const isOfNew = view.by === 'new';
  const title = isOfNew
    ? texts.newGroups[group === '' ? 'known' : 'new']
    : group === ''
      ? texts.without
      : (named ?? group);
  return (
    <GridPart
      role="row"
      aria-rowindex={line + 2}
      className="absolute top-0 right-0 left-0 h-(--line-height) max-700:h-11 border-b border-line bg-sunken [contain:layout_style]"
      style={{ transform: `translateY(${top}px)` }}
    >
      <GridPart
        role="gridcell"
        aria-colindex={1}
        className={`${gridStyles.groupCell} flex items-center h-full [&_svg]:flex-none [&_svg]:size-3.5 [&_svg]:text-muted`}
      >
        <button type="button" aria-expanded={!isCollapsed} onClick={() => collapse(group)}>
          {isCollapsed ? <ChevronRight aria-hidden="true" /> : <ChevronDown aria-hidden="true" />}
          <span className="truncate" data-foreign>
            {title}
          </span>
          {count === null ? null : <span className="text-muted font-normal">{numberText(count)}</span>}
        </button>
        {isOfNew && group !== '' && canWrite ? (
          <Button
            look="quiet"
            className="min-h-7 ms-auto me-1.5 py-0 text-xs text-muted"
            disabled={actions.isBusy}
            onClick={actions.acknowledgeAll}
          >
            {texts.acknowledgeAll({ count: list.counts?.new ?? 0 })}
          </Button>
        ) : null}
      </GridPart>
    </GridPart>
  );
}
