/** The map of a site: the infrastructure as cards with the other devices in them; by network or access point; in the past. */
import texts from 'messages:map';
import { Network, X } from 'lucide-react';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { dateTimeText, dayMonthText } from '../../text/format.ts';
import { Button, IconButton, LinkButton } from '../../ui/button.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useNarrow } from '../../ui/use-narrow.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { ShareButton } from '../shares/share-button.tsx';
import { nameOfLane, pointsOf } from './lanes.ts';
import { MapView } from './map-view.tsx';
import { minutesBack, stepOf, timeBack } from './time-back.ts';
import type { ViewName } from './toolbar.tsx';
import { forestOf, inUse, WITHOUT_PARENT } from './tree.ts';
import { devicesOf, useTopology } from './use-devices.ts';

const VIEWS = Object.keys(texts.viewNames) as ViewName[];

export default function DeviceMap({ site }: { site: string }) {
  const [query, setQuery] = useHashQuery();
  const isNarrow = useNarrow();
  const [at, setAt] = useState<string | null>(null);
  const [isPastOpen, openPast] = useState(false);
  const topology = useTopology(site, at);
  const { data } = topology;
  const devices = useMemo(() => (data === undefined ? [] : inUse(devicesOf(data))), [data]);
  const tree = useMemo(() => forestOf(devices), [devices]);
  const points = useMemo(() => pointsOf(tree), [tree]);
  const hasLinks = tree.roots.some(({ key }) => key !== WITHOUT_PARENT);
  const hasPoints = points.roots.some(({ key }) => nameOfLane(key) === null);
  const views = hasPoints ? VIEWS : VIEWS.filter((name) => name !== 'points');
  const usual = isNarrow ? 'list' : hasLinks || data === undefined ? 'tree' : 'lanes';
  const view = views.find((name) => name === query.get('view')) ?? usual;

  function onView(next: ViewName): void {
    const changed = new URLSearchParams(query);
    changed.set('view', next);
    setQuery(changed, { replace: true });
  }

  const past = isPastOpen ? <PastBar site={site} at={at} onAt={setAt} onClose={() => openPast(false)} /> : null;
  const onPast = () => {
    if (isPastOpen) setAt(null);
    openPast(!isPastOpen);
  };
  const isPast = at !== null;
  return (
    <Page title={texts.title} isFull={view !== 'list'} actions={<ShareButton site={site} view="map" />}>
      {data === undefined || devices.length === 0 ? past : null}
      <Answered of={topology}>
        {() =>
          devices.length > 0 ? (
            <MapView
              key={site}
              {...{ site, devices, tree, points, hasLinks, view, views, onView, past, isPast, onPast }}
            />
          ) : isPast ? (
            <Empty title={texts.emptyThen} />
          ) : (
            <Empty title={texts.empty} icon={Network}>
              <p>{texts.emptyHint}</p>
              <LinkButton to={`/sites/${site}/devices`}>{texts.toDevices}</LinkButton>
            </Empty>
          )
        }
      </Answered>
    </Page>
  );
}

const END = 'text-muted text-xs whitespace-nowrap';

const SPANS = { month: texts.lastDays({ days: 30 }), quarter: texts.lastDays({ days: 90 }) };
const DAYS = { month: 30, quarter: 90 } as const;

interface Props {
  site: string;
  /** ISO 8601; null: now. */
  at: string | null;
  onAt: (at: string | null) => void;
  onClose: () => void;
}

/** The slider that shows the map at a time in the past. */
function PastBar({ site, at, onAt, onClose }: Props) {
  const { data } = useAnswer('GET /sites/{site}', { params: { site } }, { everyMs: POLL_MS.calm });
  const [span, setSpan] = useState<keyof typeof SPANS>('month');
  const [back, setBack] = useState(0);
  const [present] = useState(() => Date.now());
  const most = minutesBack(DAYS[span], present, data?.createdAt ?? null);
  const settled = useSettled(back, 250);
  const choose = useEffectEvent((minutes: number) => onAt(timeBack(minutes, present)));
  useEffect(() => choose(settled), [settled]);
  const shown = timeBack(back, present);
  return (
    <section className="card flex flex-wrap items-center gap-y-1 gap-x-4 pr-3 pl-1.5 py-1" aria-label={texts.past}>
      <Tabs
        label={texts.pastSpan}
        tabs={SPANS}
        value={span}
        onChange={(next) => {
          setSpan(next);
          setBack(Math.min(back, minutesBack(DAYS[next], present, data?.createdAt ?? null)));
        }}
      />
      <div className="flex flex-[1_1_260px] items-center gap-2.5 min-w-0 [&_input]:flex-1 [&_input]:min-w-20 [&_input]:h-6 [&_input]:accent-accent">
        <span className={END}>{most === 0 ? '' : dayMonthText(new Date(present - most * 60_000))}</span>
        <input
          type="range"
          aria-label={texts.pastAt}
          aria-valuetext={shown === null ? texts.now : dateTimeText(new Date(shown))}
          min={-most}
          max={0}
          step={stepOf(most)}
          disabled={most === 0}
          value={-Math.min(back, most)}
          onChange={({ target }) => setBack(-Number(target.value))}
        />
        <span className={END}>{texts.now}</span>
      </div>
      <output className="min-w-[23ch] text-sm data-past:font-semibold" data-past={shown !== null || undefined}>
        {shown !== null ? texts.wasSo({ time: dateTimeText(new Date(shown)) }) : most === 0 ? texts.noPast : ''}
      </output>
      {at === null && shown === null ? (
        <IconButton label={texts.closePast} icon={<X />} onClick={onClose} />
      ) : (
        <Button
          onClick={() => {
            setBack(0);
            onAt(null);
          }}
        >
          {texts.backToNow}
        </Button>
      )}
    </section>
  );
}
