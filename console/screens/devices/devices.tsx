/** The devices of a site: filters, edits, imports and exports them. */
import common from 'messages:common';
import texts from 'messages:devices';
import importTexts from 'messages:import';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { lazyPart } from '../../shell/lazy-screen.ts';
import { proposedTypes, valuesInUse } from '../../text/proposed-values.ts';
import { Page } from '../../ui/page.tsx';
import type { ScreenProps } from '../../ui/screen-props.ts';
import { Answered } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useNarrow } from '../../ui/use-narrow.ts';
import { useColumns } from './columns.tsx';
import { DeviceGrid } from './device-grid.tsx';
import styles from './devices.module.css';
import { ColumnDialog, DeleteDialog, ExportDialog, SaveViewDialog } from './dialogs.tsx';
import { FootBar } from './foot-bar.tsx';
import { linesOf } from './group-lines.ts';
import type { Imported } from './importing/import-dialog.tsx';
import { NoDevices } from './no-devices.tsx';
import { type Open, type Screen, ScreenContext, useScreen } from './screen.ts';
import { queryOf, Toolbar } from './toolbar.tsx';
import { useDeviceActions } from './use-device-actions.ts';
import { useDeviceList } from './use-device-list.ts';
import { useGrid } from './use-grid.ts';
import { useTools } from './use-tools.ts';
import { useView } from './use-view.ts';
import { DEFAULT_BY, formatView } from './view.ts';

const DeletedDevices = lazyPart(() => import('./deleted.tsx'));
const EditDialog = lazyPart(() => import('./edit-dialog.tsx'));
const ImportDialog = lazyPart(() => import('./importing/import-dialog.tsx'));
const SidePanel = lazyPart(() => import('./side-panel.tsx'));

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
  const grid = useGrid(lines.shown, list, String(formatView({ ...view, sort: 'mac', by: DEFAULT_BY, columns: null })));
  const actions = useDeviceActions(site, list, lines.shown, grid, view);
  const tools = useTools(site);
  const [columns, chooseColumns] = useColumns(view.columns);
  const [dialog, open] = useState<Open | null>(null);
  const [wantsPanel, setPanel] = useState(false);
  const beside = wantsPanel ? lines.shown[grid.active] : undefined;
  const hasPanel = beside !== undefined;
  const needsParents = hasPanel || columns.includes('parent') || view.by === 'parent' || dialog?.what === 'edit';
  const parents = useParents(site, needsParents);
  const isNarrow = useNarrow();

  /** Closes the present dialog, but not one that is opened before it is called. */
  const close = () => open((latest) => (latest === dialog ? null : latest));
  const closeToGrid = () => {
    close();
    grid.focus();
  };
  const importFile = (file: File | null) => open({ what: 'import', file });
  const reportImported = (imported: Imported) => {
    close();
    const { change: id, deleted } = imported;
    const undo = deleted > 0 && id !== null ? { label: common.undo, run: () => void actions.restore([id]) } : null;
    showToast(importTexts.done(imported), undo);
  };
  const screen: Screen = {
    ...{ site, canWrite, isNarrow, view, list, lines, grid, actions, tools, hasPanel, columns, parents, open },
    canRun: rights.may('nettools:run'),
    changeView: change,
    collapse: (group) => setCollapsed((before) => toggled(before, group)),
    showPanel(isShown) {
      setPanel(isShown);
      if (!isShown) grid.focus();
    },
  };

  return (
    <ScreenContext value={screen}>
      <Page title={texts.title} isFull heading={<Toolbar typed={typed} type={type} />}>
        <div className="flex flex-col gap-2 min-w-0 min-h-0">
          <div className={`${styles.content} flex flex-1 flex-col gap-2 min-w-0 min-h-0`}>
            {view.status === 'deleted' ? (
              <DeletedDevices />
            ) : list.answer.data === undefined && list.answer.error === null ? (
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
          {list.total === 0 || view.status === 'deleted' ? null : <FootBar />}
        </div>
        {canWrite ? <ValueLists /> : null}
        <DropTarget
          when={canWrite}
          isTaken={dialog === null || (dialog.what === 'import' && dialog.file === null)}
          onFile={importFile}
        />
        {dialog?.what === 'columns' ? (
          <ColumnDialog
            onChange={(next) => {
              if (view.columns !== null) change({ columns: null });
              chooseColumns(next);
            }}
            onClose={close}
          />
        ) : null}
        {dialog?.what === 'save-view' ? <SaveViewDialog query={queryOf(screen)} onClose={close} /> : null}
        {dialog?.what === 'export' ? <ExportDialog onClose={close} /> : null}
        {dialog?.what === 'import' ? (
          <ImportDialog
            site={site}
            file={dialog.file}
            onFile={importFile}
            onImported={reportImported}
            onClose={close}
          />
        ) : null}
        {dialog?.what === 'edit' ? (
          <EditDialog
            keys={dialog.keys}
            onDone={(outcome) => {
              closeToGrid();
              actions.report(outcome, texts.edited);
            }}
            onClose={closeToGrid}
          />
        ) : null}
        {dialog?.what === 'delete' ? <DeleteDialog keys={dialog.keys} onClose={closeToGrid} /> : null}
      </Page>
    </ScreenContext>
  );
}

/** The names of the parent devices by their keys, wherever in the list they are. */
function useParents(site: string, when: boolean): ReadonlyMap<string, string> {
  const { data } = useAnswer('GET /devices/network/topology', { site }, { when, everyMs: POLL_MS.calm });
  return useMemo(() => {
    const parents = new Set(data?.links.map(({ source }) => source));
    return new Map(data?.nodes.filter(({ id }) => parents.has(id)).map(({ id, name }) => [id, name]));
  }, [data]);
}

function toggled(before: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(one)) after.add(one);
  return after;
}

const PLACEHOLDERS = Array.from({ length: 12 }, (_, row) => row);

/** As high as the rows, so that the layout does not shift when they are loaded. */
function Waiting() {
  return (
    <div className={styles.waiting} role="status" aria-label={common.loading}>
      {PLACEHOLDERS.map((row) => (
        <div
          key={row}
          className="flex items-center gap-2.5 h-row px-3 border-b border-line [&_span:first-child]:size-6 [&_span:first-child]:rounded-control [&_span]:h-2.5 [&_span]:rounded-[5px] [&_span]:bg-sunken"
        >
          <span />
          <span style={{ inlineSize: `${22 + ((row * 7) % 18)}%` }} />
        </div>
      ))}
    </div>
  );
}

/** More would be slow to render. */
const MAX_PROPOSED = 200;

/** The values in use on the site, which inputs propose. */
function ValueLists() {
  const { site, parents } = useScreen();
  const facets = useAnswer('GET /devices/facets', { site });
  return (
    <>
      <ValueList id="devices-devType" values={proposedTypes(facets.data?.type).slice(0, MAX_PROPOSED)} />
      <ValueList id="devices-devGroup" values={valuesInUse(facets.data?.group).slice(0, MAX_PROPOSED)} />
      <datalist id="devices-devParentMAC">
        {[...parents].slice(0, MAX_PROPOSED).map(([mac, name]) => (
          <option key={mac} value={mac} label={name} />
        ))}
      </datalist>
    </>
  );
}

/** Suggestions of an input, which refers to the list by its id. */
function ValueList({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

interface Props {
  onFile: (file: File) => void;
  when: boolean;
  /** Whether a file is taken now. The browser gets no other one either: it would open it in place of the page. */
  isTaken: boolean;
}

/** While a file is over the page, browsers fire `dragover` at least every 350 ms. */
const SILENCE_MS = 700;

/** Takes a file that is dragged onto the page, over which a hint appears. */
function DropTarget({ onFile, when, isTaken }: Props) {
  const [isOver, setOver] = useState(false);
  const drop = useEffectEvent((file: File) => {
    if (isTaken) onFile(file);
  });
  const effect = useEffectEvent(() => (isTaken ? 'copy' : 'none'));
  useEffect(() => {
    if (!when) return undefined;
    let timer = 0;
    const onDragOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = effect();
      setOver(true);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setOver(false), SILENCE_MS);
    };
    const onDropped = (event: DragEvent) => {
      const file = event.dataTransfer?.files[0];
      if (file === undefined) return;
      event.preventDefault();
      window.clearTimeout(timer);
      setOver(false);
      drop(file);
    };
    window.addEventListener('dragover', onDragOver);
    window.addEventListener('drop', onDropped);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener('dragover', onDragOver);
      window.removeEventListener('drop', onDropped);
    };
  }, [when]);
  if (!isOver || !isTaken) return null;
  return (
    <div className="fixed grid inset-3 z-25 place-content-center border-2 border-dashed border-accent rounded-[16px] bg-[color-mix(in_srgb,var(--background)_88%,transparent)] text-[1.3rem] pointer-events-none">
      {importTexts.drop}
    </div>
  );
}
