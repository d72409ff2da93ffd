/** `lanreach devices list` */
import { type Command, Option } from 'commander';
import { DeviceSort } from '../../shared/api/device-list.ts';
import { devices } from '../../shared/api/devices.ts';
import type { Input } from '../../shared/api/operation.ts';
import { type DeviceSummary, StatusFilter } from '../../shared/device.ts';
import { openSession } from '../client/session.ts';
import { table } from '../client/text.ts';
import { siteOption } from './site-option.ts';

/** A hundred thousand devices are 13 MB. */
const TIMEOUT_MS = 120_000;

type Filters = Pick<Input<typeof devices.listDevices>, 'status' | 'type' | 'group' | 'vendor' | 'sort'>;
type ListOptions = Filters & { search?: string; site?: string };

export function addListCommand(devicesCommand: Command): void {
  devicesCommand
    .command('list')
    .description('list the devices')
    .addOption(new Option('--status <status>', 'one category only').choices(StatusFilter.options))
    .option('--type <device-type>', 'of exactly this type only; "" for those without one')
    .option('--group <device-group>', 'of exactly this group only; "" for those without one')
    .option('--vendor <vendor>', 'of exactly this vendor only; "" for those without one')
    .option('--search <text>', 'with this text in name, MAC or IP address only')
    .addOption(new Option('--sort <column>', 'with - in front descending; default: mac').choices(DeviceSort.options))
    .addOption(siteOption())
    .action(async ({ site, search, status, type, group, vendor, sort }: ListOptions, command: Command) => {
      const { client, show } = openSession(command);
      const query = { status, text: search, type, group, vendor, sort };
      const answer = await client.ask(devices.listDevices, { site, query, timeoutMs: TIMEOUT_MS });
      const rows = () => (answer.devices as DeviceSummary[]).map(summaryRow);
      show(answer, () => table(['MAC', 'IP', 'STATUS', 'TYPE', 'NAME'], rows()));
    });
}

function summaryRow({ devMAC, devIP, devStatus, devType, devName, devFavorite }: DeviceSummary): string[] {
  return [devMAC, devIP, devStatus, devType, devFavorite === 1 ? `★ ${devName}` : devName];
}
