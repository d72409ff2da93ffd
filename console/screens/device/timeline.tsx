/** What happened to the device in the last 30 days, of all kinds or of one. */
import common from 'messages:common';
import texts from 'messages:device';
import { useState } from 'react';
import { Link } from 'wouter';
import type { EventType } from '../../../shared/api/events.ts';
import { useActors } from '../../ui/actor.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/state.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { EventList } from '../events/event-list.tsx';
import { useDeviceScreen } from './screen.ts';
import type { History } from './use-history.ts';

const EVENTS_AT_ONCE = 20;

type Kind = keyof typeof texts.kinds;
/** All other events are changes. */
const KINDS: Partial<Record<EventType, Kind>> = {
  ...{ online: 'presence', offline: 'presence', down: 'presence' },
  ...{ 'port-opened': 'ports', 'port-closed': 'ports' },
  ...{ renamed: 'names', 'ip-changed': 'names', conflict: 'names' },
  ...{ 'check-down': 'checks', 'check-up': 'checks', 'certificate-ending': 'checks', 'route-changed': 'checks' },
};
const kindOf = ({ type }: { type: EventType }): Kind => KINDS[type] ?? 'changes';

/** @param to the address of the older events */
export default function Timeline({ history: { events, isComplete }, to }: { history: History; to: string }) {
  const { site } = useDeviceScreen();
  const actors = useActors(site);
  const [shown, setShown] = useState(EVENTS_AT_ONCE);
  const [kind, setKind] = useState<Kind>('all');
  const kinds = new Set<string>(['all', kind, ...events.map(kindOf)]);
  const tabs = Object.fromEntries(Object.entries(texts.kinds).filter(([name]) => kinds.has(name)));
  const fitting = kind === 'all' ? events : events.filter((event) => kindOf(event) === kind);
  return (
    <section className="grid gap-3 min-w-0" aria-label={texts.timeline}>
      <div className="flex flex-wrap items-center justify-between gap-y-1 gap-x-4 min-w-0">
        <h2>{texts.timeline}</h2>
        {kinds.size > 2 ? (
          <Tabs label={texts.kindsOf} tabs={tabs as typeof texts.kinds} value={kind} onChange={setKind} />
        ) : null}
      </div>
      {isComplete ? null : <p className="px-3 py-1.5 rounded-control bg-warn-soft text-sm">{texts.unread}</p>}
      {fitting.length === 0 ? (
        <Empty title={texts.noEvents}>
          <p>{texts.noEventsHint}</p>
        </Empty>
      ) : (
        <EventList
          entries={fitting.slice(0, shown).map((event) => ({ site, event }))}
          actors={actors}
          siteNames={null}
          newCount={0}
          isOfOneDevice
        />
      )}
      {fitting.length > shown ? (
        <div>
          <Button onClick={() => setShown(shown + EVENTS_AT_ONCE)}>{common.more}</Button>
        </div>
      ) : (
        <Link href={to}>{texts.olderEvents}</Link>
      )}
    </section>
  );
}
