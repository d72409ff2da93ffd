/** The devices of a site: looked through, edited one by one and many at once, imported and exported. */
import common from 'messages:common';
import texts from 'messages:devices';
import importTexts from 'messages:import';
import { useMemo, useState } from 'react';
import { useRights } from '../../api/rights.ts';
import { Page } from '../../ui/page.tsx';
import type { ScreenProps } from '../../ui/screen-props.ts';
import { Answered } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useNarrow } from '../../ui/use-narrow.ts';
import { formatColumns, useColumns } from './column-choice.ts';
import { ColumnDialog } from './column-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { DeviceGrid } from './device-grid.tsx';
import styles from './devices.module.css';
import { EditDialog } from './edit-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { FootBar } from './foot-bar.tsx';
import { linesOf } from './group-lines.ts';
import { DropTarget } from './importing/drop-target.tsx';
import { ImportDialog } from './importing/import-dialog.tsx';
import type { Imported } from './importing/import-report.tsx';
import { NoDevices } from './no-devices.tsx';
import { SaveViewDialog } from './save-view-dialog.tsx';
import { type Open, type Screen, ScreenContext } from './screen.ts';
import { SidePanel } from './side-panel.tsx';
import { Toolbar } from './toolbar.tsx';
import { useDeviceActions } from './use-device-actions.ts';
import { useDeviceList } from './use-device-list.ts';
import { useGrid } from './use-grid.ts';
import { useParents } from './use-parents.ts';
import { useTools } from './use-tools.ts';
import { useView } from './use-view.ts';
import { ValueLists } from './value-lists.tsx';
import { formatView } from './view.ts';
import { Waiting } from './waiting.tsx';

export default function Devices({ site }: ScreenProps) {
  const rights = useRights();
  const canWrite = rights.may('devices:write');
  const { view, typed, type, change } = useView();
  const list = useDeviceList(site, view);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(
    () => linesOf(list.rows, view.by, list.groups, collapsed),
    [list.rows, view.by, list.groups, collapsed],
  );
  const grid = useGrid(lines.shown, list, String(formatView({ ...view, sort: 'mac', by: null, columns: null })));
  const actions = useDeviceActions(site, list, lines.shown, grid, view);
  const tools = useTools(site);
  const [columns, chooseColumns] = useColumns(view.columns);
  const [dialog, open] = useState<Open | null>(null);
  const [wantsPanel, showPanel] = useState(false);
  const beside = wantsPanel ? lines.shown[grid.active] : undefined;
  const hasPanel = beside !== undefined;
  const parents = useParents(
    site,
    hasPanel || columns.includes('parent') || view.by === 'parent' || dialog?.what === 'edit',
  );
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
  const screen: Screen = {
    ...{
      site,
      canWrite,
      canRun: rights.may('nettools:run'),
      isNarrow,
      view,
      changeView: change,
      list,
      lines,
      collapsed,
    },
    ...{ grid, actions, tools, hasPanel, columns, parents, open },
    collapse: (group) => setCollapsed((before) => toggled(before, group)),
    showPanel(isShown) {
      showPanel(isShown);
      if (!isShown) grid.focus();
    },
  };

  return (
    <ScreenContext value={screen}>
      <Page title={texts.title} isFull heading={<Toolbar typed={typed} type={type} />}>
        <div className="flex flex-col gap-2 min-w-0 min-h-0">
          <div className={`${styles.content} flex flex-1 flex-col gap-2 min-w-0 min-h-0`}>
            {list.answer.data === undefined && list.answer.error === null ? (
              <Waiting />
            ) : (
              <Answered of={list.answer}>
                {(rows) =>
                  rows.length === 0 ? (
                    <NoDevices />
                  ) : (
                    <div className="flex gap-3 min-w-0 min-h-0">
                      <DeviceGrid />
                      {beside === undefined ? null : <SidePanel device={beside} />}
                    </div>
                  )
                }
              </Answered>
            )}
          </div>
          {list.total === 0 ? null : <FootBar />}
        </div>
        {canWrite ? <ValueLists /> : null}
        <DropTarget
          when={canWrite}
          isTaken={dialog === null || (dialog.what === 'import' && dialog.file === null)}
          onFile={importFile}
        />
        {dialog?.what === 'columns' ? (
          <ColumnDialog
            columns={columns}
            onChange={(next) => {
              if (view.columns !== null) change({ columns: null });
              chooseColumns(next);
            }}
            onClose={close}
          />
        ) : null}
        {dialog?.what === 'save-view' ? (
          <SaveViewDialog
            site={site}
            query={String(formatView({ ...view, columns: formatColumns(columns) }))}
            onClose={close}
          />
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

function toggled(before: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(one)) after.add(one);
  return after;
}
