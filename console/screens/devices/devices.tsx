/** The devices of a site: looked through, edited one by one and many at once, imported and exported. */
import { Download, FileUp } from 'lucide-react';
import { useState } from 'react';
import { useRights } from '../../api/rights.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import type { ScreenProps } from '../../ui/screen-props.ts';
import { Answered } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import { SameLine } from '../same/same-line.tsx';
import { useColumns } from './column-choice.ts';
import { ColumnDialog } from './column-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { DeviceGrid } from './device-grid.tsx';
import styles from './devices.module.css';
import { EditDialog } from './edit-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { FilterBar } from './filter-bar.tsx';
import { DropTarget } from './importing/drop-target.tsx';
import { ImportDialog } from './importing/import-dialog.tsx';
import type { Imported } from './importing/import-report.tsx';
import { importTexts } from './importing/texts.ts';
import { NoDevices } from './no-devices.tsx';
import { type Open, ScreenContext } from './screen.ts';
import { SelectionBar } from './selection-bar.tsx';
import { texts } from './texts.ts';
import { useDeviceActions } from './use-device-actions.ts';
import { useDeviceList } from './use-device-list.ts';
import { useGrid } from './use-grid.ts';
import { useNarrow } from './use-narrow.ts';
import { useParents } from './use-parents.ts';
import { useView } from './use-view.ts';
import { ValueLists } from './value-lists.tsx';
import { formatView } from './view.ts';

export default function Devices({ site }: ScreenProps) {
  const canWrite = useRights().may('devices:write');
  const { view, typed, type, change } = useView();
  const list = useDeviceList(site, view);
  const grid = useGrid(list, String(formatView({ ...view, sort: 'mac' })));
  const actions = useDeviceActions(site, list, grid, view);
  const [columns, chooseColumns] = useColumns();
  const [dialog, open] = useState<Open | null>(null);
  const parents = useParents(site, columns.includes('parent') || dialog?.what === 'edit');
  const isNarrow = useNarrow();

  /** Closes the dialog that is open now: called later, it leaves one that was opened since. */
  const close = () => open((latest) => (latest === dialog ? null : latest));
  const closeToGrid = () => {
    close();
    grid.focus();
  };
  const importFile = (file: File | null) => open({ what: 'import', file });
  const tellImported = (imported: Imported) => {
    close();
    const { change: id, deleted } = imported;
    const undo = deleted > 0 && id !== null ? { label: common.undo, run: () => void actions.restore([id]) } : null;
    showToast(importTexts.done(imported), undo);
  };

  return (
    <ScreenContext
      value={{ site, canWrite, isNarrow, view, changeView: change, list, grid, actions, columns, parents, open }}
    >
      <Page
        title={texts.title}
        isFull
        actions={
          <>
            {canWrite ? (
              <Button onClick={() => importFile(null)}>
                <FileUp aria-hidden="true" />
                {importTexts.import}
              </Button>
            ) : null}
            <Button onClick={() => open({ what: 'export' })}>
              <Download aria-hidden="true" />
              {importTexts.export}
            </Button>
          </>
        }
      >
        <div className={styles.screen}>
          <FilterBar typed={typed} type={type} />
          <SelectionBar />
          <div className={styles.content}>
            <SameLine site={site} />
            <Answered of={list.answer}>{(rows) => (rows.length === 0 ? <NoDevices /> : <DeviceGrid />)}</Answered>
          </div>
        </div>
        {canWrite ? <ValueLists /> : null}
        <DropTarget
          when={canWrite}
          isTaken={dialog === null || (dialog.what === 'import' && dialog.file === null)}
          onFile={importFile}
        />
        {dialog?.what === 'columns' ? (
          <ColumnDialog columns={columns} onChange={chooseColumns} onClose={close} />
        ) : null}
        {dialog?.what === 'export' ? <ExportDialog site={site} onClose={close} /> : null}
        {dialog?.what === 'import' ? (
          <ImportDialog site={site} file={dialog.file} onFile={importFile} onImported={tellImported} onClose={close} />
        ) : null}
        {dialog?.what === 'edit' ? (
          <EditDialog
            keys={dialog.keys}
            onDone={(outcome) => {
              closeToGrid();
              actions.tell(outcome, texts.edited);
            }}
            onClose={closeToGrid}
          />
        ) : null}
        {dialog?.what === 'delete' ? <DeleteDialog keys={dialog.keys} onClose={closeToGrid} /> : null}
      </Page>
    </ScreenContext>
  );
}
