/** The devices of a site: looked through, edited one by one and many at once, imported and exported. */
import { Columns3, Download, FileUp } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRights } from '../../api/rights.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import type { ScreenProps } from '../../ui/screen-props.ts';
import { Answered } from '../../ui/state.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { useColumns } from './column-choice.ts';
import { ColumnDialog } from './column-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { titleOf } from './device.ts';
import { DeviceGrid } from './device-grid.tsx';
import styles from './devices.module.css';
import { EditDialog } from './edit-dialog.tsx';
import { leavesView } from './edit-in-view.ts';
import { ExportDialog } from './export-dialog.tsx';
import { FilterBar } from './filter-bar.tsx';
import { DropTarget } from './importing/drop-target.tsx';
import { ImportDialog, type Imported } from './importing/import-dialog.tsx';
import { importTexts } from './importing/texts.ts';
import { NoDevices } from './no-devices.tsx';
import { usePendingEdits } from './pending-edits.ts';
import { SelectionBar } from './selection-bar.tsx';
import { SortSelect } from './sort-select.tsx';
import { texts } from './texts.ts';
import { useActions } from './use-actions.ts';
import { useChanges } from './use-changes.ts';
import { useDevices } from './use-devices.ts';
import { useGrid } from './use-grid.ts';
import { useNarrow } from './use-narrow.ts';
import { useView } from './use-view.ts';
import { ValueLists } from './value-lists.tsx';
import { formatView, isFiltered, NO_FILTER } from './view.ts';

type Open =
  | { what: 'columns' | 'export' }
  | { what: 'edit' | 'delete'; keys: readonly string[] }
  | { what: 'import'; file: File | null };

export default function Devices({ site }: ScreenProps) {
  const [, navigate] = useLocation();
  const canWrite = useRights().may('devices:write');
  const state = useView();
  const { view, typed, change } = state;
  const pending = usePendingEdits();
  const devices = useDevices(site, view, typed, pending.all);
  const grid = useGrid(devices, String(formatView({ ...view, text: typed, sort: 'mac' })));
  const changes = useChanges(site, pending, (keys, set) => {
    if (leavesView(set, { ...view, text: typed })) grid.unselect(keys);
  });
  const actions = useActions(devices, changes, view);
  const [columns, chooseColumns] = useColumns();
  const [open, setOpen] = useState<Open | null>(null);
  const [isCollecting, setCollecting] = useState(false);
  const isNarrow = useNarrow();

  /** Closes the dialog that is open now: called later, it leaves one that was opened since. */
  const close = () => setOpen((latest) => (latest === open ? null : latest));
  const closeToGrid = () => {
    close();
    grid.focus();
  };
  /** The selected devices, or the one that has the focus. */
  const chosen = (): readonly string[] => {
    if (grid.selected.size > 0) return [...grid.selected];
    const device = devices.rows[grid.active];
    return device === undefined ? [] : [device.key];
  };
  const selectAll = async () => {
    setCollecting(true);
    try {
      grid.select(await devices.keysOf({ ...view, text: typed }));
    } catch (error) {
      showProblem(error);
    } finally {
      setCollecting(false);
    }
  };
  const askToDelete = () => {
    if (chosen().length > 0) setOpen({ what: 'delete', keys: chosen() });
  };
  const tellImported = (imported: Imported) => {
    close();
    const { change: id, deleted } = imported;
    const undo = deleted > 0 && id !== null ? { label: common.undo, run: () => actions.restore([id]) } : null;
    showToast(importTexts.done(imported), undo);
  };
  const nameOf = (keys: readonly string[]) => {
    const only = keys.length === 1 ? devices.find(keys[0] ?? '') : undefined;
    return only === undefined ? null : titleOf(only);
  };

  return (
    <Page
      title={texts.title}
      isFull
      actions={
        <>
          {canWrite ? (
            <Button onClick={() => setOpen({ what: 'import', file: null })}>
              <FileUp aria-hidden="true" />
              {importTexts.import}
            </Button>
          ) : null}
          <Button onClick={() => setOpen({ what: 'export' })}>
            <Download aria-hidden="true" />
            {importTexts.export}
          </Button>
        </>
      }
    >
      <div className={styles.screen}>
        <FilterBar site={site} state={state} counts={devices.counts} />
        <SelectionBar
          total={devices.total}
          selected={grid.selected.size}
          canWrite={canWrite}
          isArchive={view.status === 'archived'}
          isBusy={actions.isBusy || isCollecting}
          onEdit={() => setOpen({ what: 'edit', keys: chosen() })}
          onFavourite={() => actions.favourite(chosen())}
          onArchive={() => actions.archive(chosen())}
          onAcknowledge={() => actions.acknowledge(chosen())}
          onDelete={askToDelete}
          onSelectAll={() => void selectAll()}
          onClear={() => grid.select([])}
        >
          {canWrite && (devices.counts?.new ?? 0) > 0 && grid.selected.size === 0 ? (
            <Button look="quiet" onClick={actions.acknowledgeAll} disabled={actions.isBusy}>
              {texts.acknowledgeAll(devices.counts?.new ?? 0)}
            </Button>
          ) : null}
          {isNarrow ? (
            grid.selected.size === 0 && <SortSelect sort={view.sort} onSort={(sort) => change({ sort })} />
          ) : (
            <Button look="quiet" onClick={() => setOpen({ what: 'columns' })}>
              <Columns3 aria-hidden="true" />
              {texts.columnsTitle}
            </Button>
          )}
        </SelectionBar>
        <div className={styles.content}>
          <Answered
            of={{ data: devices.isLoading ? undefined : devices.rows, error: devices.error, refetch: devices.retry }}
          >
            {(rows) =>
              rows.length === 0 ? (
                <NoDevices
                  size={devices.size ?? 0}
                  isFiltered={isFiltered({ ...view, text: typed })}
                  canWrite={canWrite}
                  site={site}
                  onClear={() => change(NO_FILTER)}
                  onImport={() => setOpen({ what: 'import', file: null })}
                />
              ) : (
                <DeviceGrid
                  {...{ site, devices, grid, columns, isNarrow, canWrite }}
                  sort={view.sort}
                  onSort={(sort) => change({ sort })}
                  actions={{
                    open: ({ key }) => navigate(`/sites/${site}/devices/${encodeURIComponent(key)}`),
                    selectAll: () => void selectAll(),
                    save: actions.save,
                    favourite: (keys = chosen()) => actions.favourite(keys),
                    archive: () => actions.archive(chosen()),
                    acknowledge: () => actions.acknowledge(chosen()),
                    remove: askToDelete,
                  }}
                />
              )
            }
          </Answered>
        </div>
      </div>
      {canWrite ? <ValueLists site={site} rows={devices.rows} find={devices.find} /> : null}
      <DropTarget
        when={canWrite}
        isTaken={open === null || (open.what === 'import' && open.file === null)}
        onFile={(file) => setOpen({ what: 'import', file })}
      />
      {open?.what === 'columns' ? <ColumnDialog columns={columns} onChange={chooseColumns} onClose={close} /> : null}
      {open?.what === 'export' ? <ExportDialog site={site} onClose={close} /> : null}
      {open?.what === 'import' ? (
        <ImportDialog
          site={site}
          file={open.file}
          onFile={(file) => setOpen({ what: 'import', file })}
          onImported={tellImported}
          onClose={close}
        />
      ) : null}
      {open?.what === 'edit' ? (
        <EditDialog
          {...{ site, changes }}
          keys={open.keys}
          onDone={(outcome) => {
            closeToGrid();
            actions.tell(outcome, texts.edited);
          }}
          onClose={closeToGrid}
        />
      ) : null}
      {open?.what === 'delete' ? (
        <DeleteDialog
          keys={open.keys}
          name={nameOf(open.keys)}
          changes={changes}
          onDelete={async () => {
            await actions.remove(open.keys);
            grid.select([]);
            closeToGrid();
          }}
          onClose={closeToGrid}
        />
      ) : null}
    </Page>
  );
}
