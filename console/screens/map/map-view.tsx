/** The map with its tools: search, filters, views, zoom, moving, the past, export. */

import common from 'messages:common';
import texts from 'messages:map';
import { useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ask } from '../../api/client.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button } from '../../ui/button.tsx';
import { KEYS, useShortcut } from '../../ui/keys.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';
import type { Marks } from './card.tsx';
import { Drawing } from './drawing.tsx';
import { lanesOf } from './lanes.ts';
import { boxOf, keysOf, layoutOf, type Size } from './layout.ts';
import { NestedList } from './list.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { Legend, Panel } from './panel.tsx';
import { type Proposal, ProposalList, useProposals } from './proposals.tsx';
import { saveDrawing } from './save-drawing.ts';
import { Toolbar, type ViewName } from './toolbar.tsx';
import { type Forest, fallsWith, INTERNET, type TopologyDevice, titleOf, withAllBehind } from './tree.ts';
import { moved, type Topology, topologyKey } from './use-devices.ts';
import { useGoTo, useSteadyScroll, useZoom } from './use-zoom.ts';
import { search, viewOf } from './view.ts';

const NONE: readonly Proposal[] = [];
const NO_NETWORKS: readonly string[] = [];
/** Before the frame exists: the window without its surroundings. */
const guessedFrame = () => ({ width: Math.max(300, window.innerWidth - 270), height: window.innerHeight - 230 });

interface Props {
  site: string;
  devices: readonly TopologyDevice[];
  /** The devices by connection, and by access point. */
  tree: Forest;
  points: Forest;
  hasLinks: boolean;
  view: ViewName;
  views: readonly ViewName[];
  onView: (view: ViewName) => void;
  /** Shows the past, in which nothing moves. */
  isPast: boolean;
  /** The bar that chooses the time; null: closed. */
  past: React.ReactNode;
  onPast: () => void;
}

export function MapView({ site, devices, tree, points, hasLinks, view: shown, ...props }: Props) {
  const { views, onView, isPast, past, onPast } = props;
  const mayMove = useRights().may('devices:write') && !isPast;
  const move = useMove(site, devices);
  const isByNetwork = shown === 'lanes' || (shown === 'list' && !hasLinks);
  const networks = useNetworks(site, isByNetwork);
  const [filter, setFilter] = useState({ text: '', isDownOnly: false });
  const { text, isDownOnly } = filter;
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [active, setActive] = useState<string | null>(null);
  const [chosenKey, choose] = useState<string | null>(null);
  const proposals = useProposals(site);
  const [areProposalsOpen, openProposals] = useState(false);
  const [moving, setMoving] = useState<{ device: TopologyDevice | null } | null>(null);

  const frame = useRef<HTMLDivElement>(null);
  const around = useRef<HTMLDivElement>(null);
  const size = useSize(around);
  const wanted = useDeferredValue(text);
  const areBands = shown === 'lanes' || shown === 'points';
  const lanes = useMemo(
    () => (isByNetwork ? lanesOf(devices, networks) : tree),
    [devices, isByNetwork, networks, tree],
  );
  const forest = shown === 'points' ? points : lanes;
  const found = useMemo(() => search(devices, wanted), [devices, wanted]);
  const view = useMemo(() => viewOf(forest, { toggled, isDownOnly, found }), [forest, toggled, isDownOnly, found]);
  const layout = useMemo(
    () => layoutOf(view.roots, { frame: size ?? guessedFrame(), areBands }),
    [view, size, areBands],
  );
  const keys = useMemo(() => keysOf(layout), [layout]);
  const drawnFound = useMemo(() => (found === null ? [] : keys.filter((key) => found.has(key))), [keys, found]);

  const zoom = useZoom(frame, layout, size, shown);
  const goTo = useGoTo(frame, (key) => reveal(key));
  const keepInPlace = useSteadyScroll(frame, layout, zoom.zoom);
  const reachable = active !== null && keys.includes(active) ? active : (keys[0] ?? null);
  const chosen = (chosenKey === null ? null : tree.byKey.get(chosenKey)) ?? null;
  const falling = useMemo(() => fallsWith(tree, chosenKey), [tree, chosenKey]);
  const marks = useMemo(
    (): Marks => ({ found, chosen: chosenKey, falling: new Set(falling.map(({ key }) => key)) }),
    [found, chosenKey, falling],
  );

  function reveal(key: string | undefined): void {
    const box = key === undefined ? null : boxOf(layout, key);
    if (box !== null) zoom.reveal(box);
  }

  const revealFound = useEffectEvent(() => reveal(drawnFound[0]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another search scrolls
  useEffect(revealFound, [wanted]);

  function onToggle(key: string, isOpen: boolean): void {
    keepInPlace(key);
    setToggled((now) => new Map(now).set(key, isOpen));
  }

  function onMove(key: string, parent: string): void {
    move(key, parent);
    // After the cache has notified in a task of its own: by then another card holds another element.
    window.setTimeout(() => goTo(key));
  }

  function goToNextFound(): void {
    const next = drawnFound[drawnFound.indexOf(reachable ?? '') + 1] ?? drawnFound[0];
    if (next !== undefined) goTo(next);
  }

  function close(): void {
    choose(null);
    frame.current?.focus();
  }

  // The panel narrows the frame.
  const revealChosen = useEffectEvent(() => reveal(chosenKey ?? undefined));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another device is chosen
  useEffect(revealChosen, [chosenKey]);

  function openMove(): void {
    const device = chosen ?? tree.byKey.get(active ?? '') ?? null;
    setMoving({ device: device?.key === INTERNET ? null : device });
  }

  useShortcut('m', texts.moveKey, openMove, { when: mayMove });
  useShortcut(KEYS.next, texts.nextFound, goToNextFound);

  return (
    <section
      className="flex flex-col gap-2 min-w-0 min-h-0"
      aria-label={texts.title}
      data-list={shown === 'list' || undefined}
    >
      <Toolbar
        {...{ view: shown, views, onView, filter, mayMove, zoom, onPast }}
        isPastOpen={past !== null}
        found={found === null ? null : found.size}
        onFilter={setFilter}
        onNextFound={goToNextFound}
        onFold={(isOpen) => setToggled(new Map(forest.branches.map(({ key }) => [key, isOpen])))}
        onMove={openMove}
        onSave={(format) => void saveDrawing(format, site, layout, found)}
      />
      {past}
      <Notices {...view}>
        {shown === 'tree' && !hasLinks ? (
          <>
            <span>{texts.noParents}</span>
            <Button onClick={() => onView('lanes')}>{texts.toLanes}</Button>
          </>
        ) : null}
      </Notices>
      {isPast ? null : (
        <ProposalList {...{ proposals, mayAccept: mayMove }} isOpen={areProposalsOpen} onOpen={openProposals} />
      )}
      {view.roots.length === 0 ? (
        <p className="px-4 py-12 text-muted text-center">{texts.nothingDown}</p>
      ) : shown === 'list' ? (
        <NestedList
          label={hasLinks ? texts.labels.list : texts.labels.lanes}
          cards={view.roots}
          {...{ site, found, onToggle }}
        />
      ) : (
        <div ref={around} className="flex flex-1 gap-3 min-h-0 max-900:flex-none max-900:flex-col">
          <Drawing
            {...{ site, layout, marks, frame, onToggle, onMove }}
            label={texts.labels[shown]}
            proposed={areProposalsOpen && !isPast && !areBands ? proposals.shown : NONE}
            zoom={zoom.zoom}
            active={reachable}
            isMovable={mayMove && !areBands}
            onActive={setActive}
            onChoose={choose}
            onGoTo={goTo}
          />
          {chosen === null ? null : (
            <Panel {...{ site, devices, falling }} device={chosen} onMove={mayMove ? openMove : null} onClose={close} />
          )}
        </div>
      )}
      {shown === 'list' ? null : <Legend devices={devices} hasHint={chosen === null} />}
      {moving === null ? null : (
        <MoveDialog devices={devices} device={moving.device} onMove={onMove} onClose={() => setMoving(null)} />
      )}
    </section>
  );
}

/** Null before it is drawn. Does not count scroll bars. */
function useSize(element: React.RefObject<HTMLElement | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    const measure = () =>
      setSize((before) => {
        const [width, height] = [box.offsetWidth - 2, box.offsetHeight - 2]; // Without the border.
        return before?.width === width && before.height === height ? before : { width, height };
      });
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(box);
    return () => sizes.disconnect();
  }, [element]);
  return size;
}

function useNetworks(site: string, when: boolean): readonly string[] {
  const { data } = useAnswer('GET /sites/{site}/agents', { params: { site } }, { everyMs: POLL_MS.calm, when });
  return useMemo(() => data?.agents.flatMap(({ networks }) => networks) ?? NO_NETWORKS, [data]);
}

function Notices(props: { isCountsOnly: boolean; treesLeftOut: number; children: React.ReactNode }) {
  const { isCountsOnly, treesLeftOut, children } = props;
  const notices = [
    children,
    isCountsOnly && texts.countsOnly,
    treesLeftOut > 0 && texts.treesLeftOut({ count: treesLeftOut }),
  ];
  return notices.filter(Boolean).map((notice, i) => (
    <div
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change their order
      key={i}
      className="card flex flex-wrap items-center justify-between gap-y-2 gap-x-4 px-3.5 py-1.5 text-sm"
    >
      {notice}
    </div>
  ));
}

interface Place {
  devParentMAC: string;
  devParentPort: string;
}

/**
 * Moves a device to another parent: shown at once, undone when the API rejects it or the user chooses "undo".
 * @returns a function; an empty parent: none
 */
function useMove(site: string, devices: readonly TopologyDevice[]): (key: string, parent: string) => void {
  const queries = useQueryClient();
  const queryKey = topologyKey(site);
  const show = (key: string, { devParentMAC, devParentPort }: Place) =>
    queries.setQueryData<Topology>(queryKey, (before) => moved(before, key, devParentMAC, devParentPort));

  async function put(key: string, place: Place, before: Place): Promise<boolean> {
    show(key, place); // At once, so that the focus can follow the device.
    await queries.cancelQueries({ queryKey }); // A pending response is older than the change.
    show(key, place);
    // A port belongs to its parent.
    const { devParentMAC, devParentPort } = place;
    const body = devParentPort === before.devParentPort ? { devParentMAC } : place;
    try {
      await ask('PATCH /devices/{mac}', { site, params: { mac: key }, body });
      return true;
    } catch (error) {
      show(key, before);
      showProblem(error);
      return false;
    } finally {
      void queries.invalidateQueries();
    }
  }

  return (key, parent) => {
    const device = devices.find((one) => one.key === key);
    if (device === undefined || device.parent === parent) return;
    const name = titleOf(device);
    const parentName = nameOf(devices, parent);
    if (withAllBehind(devices, key).has(parent)) {
      showToast(parent === key ? texts.onItself({ name }) : texts.circle({ name, parent: parentName }));
      return;
    }
    const before = { devParentMAC: device.parent, devParentPort: device.parentPort };
    const place = { devParentMAC: parent, devParentPort: '' };
    void put(key, place, before).then((isDone) => {
      if (!isDone) return;
      const text = parent === '' ? texts.movedAway({ name }) : texts.moved({ name, parent: parentName });
      showToast(text, { label: common.undo, run: () => void put(key, before, place) });
    });
  };
}

function nameOf(devices: readonly TopologyDevice[], key: string): string {
  const device = devices.find((one) => one.key === key);
  if (device !== undefined) return titleOf(device);
  return key === INTERNET ? texts.internet : key;
}
