/** The columns of the table: what stands in them, how wide they are, and by what the list is sorted. */
import watchTexts from 'messages:watch';
import type { ReactNode } from 'react';
import type { SortColumn } from '../../../shared/api/device-list.ts';
import { statusOf } from '../../../shared/device-status.ts';
import { kindText } from '../../text/kind-texts.ts';
import { DeviceStateFact } from '../../ui/device-state.tsx';
import { DayBand } from '../../ui/sparkline.tsx';
import { Time } from '../../ui/time.tsx';
import { type Device, isSeenNow } from './device.ts';
import styles from './device-row.module.css';
import type { InPlaceField } from './draft.ts';
import { Latency } from './latency.tsx';
import { type Presence, percentOf, presenceLabel } from './use-presence.ts';

/** What is known beside the record. */
interface Beside {
  /** Names of the devices that others hang on, by their keys. */
  parents: ReadonlyMap<string, string>;
  /** Null until it is known. */
  presence: Presence | null;
}

interface Column {
  /** Null where the API offers no such order. */
  sort: SortColumn | null;
  /** For 'grid-template-columns'. */
  width: string;
  edits?: InPlaceField;
  show: (device: Device, beside: Beside) => ReactNode;
}

const text = (value: string) => (
  <span className={`${styles.clip} block truncate`} title={value} data-foreign>
    {value}
  </span>
);
/** Never cut: one that is too long for a line, of IPv6, has two. */
const code = (value: string) => <code>{value}</code>;
const time = (value: string) => (value === '' ? null : <Time at={value} />);

const all = {
  status: {
    sort: 'status',
    width: '124px',
    show: (device) => <State device={device} />,
  },
  // The row itself shows it, with the icon, the line below it and the marks.
  name: { sort: 'name', width: 'minmax(220px, 3fr)', edits: 'devName', show: () => null },
  ip: { sort: 'ip', width: 'minmax(166px, 1fr)', show: ({ devLastIP }) => code(devLastIP) },
  mac: { sort: 'mac', width: '152px', show: ({ devMac }) => code(devMac) },
  presence: { sort: null, width: '96px', show: (_, { presence }) => <Band presence={presence} /> },
  latency: { sort: null, width: '72px', show: (_, { presence }) => <Latency of={presence?.latency ?? null} /> },
  type: {
    sort: 'type',
    width: 'minmax(110px, 1fr)',
    edits: 'devType',
    show: ({ devType }) => text(kindText(devType)),
  },
  group: { sort: 'group', width: 'minmax(110px, 1fr)', edits: 'devGroup', show: ({ devGroup }) => text(devGroup) },
  vendor: { sort: 'vendor', width: 'minmax(130px, 1.3fr)', show: ({ devVendor }) => text(devVendor) },
  owner: { sort: null, width: 'minmax(110px, 1fr)', show: ({ devOwner }) => text(devOwner) },
  location: { sort: null, width: 'minmax(110px, 1fr)', show: ({ devLocation }) => text(devLocation) },
  parent: {
    sort: null,
    width: 'minmax(152px, 1fr)',
    edits: 'devParentMAC',
    show: ({ devParentMAC }, { parents }) => {
      const name = parents.get(devParentMAC) ?? '';
      return name === '' ? code(devParentMAC) : text(name);
    },
  },
  parentPort: { sort: null, width: '100px', show: ({ devParentPort }) => text(devParentPort) },
  fqdn: { sort: null, width: 'minmax(150px, 1fr)', show: ({ devFQDN }) => text(devFQDN) },
  firstConnection: {
    sort: 'firstConnection',
    width: '128px',
    show: ({ devFirstConnection }) => time(devFirstConnection),
  },
  lastConnection: {
    sort: 'lastConnection',
    width: '116px',
    show: (device) =>
      isSeenNow(device) ? <span className="text-muted">{watchTexts.now}</span> : time(device.devLastConnection),
  },
  comments: { sort: null, width: 'minmax(180px, 2fr)', show: ({ devComments }) => text(devComments) },
} satisfies Record<string, Column>;

export type ColumnName = keyof typeof all;
export const COLUMNS: Readonly<Record<ColumnName, Column>> = all;

/** Those that stay beside the side panel, which shows the rest. */
const BESIDE_PANEL: readonly ColumnName[] = ['status', 'name', 'ip', 'lastConnection'];

/** @param hasLatency whether any device has one: where nothing is measured, its column would be empty */
export function columnsBeside(
  columns: readonly ColumnName[],
  hasPanel: boolean,
  hasLatency: boolean,
): readonly ColumnName[] {
  return columns.filter((name) => (name !== 'latency' || hasLatency) && (!hasPanel || BESIDE_PANEL.includes(name)));
}

/** The value of 'grid-template-columns' for these columns. */
export function templateOf(columns: readonly ColumnName[], hasSelection: boolean): string {
  return [...(hasSelection ? ['36px'] : []), ...columns.map((name) => COLUMNS[name].width)].join(' ');
}

/** A shape; the word as well where it is not the usual one. */
export function State({ device }: { device: Device }) {
  const isUsual = isSeenNow(device);
  return (
    <span
      className={
        isUsual
          ? // The word is there for screen readers: what is well is a dot.
            'inline-flex items-center gap-1.5 align-middle whitespace-nowrap [&>span]:unseen [&_svg]:size-2 [&_svg]:mx-0.5'
          : 'inline-flex items-center gap-1.5 align-middle whitespace-nowrap text-muted [&_svg]:flex-none'
      }
    >
      <DeviceStateFact status={statusOf(device)} watch={device.watch} />
    </span>
  );
}

function Band({ presence }: { presence: Presence | null }) {
  return presence === null ? null : (
    <span className={`${styles.band} flex items-center opacity-55`}>
      <DayBand slots={presence.slots} label={presenceLabel(percentOf(presence.slots))} height={12} />
    </span>
  );
}
