/** The map of a site: the infrastructure as cards with the other devices in them; by network; in the past. */
import texts from 'messages:map';
import { Network } from 'lucide-react';
import { useMemo, useState } from 'react';
import { LinkButton } from '../../ui/button.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { useNarrow } from '../../ui/use-narrow.ts';
import { MapView } from './map-view.tsx';
import { PastBar } from './past.tsx';
import type { ViewName } from './toolbar.tsx';
import { inUse, type TopologyDevice } from './tree.ts';
import { useDevices } from './use-devices.ts';

const VIEWS = Object.keys(texts.viewNames) as ViewName[];

export default function DeviceMap({ site }: { site: string }) {
  const [query, setQuery] = useHashQuery();
  const isNarrow = useNarrow();
  const view = VIEWS.find((name) => name === query.get('view')) ?? (isNarrow ? 'list' : 'tree');
  const [at, setAt] = useState<string | null>(null);
  const [isPastOpen, openPast] = useState(false);
  const devices = useDevices(site, at);

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
  const props = { site, view, onView, past, isPast: at !== null, onPast };
  return (
    <Page title={texts.title} isFull={view !== 'list'}>
      {devices.data === undefined ? past : null}
      <Answered of={devices}>{(all) => <Content key={site} {...props} all={all} />}</Answered>
    </Page>
  );
}

type Props = Omit<Parameters<typeof MapView>[0], 'devices'> & { all: readonly TopologyDevice[] };

function Content({ all, ...props }: Props) {
  const { site, past, isPast } = props;
  const devices = useMemo(() => inUse(all), [all]);
  if (devices.length > 0) return <MapView {...props} devices={devices} />;
  if (isPast) {
    return (
      <div>
        {past}
        <Empty title={texts.emptyThen} />
      </div>
    );
  }
  return (
    <Empty title={texts.empty} icon={Network}>
      <p>{texts.emptyHint}</p>
      <LinkButton to={`/sites/${site}/devices`}>{texts.toDevices}</LinkButton>
    </Empty>
  );
}
