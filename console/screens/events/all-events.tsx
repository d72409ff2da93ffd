/** What happened on all sites that the token may use. */
import common from 'messages:common';
import texts from 'messages:events';
import { useMemo } from 'react';
import { LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { type Overview, useOverview } from '../sites/use-overview.ts';
import { Events } from './events.tsx';

export default function AllEvents() {
  const overview = useOverview();
  if (overview.data === undefined) {
    return (
      <Page title={texts.titleOfAll}>
        <Answered of={overview}>{() => null}</Answered>
      </Page>
    );
  }
  return <EventsOf sites={overview.data.sites} />;
}

function EventsOf({ sites }: Pick<Overview, 'sites'>) {
  const names = useMemo(() => new Map(sites.map(({ id, name }) => [id, name])), [sites]);
  if (sites.length === 0) {
    return (
      <Page title={texts.titleOfAll}>
        <Empty title={texts.noSites}>
          <LinkButton to="/">{common.toSites}</LinkButton>
        </Empty>
      </Page>
    );
  }
  return <Events title={texts.titleOfAll} site={null} changes={sites} siteNames={names} />;
}
