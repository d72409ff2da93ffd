/** The columns of the table: what stands in them, how wide they are, and by what the list is sorted. */
import type { ReactNode } from 'react';
import type { SortColumn } from '../../../shared/api/device-list.ts';
import { statusOf } from '../../../shared/device-status.ts';
import { watchTexts } from '../../text/texts.ts';
import { DeviceState } from '../../ui/device-state.tsx';
import { Time } from '../../ui/time.tsx';
import { type Device, isSeenNow } from './device.ts';
import styles from './device-row.module.css';
import type { InPlaceField } from './draft.ts';

interface Column {
  /** Null where the API offers no such order. */
  sort: SortColumn | null;
  /** For `grid-template-columns`. */
  width: string;
  edits?: InPlaceField;
  show: (device: Device, parents: ReadonlyMap<string, string>) => ReactNode;
}

const text = (value: string) => (
  <span className={styles.clip} title={value} data-foreign>
    {value}
  </span>
);
const code = (value: string) => (
  <code className={styles.clip} title={value}>
    {value}
  </code>
);
const time = (value: string) => (value === '' ? null : <Time at={value} />);

const all = {
  status: {
    sort: 'status',
    width: '116px',
    show: (device) => <DeviceState status={statusOf(device)} watch={device.watch} />,
  },
  // The row itself shows it, with the star and the badge.
  name: { sort: 'name', width: 'minmax(220px, 2.4fr)', edits: 'devName', show: () => null },
  ip: { sort: 'ip', width: 'minmax(128px, 1fr)', show: ({ devLastIP }) => code(devLastIP) },
  mac: { sort: 'mac', width: '160px', show: ({ devMac }) => code(devMac) },
  type: { sort: 'type', width: 'minmax(110px, 1fr)', edits: 'devType', show: ({ devType }) => text(devType) },
  group: { sort: 'group', width: 'minmax(110px, 1fr)', edits: 'devGroup', show: ({ devGroup }) => text(devGroup) },
  vendor: { sort: 'vendor', width: 'minmax(130px, 1.3fr)', show: ({ devVendor }) => text(devVendor) },
  owner: { sort: null, width: 'minmax(110px, 1fr)', show: ({ devOwner }) => text(devOwner) },
  location: { sort: null, width: 'minmax(110px, 1fr)', show: ({ devLocation }) => text(devLocation) },
  parent: {
    sort: null,
    width: 'minmax(150px, 1fr)',
    edits: 'devParentMAC',
    show: ({ devParentMAC }, parents) => {
      const name = parents.get(devParentMAC) ?? '';
      return name === '' ? code(devParentMAC) : text(name);
    },
  },
  parentPort: { sort: null, width: '100px', show: ({ devParentPort }) => text(devParentPort) },
  fqdn: { sort: null, width: 'minmax(150px, 1fr)', show: ({ devFQDN }) => text(devFQDN) },
  firstConnection: {
    sort: 'firstConnection',
    width: '172px',
    show: ({ devFirstConnection }) => time(devFirstConnection),
  },
  lastConnection: {
    sort: 'lastConnection',
    width: '172px',
    show: (device) => (isSeenNow(device) ? <span>{watchTexts.now}</span> : time(device.devLastConnection)),
  },
  comments: { sort: null, width: 'minmax(180px, 2fr)', show: ({ devComments }) => text(devComments) },
} satisfies Record<string, Column>;

export type ColumnName = keyof typeof all;
export const COLUMNS: Readonly<Record<ColumnName, Column>> = all;

/** The value of `grid-template-columns` for these columns. */
export function templateOf(columns: readonly ColumnName[], hasSelection: boolean): string {
  return [...(hasSelection ? ['40px'] : []), ...columns.map((name) => COLUMNS[name].width)].join(' ');
}
