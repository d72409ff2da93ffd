/** Below the list: how many devices there are or are selected, and what to do with them: what the keys do, for the mouse. */
import common from 'messages:common';
import texts from 'messages:devices';
import { Archive, ArchiveRestore, Check, Pencil, Power, Radar, Star, Trash2, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { numberText } from '../../text/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SameLine } from '../same/same-line.tsx';
import styles from './foot-bar.module.css';
import { useScreen } from './screen.ts';

export function FootBar() {
  const { site, list, grid, actions, tools, view, canWrite, isNarrow } = useScreen();
  const { total } = list;
  const selected = grid.selected.size;
  const { run } = tools;
  const isNew = list.counts?.new ?? 0;
  return (
    <div className={styles.bar} data-selected={selected > 0 || undefined}>
      {/* A screen reader says the number when it changes. */}
      <span role="status" className={`${styles.number} text-muted`}>
        {selected > 0 ? texts.selectedOf({ selected, total }) : common.devices({ count: total })}
        {actions.isBusy ? ` · ${texts.working}` : ''}
      </span>
      {canWrite && selected < total ? (
        <Button look="quiet" onClick={actions.selectAll} disabled={actions.isBusy}>
          {texts.selectAll({ count: numberText(total) })}
        </Button>
      ) : null}
      {canWrite && isNew > 0 && selected === 0 && (!isNarrow || view.status === 'new') ? (
        <Button look="quiet" onClick={actions.acknowledgeAll} disabled={actions.isBusy}>
          {texts.acknowledgeAll({ count: isNew })}
        </Button>
      ) : null}
      {selected > 0 ? <BulkActions /> : null}
      <div className="flex flex-wrap items-center gap-2 ms-auto text-muted [&_progress]:w-24 [&_progress]:accent-accent">
        {run === null ? (
          selected === 0 && !isNarrow && <SameLine site={site} />
        ) : (
          <>
            <progress max={run.count} value={run.done} aria-label={texts.runs[run.task](run)} />
            <span role="status">{texts.runs[run.task](run)}</span>
            <Button look="quiet" onClick={tools.stop}>
              {texts.runs.stop}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

function BulkActions() {
  const { list, grid, actions, tools, view, canRun, open } = useScreen();
  const isArchive = view.status === 'archived';
  const chosen = () => actions.chosen().flatMap((key) => list.find(key) ?? []);
  const { actions: labels } = texts;
  return (
    <div
      className="flex flex-wrap items-center gap-0.5 max-1100:[&_button>span]:unseen [&_button]:px-2 [&_svg]:text-muted max-700:[&_button]:min-w-10 max-700:[&_button]:min-h-10"
      role="toolbar"
      aria-label={texts.withSelected}
    >
      <Action label={labels.edit} icon={<Pencil />} onClick={() => open({ what: 'edit', keys: actions.chosen() })} />
      <Action label={labels.favourite} icon={<Star />} onClick={() => actions.favourite()} />
      <Action label={labels.acknowledge} icon={<Check />} onClick={actions.acknowledge} />
      <Action
        label={isArchive ? labels.unarchive : labels.archive}
        icon={isArchive ? <ArchiveRestore /> : <Archive />}
        onClick={() => actions.archive()}
      />
      {canRun ? (
        <>
          <Action
            label={labels.wake}
            icon={<Power />}
            isDisabled={tools.run !== null}
            onClick={() => tools.start('wake', chosen())}
          />
          <Action
            label={labels.scan}
            icon={<Radar />}
            isDisabled={tools.run !== null}
            onClick={() => tools.start('scan', chosen())}
          />
        </>
      ) : null}
      <Action
        label={labels.delete}
        icon={<Trash2 />}
        onClick={() => open({ what: 'delete', keys: actions.chosen() })}
      />
      <IconButton label={texts.clearSelection} onClick={() => grid.select([])}>
        <X />
      </IconButton>
    </div>
  );
}

interface ActionProps {
  label: string;
  icon: ReactNode;
  isDisabled?: boolean;
  onClick: () => void;
}

function Action({ label, icon, isDisabled = false, onClick }: ActionProps) {
  return (
    <Button look="quiet" disabled={isDisabled} onClick={onClick}>
      {icon}
      <span>{label}</span>
    </Button>
  );
}
