/** The drawing with its tools: search, filter, zoom, moving, export. */
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useRights } from '../../api/rights.ts';
import { useShortcut } from '../../ui/keys.ts';
import { Drawing } from './drawing.tsx';
import { InfoBar } from './info-bar.tsx';
import { boxOf, keysOf, layoutOf } from './layout.ts';
import styles from './map.module.css';
import { MoveDialog } from './move-dialog.tsx';
import { ProposalList } from './proposals.tsx';
import { saveSvg } from './save-svg.ts';
import { texts } from './texts.ts';
import { Toolbar } from './toolbar.tsx';
import { forestOf, INTERNET, type TopologyDevice, WITHOUT_PARENT } from './tree.ts';
import { useMove } from './use-move.ts';
import { useGoTo, useSteadyScroll } from './use-place.ts';
import { type Proposal, useProposals } from './use-proposals.ts';
import { useZoom } from './use-zoom.ts';
import { search, viewOf } from './view.ts';

const NONE: readonly Proposal[] = [];

export function TopologyView({ site, devices }: { site: string; devices: readonly TopologyDevice[] }) {
  const mayMove = useRights().may('devices:write');
  const move = useMove(site, devices);
  const [text, setText] = useState('');
  const [isDownOnly, setDownOnly] = useState(false);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [active, setActive] = useState<string | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const proposals = useProposals(site);
  const [areProposalsOpen, openProposals] = useState(false);
  const [moving, setMoving] = useState<{ device: TopologyDevice | null } | null>(null);

  const wanted = useDeferredValue(text);
  const forest = useMemo(() => forestOf(devices), [devices]);
  const found = useMemo(() => search(devices, wanted), [devices, wanted]);
  const view = useMemo(() => viewOf(forest, { toggled, isDownOnly, found }), [forest, toggled, isDownOnly, found]);
  const layout = useMemo(() => layoutOf(view.roots), [view]);
  const keys = useMemo(() => keysOf(layout), [layout]);
  const drawnFound = useMemo(() => (found === null ? [] : keys.filter((key) => found.has(key))), [keys, found]);

  const frame = useRef<HTMLDivElement>(null);
  const zoom = useZoom(frame, layout);
  const goTo = useGoTo(frame, (key) => reveal(key));
  const keepInPlace = useSteadyScroll(frame, layout, zoom.zoom);
  const first = keys[0] ?? null;
  const reachable = active !== null && keys.includes(active) ? active : first;
  const device = (key: string | null) => (key === null ? null : (forest.byKey.get(key) ?? null));

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
    // It is another element then, in another card; the cache tells of a change in a task of its own.
    window.setTimeout(() => goTo(key));
  }

  function goToNextFound(): void {
    const next = drawnFound[drawnFound.indexOf(reachable ?? '') + 1] ?? drawnFound[0];
    if (next !== undefined) goTo(next);
  }

  /** For the device that has the focus; the Internet stays where it is. */
  function openMove(): void {
    const chosen = device(active);
    setMoving({ device: chosen?.key === INTERNET ? null : chosen });
  }

  useShortcut('m', texts.moveKey, openMove, { when: mayMove });
  useShortcut('n', texts.nextFound, goToNextFound);

  return (
    <section className={styles.region} aria-label={texts.title}>
      <Toolbar
        {...{ text, isDownOnly, mayMove, zoom }}
        found={found === null ? null : found.size}
        onText={setText}
        onDownOnly={setDownOnly}
        onNextFound={goToNextFound}
        onMove={openMove}
        onSave={() => saveSvg(site, layout, found)}
      />
      <Notices {...view} hasNoParents={forest.roots.every(({ key }) => key === WITHOUT_PARENT)} />
      <ProposalList {...{ proposals, mayAccept: mayMove }} isOpen={areProposalsOpen} onOpen={openProposals} />
      {view.roots.length === 0 ? (
        <p className={styles.nothing}>{texts.nothingDown}</p>
      ) : (
        <Drawing
          {...{ site, layout, found, frame, onToggle, onMove }}
          proposed={areProposalsOpen ? proposals.shown : NONE}
          zoom={zoom.zoom}
          active={reachable}
          isMovable={mayMove}
          onActive={setActive}
          onPoint={setPointed}
          onGoTo={goTo}
        />
      )}
      <InfoBar devices={devices} device={device(pointed) ?? device(active)} />
      {moving === null ? null : (
        <MoveDialog devices={devices} device={moving.device} onMove={onMove} onClose={() => setMoving(null)} />
      )}
    </section>
  );
}

function Notices(props: { isCountsOnly: boolean; treesLeftOut: number; hasNoParents: boolean }) {
  const { isCountsOnly, treesLeftOut, hasNoParents } = props;
  const notices = [
    ...(hasNoParents ? [texts.noParents] : []),
    ...(isCountsOnly ? [texts.countsOnly] : []),
    ...(treesLeftOut > 0 ? [texts.treesLeftOut(treesLeftOut)] : []),
  ];
  return notices.map((notice) => (
    <p key={notice} className={styles.notice}>
      {notice}
    </p>
  ));
}
