/** What the device was called and where it was, and what happened to it lately. */

import { Link } from 'wouter';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { fieldLabels } from '../../text/device-fields.ts';
import { useActors } from '../../ui/actor.tsx';
import { Card } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { EventList } from '../events/event-list.tsx';
import styles from './device.module.css';
import { earlierValues } from './history.ts';
import { texts } from './texts.ts';

interface Props {
  /** The newest first. */
  events: readonly DeviceEvent[];
}

const MAX_EVENTS = 12;

export function EarlierValues({ events }: Props) {
  const fields = ['devLastIP', 'devName'] as const;
  const rows = fields.flatMap((field) => earlierValues(events, field).map((value) => ({ ...value, field })));
  return (
    <Card title={texts.addresses}>
      {rows.length === 0 ? (
        <p className={styles.empty}>{texts.addressesNone}</p>
      ) : (
        <Table
          label={texts.earlierValues}
          rows={rows}
          keyOf={({ field, value, until }) => `${field} ${value} ${until}`}
          columns={[
            {
              heading: texts.earlier,
              cell: ({ field, value }) => (
                <>
                  <div data-foreign>{value}</div>
                  <div className={styles.hint}>{fieldLabels[field]}</div>
                </>
              ),
            },
            {
              heading: texts.from,
              cell: ({ since }) => (
                <span className={styles.nowrap}>{since === null ? texts.before : <Time at={since} />}</span>
              ),
            },
            {
              heading: texts.until,
              cell: ({ until }) => (
                <span className={styles.nowrap}>
                  <Time at={until} />
                </span>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}

export function RecentEvents({ site, events, to }: Props & { site: string; to: string }) {
  const actors = useActors(site);
  return (
    <Card title={texts.recent}>
      {events.length === 0 ? <p className={styles.empty}>{texts.recentNone}</p> : null}
      <EventList
        entries={events.slice(0, MAX_EVENTS).map((event) => ({ site, event }))}
        actors={actors}
        siteNames={null}
        newCount={0}
        isOfOneDevice
      />
      <Link href={to}>{texts.allEvents}</Link>
    </Card>
  );
}
