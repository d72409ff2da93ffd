/** Other events of the connection, and of the site as a whole. */
import texts from 'messages:internet';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { EventType } from '../../../shared/api/events.ts';
import { useAnswer } from '../../api/queries.ts';
import { useSiteName } from '../../api/site-name.ts';
import { useActors } from '../../ui/actor.tsx';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { EventList } from '../events/event-list.tsx';

const TYPES = [
  'outage',
  'outage-over',
  'site-dark',
  'site-back',
  'address-changed',
  'speed-low',
  'speed-normal',
] as const satisfies EventType[];
const MAX_EVENTS = 10;

export function Happened({ site }: { site: string }) {
  const actors = useActors(site);
  const name = useSiteName(site);
  const siteNames = useMemo(() => new Map([[site, name]]), [site, name]);
  const type = TYPES.join(',');
  const answer = useAnswer('GET /events', { site, query: { type, limit: MAX_EVENTS } });
  return (
    <Card title={texts.outages}>
      <Answered of={answer}>
        {({ events }) => (
          <>
            {events.length === 0 ? <p className="text-muted">{texts.noOutages}</p> : null}
            <EventList
              entries={events.map((event) => ({ site, event }))}
              actors={actors}
              siteNames={siteNames}
              isOfOneSite
              newCount={0}
              isOfOneDevice={false}
            />
            {events.length === 0 ? null : (
              <Link href={`/sites/${site}/events?${new URLSearchParams({ type })}`}>{texts.allOutages}</Link>
            )}
          </>
        )}
      </Answered>
    </Card>
  );
}
