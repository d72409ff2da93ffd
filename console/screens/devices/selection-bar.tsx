/** How many devices there are or are selected, and what to do with them: what the keys of the grid do, for the mouse. */
import { Archive, ArchiveRestore, Check, Columns3, Pencil, Star, Trash2, X } from 'lucide-react';
import { numberText } from '../../text/format.ts';
import { common } from '../../text/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { useScreen } from './screen.ts';
import styles from './selection-bar.module.css';
import { SortSelect } from './sort-select.tsx';
import { texts } from './texts.ts';

export function SelectionBar() {
  const { list, grid, actions, view, canWrite, isNarrow, open } = useScreen();
  const { total, counts } = list;
  const selected = grid.selected.size;
  const isArchive = view.status === 'archived';
  return (
    <div className={styles.bar} data-selected={selected > 0 || undefined}>
      {/* A screen reader says the number when it changes. */}
      <span role="status" className={styles.number}>
        {selected > 0 ? texts.selectedOf(selected, total) : common.devices(total)}
        {actions.isBusy ? ` · ${texts.working}` : ''}
      </span>
      {canWrite && selected < total ? (
        <Button look="quiet" onClick={actions.selectAll} disabled={actions.isBusy}>
          {texts.selectAll(numberText(total))}
        </Button>
      ) : null}
      {selected > 0 ? (
        <div className={styles.actions} role="toolbar" aria-label={texts.withSelected}>
          <Button look="quiet" onClick={() => open({ what: 'edit', keys: actions.chosen() })}>
            <Pencil aria-hidden="true" />
            <span>{texts.actions.edit}</span>
          </Button>
          <Button look="quiet" onClick={() => actions.favourite()}>
            <Star aria-hidden="true" />
            <span>{texts.actions.favourite}</span>
          </Button>
          <Button look="quiet" onClick={actions.acknowledge}>
            <Check aria-hidden="true" />
            <span>{texts.actions.acknowledge}</span>
          </Button>
          <Button look="quiet" onClick={actions.archive}>
            {isArchive ? <ArchiveRestore aria-hidden="true" /> : <Archive aria-hidden="true" />}
            <span>{isArchive ? texts.actions.unarchive : texts.actions.archive}</span>
          </Button>
          <Button look="quiet" onClick={() => open({ what: 'delete', keys: actions.chosen() })}>
            <Trash2 aria-hidden="true" />
            <span>{texts.actions.delete}</span>
          </Button>
          <IconButton label={texts.clearSelection} onClick={() => grid.select([])}>
            <X />
          </IconButton>
        </div>
      ) : null}
      <div className={styles.end}>
        {canWrite && (counts?.new ?? 0) > 0 && selected === 0 ? (
          <Button look="quiet" onClick={actions.acknowledgeAll} disabled={actions.isBusy}>
            {texts.acknowledgeAll(counts?.new ?? 0)}
          </Button>
        ) : null}
        {isNarrow ? (
          selected === 0 && <SortSelect />
        ) : (
          <Button look="quiet" onClick={() => open({ what: 'columns' })}>
            <Columns3 aria-hidden="true" />
            {texts.columnsTitle}
          </Button>
        )}
      </div>
    </div>
  );
}
