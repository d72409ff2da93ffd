/** How many devices there are or are selected, and what to do with them: what the keys of the grid do, for the mouse. */
import { Archive, ArchiveRestore, Check, Pencil, Star, Trash2, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { numberText } from '../../text/format.ts';
import { common } from '../../text/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import styles from './selection-bar.module.css';
import { texts } from './texts.ts';

interface Props {
  total: number;
  selected: number;
  canWrite: boolean;
  /** Whether the selected devices are those of the archive. */
  isArchive: boolean;
  isBusy: boolean;
  onEdit: () => void;
  onFavourite: () => void;
  onArchive: () => void;
  onAcknowledge: () => void;
  onDelete: () => void;
  onSelectAll: () => void;
  onClear: () => void;
  /** What stands at the end of the line. */
  children: ReactNode;
}

export function SelectionBar(props: Props) {
  const { total, selected, canWrite, isArchive, isBusy, children } = props;
  const { actions } = texts;
  return (
    <div className={styles.bar} data-selected={selected > 0 || undefined}>
      {/* A screen reader says the number when it changes. */}
      <span role="status" className={styles.number}>
        {selected > 0 ? texts.selectedOf(selected, total) : common.devices(total)}
        {isBusy ? ` · ${texts.working}` : ''}
      </span>
      {canWrite && selected < total ? (
        <Button look="quiet" onClick={props.onSelectAll} disabled={isBusy}>
          {texts.selectAll(numberText(total))}
        </Button>
      ) : null}
      {selected > 0 ? (
        <div className={styles.actions} role="toolbar" aria-label={texts.withSelected}>
          <Button look="quiet" onClick={props.onEdit}>
            <Pencil aria-hidden="true" />
            <span>{actions.edit}</span>
          </Button>
          <Button look="quiet" onClick={props.onFavourite}>
            <Star aria-hidden="true" />
            <span>{actions.favourite}</span>
          </Button>
          <Button look="quiet" onClick={props.onAcknowledge}>
            <Check aria-hidden="true" />
            <span>{actions.acknowledge}</span>
          </Button>
          <Button look="quiet" onClick={props.onArchive}>
            {isArchive ? <ArchiveRestore aria-hidden="true" /> : <Archive aria-hidden="true" />}
            <span>{isArchive ? actions.unarchive : actions.archive}</span>
          </Button>
          <Button look="quiet" onClick={props.onDelete}>
            <Trash2 aria-hidden="true" />
            <span>{actions.delete}</span>
          </Button>
          <IconButton label={texts.clearSelection} onClick={props.onClear}>
            <X />
          </IconButton>
        </div>
      ) : null}
      <div className={styles.end}>{children}</div>
    </div>
  );
}
