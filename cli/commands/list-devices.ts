/** `lanreach devices list` */
import { Option } from 'commander';
import type * as z from 'zod';
import type { QueryOf } from '../../client/routes.ts';
import type { ListedDevice as ListedDeviceSchema } from '../../shared/api/device-list.ts';
import { calledBy } from '../../shared/called.ts';
import { categoryOf, type DeviceStatus, SEEN_CATEGORIES, statusOf } from '../../shared/device-status.ts';
import { DEVICE_SORTS, STATUS_FILTERS } from '../../shared/words.ts';
import { type Cell, columnName, muted, news, state, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { TIME_EXAMPLES, toTime, yesOrNo } from '../option-values.ts';
import { isSeenNow, stateCell } from './watch-text.ts';

/** A hundred thousand devices are 13 MB. */
const TIMEOUT_MS = 120_000;

type ListedDevice = z.infer<typeof ListedDeviceSchema>;
type Filters = Pick<
  NonNullable<QueryOf<'GET /devices'>>,
  'status' | 'type' | 'group' | 'vendor' | 'model' | 'port' | 'sort'
>;
type ListOptions = Filters & { search?: string; watched?: boolean; at?: string };

const SHOWN = ['NAME', 'IP', 'STATUS', 'VENDOR', 'TYPE', 'SEEN'];
const MORE = ['MAC', 'GROUP', 'OWNER', 'LOCATION', 'MODEL', 'PARENT', 'FIRST SEEN'];
const COLUMNS = [...SHOWN, ...MORE].map(columnName);

export function addListCommand(devicesCommand: Command): void {
  devicesCommand
    .part('list', `list the devices; columns that --columns knows: ${COLUMNS.join(', ')}`)
    .addOption(new Option('--status <status>', 'one category only').choices(STATUS_FILTERS))
    .option('--type <device-type>', 'of exactly this type only; "" for those without one')
    .option('--group <device-group>', 'of exactly this group only; "" for those without one')
    .option('--vendor <vendor>', 'of exactly this vendor only; "" for those without one')
    .option('--model <model>', 'of exactly this model only; "" for those without one')
    .option('--watched <yes|no>', 'only devices that an agent monitors now, or only the others', yesOrNo)
    .option('--port <number>', 'on which a scan has found this port open only')
    .option('--search <text>', 'with this text in name, MAC or IP address only')
    .addOption(new Option('--sort <column>', 'with - in front descending; default: status, name').choices(DEVICE_SORTS))
    .option('--at <time>', `as they were at a time of the last 90 days: ${TIME_EXAMPLES}`, toTime)
    .withSite()
    .withWatch()
    .run(async (session, { search, watched, ...filters }: ListOptions, command: Command) => {
      const { status, type, group, vendor, model, port, sort, at } = filters;
      const { request, note, isJson, site } = session;
      // With or without the columns that say it: what no agent watches is neither online nor down.
      const isSeen =
        at === undefined && status !== undefined && SEEN_CATEGORIES.some((one) => one === categoryOf(status));
      const seen = watched ?? (isSeen ? true : undefined);
      const watch = seen === undefined ? undefined : seen ? ('watched' as const) : ('unknown' as const);
      // Scripts get the six fields, unless they choose some; people also see how far to trust a status.
      const isWhole = !isJson || Boolean(command.optsWithGlobals<{ json?: string }>().json);
      const fields = isWhole ? ('all' as const) : undefined;
      const query = { status, text: search, type, group, vendor, model, watch, port, sort, at, fields };
      const { truncated } = await request('GET /devices', { site, query, timeoutMs: TIMEOUT_MS }, ({ devices }) => {
        const listed = devices as ListedDevice[];
        const inOrder = sort === undefined ? [...listed].sort(byStatusAndName) : listed;
        const rows = inOrder.map((one) => row(one, at !== undefined));
        return table([...SHOWN, ...MORE], rows, MORE.length);
      });
      if (truncated) note('The search did not cover all scans of the site: more devices may have this port open.');
    });
}

/** What needs attention comes first. */
const RANKS: Readonly<Record<DeviceStatus, number>> = { down: 0, online: 1, offline: 2, archived: 3 };
const { compare } = new Intl.Collator(undefined, { numeric: true });

function byStatusAndName(a: ListedDevice, b: ListedDevice): number {
  return RANKS[statusOf(a)] - RANKS[statusOf(b)] || compare(a.devName, b.devName) || compare(a.devMac, b.devMac);
}

/** Of the past it is not known how far a status could be believed. */
function row(device: ListedDevice, isPast: boolean): Cell[] {
  const { devMac, devLastIP, devType, devVendor, devFavorite, devIsNew, devLastConnection } = device;
  const seen = { status: statusOf(device), watch: device.watch };
  const name = calledBy(device) || device.devName;
  const status = isPast ? state(seen.status) : stateCell(seen);
  return [
    devFavorite === 1 ? `★ ${name}` : name,
    devLastIP || '-',
    devIsNew === 1 ? [status, news(', new')] : status,
    devVendor || '-',
    devType || '-',
    !isPast && isSeenNow(seen) ? 'now' : time(devLastConnection),
    muted(devMac),
    device.devGroup,
    device.devOwner,
    device.devLocation,
    device.devModel,
    device.devParentMAC,
    time(device.devFirstConnection),
  ];
}
