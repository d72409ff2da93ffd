/** What hangs on what, drawn: the infrastructure as cards, with the other devices in them. */
import { useMemo } from 'react';
import { LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { TopologyView } from './map-view.tsx';
import { texts } from './texts.ts';
import { inUse, type TopologyDevice } from './tree.ts';
import { useDevices } from './use-devices.ts';

export default function Topology({ site }: { site: string }) {
  const devices = useDevices(site);
  return (
    <Page title={texts.title}>
      <Answered of={devices}>{(all) => <Content site={site} all={all} />}</Answered>
    </Page>
  );
}

function Content({ site, all }: { site: string; all: readonly TopologyDevice[] }) {
  const devices = useMemo(() => inUse(all), [all]);
  if (devices.length > 0) return <TopologyView site={site} devices={devices} />;
  return (
    <Empty title={texts.empty}>
      <p>{texts.emptyHint}</p>
      <LinkButton to={`/sites/${site}/devices`}>{texts.toDevices}</LinkButton>
    </Empty>
  );
}
