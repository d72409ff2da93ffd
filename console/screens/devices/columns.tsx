/** The columns of the table: their content, width and sort order, and the choice of them, which this browser stores. */
import texts from 'messages:devices';
import watchTexts from 'messages:watch';
import { type ReactNode, useMemo } from 'react';
import type { SortColumn } from '../../../shared/api/device-list.ts';
import type { DeviceLatency } from '../../../shared/api/device-presence.ts';
import { brandOf } from '../../../shared/called.ts';
import { measuredText } from '../../text/format.ts';
import { kindText } from '../../text/kind-texts.ts';
import { DeviceStateFact, stateWord } from '../../ui/device-state.tsx';
import { DayBand } from '../../ui/sparkline.tsx';
import { makeKeptStore } from '../../ui/store.ts';
import { Time } from '../../ui/time.tsx';
import { type Device, isSeenNow, stateOf } from './device.ts';
import styles from './device-row.module.css';
import { type Presence, percentOf, presenceLabel } from './use-presence.ts';
import type { InPlaceField } from './use-row-edit.ts';

interface Beside {
  /** The names of parent devices by their keys. */
  parents: ReadonlyMap<string, string>;
  /** Null while it is loading. */
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

const text = (value: string, title = value) => (
  <span className={`${styles.clip} block truncate`} title={title} data-foreign>
    {value}
  </span>
);
/** Never truncated: a long IPv6 address takes two lines. */
const code = (value: string) => <code>{value}</code>;
const time = (value: string) => (value === '' ? null : <Time at={value} />);

const all = {
  status: { sort: 'status', width: '28px', show: (device) => <State device={device} /> },
  // The row itself renders it, with the icon, the line below and the marks.
  name: { sort: 'name', width: 'minmax(220px, 3fr)', edits: 'devName', show: () => null },
  ip: { sort: 'ip', width: 'minmax(166px, 1fr)', show: ({ devLastIP }) => code(devLastIP) },
  mac: { sort: 'mac', width: '152px', show: ({ devMac }) => code(devMac) },
  presence: { sort: null, width: '96px', show: (_, { presence }) => <Band presence={presence} /> },
  latency: { sort: null, width: '72px', show: (_, { presence }) => <Latency of={presence?.latency ?? null} /> },
  type: { sort: 'type', width: 'minmax(110px, 1fr)', edits: 'devType', show: ({ devType }) => text(kindText(devType)) },
  group: { sort: 'group', width: 'minmax(110px, 1fr)', edits: 'devGroup', show: ({ devGroup }) => text(devGroup) },
  vendor: { sort: 'vendor', width: 'minmax(110px, 1fr)', show: ({ devVendor }) => text(brandOf(devVendor), devVendor) },
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

/** Those that stay while the side panel shows the rest. */
const BESIDE_PANEL: readonly ColumnName[] = ['status', 'name', 'ip', 'lastConnection'];

/** @param hasLatency whether any device has one: without measurements the column would be empty */
export function columnsBeside(
  columns: readonly ColumnName[],
  hasPanel: boolean,
  hasLatency: boolean,
): readonly ColumnName[] {
  return columns.filter((name) => (name !== 'latency' || hasLatency) && (!hasPanel || BESIDE_PANEL.includes(name)));
}

/** The value of 'grid-template-columns' for these columns. */
export function templateOf(
  columns: readonly ColumnName[],
  isNarrow: boolean,
  hasSelection: boolean,
  hasActions: boolean,
): string {
  if (isNarrow) return `${hasSelection ? '44px' : ''} minmax(0, 1fr) ${hasActions ? '48px' : ''}`;
  const widths = columns.map((name) => COLUMNS[name].width).join(' ');
  return `${hasSelection ? '36px ' : ''}${widths} ${hasActions ? '108px' : ''}`;
}

/** A shape; its word is the tooltip, and for screen readers. */
function State({ device }: { device: Device }) {
  const state = stateOf(device);
  return (
    <span className="grid place-items-center [&>span]:unseen [&_svg]:size-2.5" title={stateWord(state)}>
      <DeviceStateFact {...state} />
    </span>
  );
}

function Band({ presence }: { presence: Presence | null }) {
  return presence === null ? null : (
    <span className="flex items-center">
      <DayBand slots={presence.slots} label={presenceLabel(percentOf(presence.slots))} height={12} />
    </span>
  );
}

/** Coloured only when it is unusually high. */
export function Latency({ of }: { of: DeviceLatency | null }) {
  if (of === null) return null;
  return (
    <span
      className={of.isHigh ? 'text-warn font-medium' : 'text-muted'}
      title={of.isHigh ? texts.latencyHigh : undefined}
    >
      {measuredText(of.ms)} ms
      {of.isHigh ? <span className="visually-hidden"> {texts.latencyHigh}</span> : null}
    </span>
  );
}

export const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[];

/** Always shown: they identify the row. */
export const FIXED_COLUMNS: readonly ColumnName[] = ['status', 'name'];
const BY_DEFAULT: readonly ColumnName[] = ['status', 'name', 'ip', 'mac', 'presence', 'latency', 'lastConnection'];
const kept = makeKeptStore('lanreach.devices.columns');

/** @param text from the storage of the browser or the address: anything */
function parseColumns(text: string | null): readonly ColumnName[] {
  if (text === null) return BY_DEFAULT;
  const names = text.split(' ');
  return COLUMN_NAMES.filter((name) => names.includes(name) || FIXED_COLUMNS.includes(name));
}

/** For a saved or shared view; null for the default. */
export function formatColumns(columns: readonly ColumnName[]): string | null {
  const text = columns.join(' ');
  return text === BY_DEFAULT.join(' ') ? null : text;
}

/** @param ofView the columns of the view in the address; null for none */
export function useColumns(
  ofView: string | null,
): [readonly ColumnName[], (next: readonly ColumnName[] | null) => void] {
  const text = kept.use();
  const columns = useMemo(() => parseColumns(ofView ?? text), [ofView, text]);
  return [columns, (next) => kept.set(next === null ? null : next.join(' '))];
}
