/** `lanreach devices list` */
import { type Command, Option } from 'commander';
import type * as z from 'zod';
import { DeviceSort, type ListedDevice as ListedDeviceSchema } from '../../shared/api/device-list.ts';
import { devices } from '../../shared/api/devices.ts';
import type { Input } from '../../shared/api/operation.ts';
import { StatusFilter, statusOf } from '../../shared/device.ts';
import { openSession } from '../client/session.ts';
import { table } from '../client/text.ts';
import { siteOption } from './site-option.ts';
import { TIME_EXAMPLES, toTime } from './time-option.ts';
import { isSeenNow, stateText } from './watch-text.ts';

/** A hundred thousand devices are 13 MB. */
const TIMEOUT_MS = 120_000;

type ListedDevice = z.infer<typeof ListedDeviceSchema>;
type Filters = Pick<
  Input<typeof devices.listDevices>,
  'status' | 'type' | 'group' | 'vendor' | 'model' | 'watch' | 'sort'
>;
type ListOptions = Filters & { search?: string; site?: string; at?: string };

export function addListCommand(devicesCommand: Command): void {
  devicesCommand
    .command('list')
    .description('list the devices')
    .addOption(new Option('--status <status>', 'one category only').choices(StatusFilter.options))
    .option('--type <device-type>', 'of exactly this type only; "" for those without one')
    .option('--group <device-group>', 'of exactly this group only; "" for those without one')
    .option('--vendor <vendor>', 'of exactly this vendor only; "" for those without one')
    .option('--model <model>', 'of exactly this model only; "" for those without one')
    .addOption(
      new Option('--watch <whether>', 'only what an agent watches now, or only the others').choices([
        'watched',
        'unknown',
      ]),
    )
    .option('--search <text>', 'with this text in name, MAC or IP address only')
    .addOption(new Option('--sort <column>', 'with - in front descending; default: mac').choices(DeviceSort.options))
    .option('--at <time>', `as they were at a time of the last 90 days: ${TIME_EXAMPLES}`, toTime)
    .addOption(siteOption())
    .action(async ({ site, search, ...filters }: ListOptions, command: Command) => {
      const { status, type, group, vendor, model, watch, sort, at } = filters;
      const { client, show } = openSession(command);
      const query = { status, text: search, type, group, vendor, model, watch, sort, at };
      // Scripts get the six fields; people are told how far a status can be believed.
      const fields = command.optsWithGlobals().json === true ? {} : { fields: 'all' as const };
      const answer = await client.ask(devices.listDevices, {
        site,
        query: { ...query, ...fields },
        timeoutMs: TIMEOUT_MS,
      });
      const rows = () => (answer.devices as ListedDevice[]).map((device) => row(device, at !== undefined));
      show(answer, () => table(['MAC', 'IP', 'STATUS', 'LAST SEEN', 'TYPE', 'NAME'], rows()));
    });
}

/** Of the past it is not known how far a status could be believed. */
function row(device: ListedDevice, isPast: boolean): string[] {
  const { devMac, devLastIP, devType, devName, devFavorite, devLastConnection } = device;
  const seen = { status: statusOf(device), watch: device.watch };
  const lastSeen = !isPast && isSeenNow(seen) ? 'now' : devLastConnection || '-';
  return [
    devMac,
    devLastIP,
    isPast ? seen.status : stateText(seen),
    lastSeen,
    devType,
    devFavorite === 1 ? `★ ${devName}` : devName,
  ];
}
