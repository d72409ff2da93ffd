/** The view of the devices, with filters, order and groups: the query of the screen's address. */
import type { DeviceSort, SortColumn } from '../../../shared/api/device-list.ts';
import type { Category } from '../../../shared/device.ts';
import { GROUPINGS, type Grouping } from '../../../shared/device-groups.ts';

export interface DeviceView {
  status: Tab;
  text: string;
  /** Null: any. Empty: devices without one. */
  type: string | null;
  group: string | null;
  vendor: string | null;
  /** Whether an agent monitors it. Null: any. */
  watch: 'watched' | 'unknown' | null;
  /** Found open by a scan. Null: any. */
  port: number | null;
  sort: DeviceSort;
  by: Grouping;
  /** The columns of a view that was saved or shared, as `column-choice.ts` writes them. Null: those of this browser. */
  columns: string | null;
}

/** In the order of the tabs. `my`: all except archived ones. `deleted` are no longer in the list. */
export const TABS = [
  ...(['my', 'online', 'offline', 'down', 'new', 'favorites', 'archived'] as const satisfies Category[]),
  'deleted',
] as const;
export type Tab = (typeof TABS)[number];

const DEFAULT_STATUS = 'my';
const DEFAULT_SORT = 'name' satisfies DeviceSort;
/** New devices on top. */
export const DEFAULT_BY = 'new' satisfies Grouping;
/** The API's limit. */
export const MAX_TEXT = 256;

/** All devices except archived ones. */
export const NO_FILTER = {
  status: DEFAULT_STATUS,
  text: '',
  type: null,
  group: null,
  vendor: null,
  watch: null,
  port: null,
} as const;

/** Missing and invalid values become the defaults. */
export function parseView(query: URLSearchParams): DeviceView {
  const status = query.get('status');
  return {
    status: TABS.find((tab) => tab === status) ?? DEFAULT_STATUS,
    text: (query.get('text') ?? '').slice(0, MAX_TEXT),
    type: query.get('type'),
    group: query.get('group'),
    vendor: query.get('vendor'),
    watch: (['watched', 'unknown'] as const).find((one) => one === query.get('watch')) ?? null,
    port: parsePort(query.get('port') ?? ''),
    sort: parseSort(query.get('sort') ?? '') ?? DEFAULT_SORT,
    by: GROUPINGS.find((one) => one === query.get('by')) ?? DEFAULT_BY,
    columns: query.get('columns'),
  };
}

const SORT_COLUMNS: readonly SortColumn[] = [
  ...(['mac', 'name', 'ip', 'type', 'vendor', 'group', 'status', 'lastConnection', 'firstConnection'] as const),
];

export function columnOf(sort: DeviceSort): SortColumn {
  return sort.replace(/^-/, '') as SortColumn;
}

function parseSort(text: string): DeviceSort | null {
  return SORT_COLUMNS.includes(columnOf(text as DeviceSort)) ? (text as DeviceSort) : null;
}

/** Null for any other text. */
export function parsePort(text: string): number | null {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : null;
}

export function formatView(view: DeviceView): URLSearchParams {
  const query = new URLSearchParams();
  if (view.status !== DEFAULT_STATUS) query.set('status', view.status);
  if (view.text !== '') query.set('text', view.text);
  for (const name of ['type', 'group', 'vendor', 'watch', 'port', 'columns'] as const) {
    const value = view[name];
    if (value !== null) query.set(name, String(value));
  }
  if (view.by !== DEFAULT_BY) query.set('by', view.by);
  if (view.sort !== DEFAULT_SORT) query.set('sort', view.sort);
  return query;
}

/** Whether the view excludes any devices except archived ones. */
export function isFiltered(view: DeviceView): boolean {
  return (Object.keys(NO_FILTER) as (keyof typeof NO_FILTER)[]).some((name) => view[name] !== NO_FILTER[name]);
}

/** The view as the query of `GET /devices`. */
export function listQuery({ status, text, type, group, vendor, watch, port, sort, by }: DeviceView) {
  return {
    // Deleted devices have a list of their own.
    status: status === 'deleted' ? 'archived' : status,
    sort,
    ...(text === '' ? {} : { text }),
    ...(type === null ? {} : { type }),
    ...(group === null ? {} : { group }),
    ...(vendor === null ? {} : { vendor }),
    ...(watch === null ? {} : { watch }),
    ...(port === null ? {} : { port }),
    ...(by === DEFAULT_BY && status === 'archived' ? {} : { groupBy: by }),
  };
}
