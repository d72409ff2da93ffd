/** What the device was called and where it was, and what happened to it lately. */
import { Link } from 'wouter';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { DeviceField } from '../../../shared/device.ts';
import { Card } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
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
                  <div className={styles.hint}>{texts.fields[field]}</div>
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

export function RecentEvents({ events, to }: Props & { to: string }) {
  return (
    <Card title={texts.recent}>
      {events.length === 0 ? (
        <p className={styles.empty}>{texts.recentNone}</p>
      ) : (
        <ul className={styles.events}>
          {events.slice(0, MAX_EVENTS).map((event) => (
            <li key={event.id}>
              <Time at={event.at} />
              <Happened {...event} />
            </li>
          ))}
        </ul>
      )}
      <Link href={to}>{texts.allEvents}</Link>
    </Card>
  );
}

/** Of changed presence the type says it all. */
const SAID_BY_TYPE: readonly string[] = ['devPresentLastScan', 'devLastConnection', 'devIsArchived'];

function Happened({ type, cause, actor, changes }: DeviceEvent) {
  const shown = Object.entries(changes).filter(([field]) => !SAID_BY_TYPE.includes(field));
  const needsName = type === 'edited' || shown.length > 1;
  return (
    <div>
      <strong>{texts.eventTypes[type]}</strong>{' '}
      <span className={styles.hint} title={actor}>
        {texts.causes[cause]}
      </span>
      {shown.map(([field, change]) => (
        <div key={field} className={styles.change}>
          {needsName ? `${texts.fields[field as DeviceField] ?? field}: ` : ''}
          <span data-foreign>{texts.change(valueText(change?.from), valueText(change?.to))}</span>
        </div>
      ))}
    </div>
  );
}

/** The numbers are flags. */
function valueText(value: string | number | null | undefined): string {
  if (typeof value === 'number') return value === 1 ? texts.yes : texts.no;
  return value ?? '';
}
