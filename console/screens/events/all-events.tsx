/** The events of all sites that the token may read. */
import common from 'messages:common';
import texts from 'messages:events';
import { useMemo } from 'react';
import { LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { useOverview, versionOf } from '../sites/use-overview.ts';
import { Events } from './events.tsx';

export default function AllEvents() {
  const overview = useOverview();
  const sites = overview.data?.sites;
  const names = useMemo(() => new Map(sites?.map(({ id, name }) => [id, name])), [sites]);
  if (sites !== undefined && sites.length > 0) {
    return <Events title={texts.titleOfAll} site={null} version={versionOf(overview.data)} siteNames={names} />;
  }
  return (
    <Page title={texts.titleOfAll}>
      <Answered of={overview}>
        {() => (
          <Empty title={texts.noSites}>
            <LinkButton to="/">{common.toSites}</LinkButton>
          </Empty>
        )}
      </Answered>
    </Page>
  );
}
