/** The events of the device by day, and its earlier names and addresses. */
import common from 'messages:common';
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import { useState } from 'react';
import { Link } from 'wouter';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { useActors } from '../../ui/actor.tsx';
import { Button } from '../../ui/button.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { EventList } from '../events/event-list.tsx';
import { sentenceOf, textOf } from '../events/sentence.ts';
import styles from './device.module.css';
import { earlierValues } from './history.ts';
import { useDeviceScreen } from './screen.ts';

const PAGE = 50;
const LATELY = 6;

/** @param to the address of the older events */
export default function HistoryTab({ to }: { to: string }) {
  const { history } = useDeviceScreen();
  const [shown, setShown] = useState(PAGE);
  return (
    <Answered of={history}>
      {({ events, isComplete }) => (
        <>
          <section className="grid gap-3 min-w-0" aria-label={texts.events}>
            {isComplete ? null : <p className="px-3 py-1.5 rounded-control bg-warn-soft text-sm">{texts.unread}</p>}
            {events.length === 0 ? (
              <Empty title={texts.noEvents}>
                <p>{texts.noEventsHint}</p>
              </Empty>
            ) : (
              <Events events={events.slice(0, shown)} />
            )}
            <div className="flex flex-wrap gap-2">
              {events.length > shown ? (
                <Button onClick={() => setShown(shown + PAGE)}>{common.more}</Button>
              ) : (
                <Link href={to}>{texts.olderEvents}</Link>
              )}
            </div>
          </section>
          <EarlierValues events={events} />
        </>
      )}
    </Answered>
  );
}

export function Lately({ events }: { events: readonly DeviceEvent[] }) {
  if (events.length === 0) return <p className="text-muted text-sm">{texts.noEvents}</p>;
  return (
    <ul
      className={`${styles.lately} grid min-w-0 text-sm [&_li:first-child]:border-t-0 [&_time]:flex-none [&_time]:text-muted [&_time]:text-xs`}
    >
      {events.slice(0, LATELY).map((event) => (
        <li key={event.id}>
          <span data-foreign>{textOf({ ...sentenceOf(event), changes: [] })}</span>
          <Time at={event.at} />
        </li>
      ))}
    </ul>
  );
}

function Events({ events }: { events: readonly DeviceEvent[] }) {
  const { site } = useDeviceScreen();
  const actors = useActors(site);
  const entries = events.map((event) => ({ site, event }));
  return (
    <div className="grid gap-3 min-w-0">
      <EventList entries={entries} actors={actors} siteNames={null} newCount={0} isOfOneDevice />
    </div>
  );
}

function EarlierValues({ events }: { events: readonly DeviceEvent[] }) {
  const fields = ['devLastIP', 'devName'] as const;
  const rows = fields.flatMap((field) => earlierValues(events, field).map((value) => ({ ...value, field })));
  if (rows.length === 0) return null;
  return (
    <div className="grid gap-3 min-w-0">
      <h2>{texts.earlierValues}</h2>
      <Table
        label={texts.earlierValues}
        rows={rows}
        keyOf={({ field, value, until }) => `${field} ${value} ${until}`}
        columns={[
          { heading: texts.what, cell: ({ field }) => fieldLabels[field] },
          { heading: texts.earlier, cell: ({ value }) => <span data-foreign>{value}</span> },
          { heading: texts.from, cell: ({ since }) => (since === null ? texts.before : <Time at={since} />) },
          { heading: texts.until, cell: ({ until }) => <Time at={until} /> },
        ]}
      />
    </div>
  );
}
