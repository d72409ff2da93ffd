/** The map of a site: the infrastructure as cards with the other devices in them; by network or access point; in the past. */
import texts from 'messages:map';
import { Network } from 'lucide-react';
import { useMemo, useState } from 'react';
import { LinkButton } from '../../ui/button.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { useNarrow } from '../../ui/use-narrow.ts';
import { nameOfLane, pointsOf } from './lanes.ts';
import { MapView } from './map-view.tsx';
import { PastBar } from './past.tsx';
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
    <Page title={texts.title} isFull={view !== 'list'}>
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
