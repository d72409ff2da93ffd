/** `lanreach devices show|ports|forget|restore` */
import type { Command } from 'commander';
import type { DevicePort, DevicePorts } from '../../shared/api/one-device.ts';
import { shellWord } from '../../shared/install-line.ts';
import { RESTORABLE_DAYS } from '../../shared/words.ts';
import { failureOf } from '../client/failure.ts';
import { openSession } from '../client/session.ts';
import { type Cell, fields, muted, table, time } from '../client/text.ts';
import { DEVICE, keyOf, noteUndo } from './device-names.ts';
import { deviceText } from './device-text.ts';
import { siteOption } from './site-option.ts';
import { TIME_EXAMPLES, toTime } from './time-option.ts';
import { yesOption } from './yes-option.ts';

/** A change of many devices waits until another one of the site has ended. */
const RESTORE_TIMEOUT_MS = 120_000;

interface SiteOptions {
  site?: string;
}

interface PortOptions extends SiteOptions {
  /** Without a value: what the last scan has changed. */
  diff?: string | true;
}

interface RestoreOptions extends SiteOptions {
  change?: string;
  dryRun?: boolean;
}

export function addOneDeviceCommands(command: Command): void {
  command
    .command('show')
    .description('show a device in full')
    .argument('<device>', DEVICE)
    .addOption(siteOption())
    .action(async (device: string, { site }: SiteOptions, own: Command) => {
      const session = openSession(own);
      const { client, show, note, isJson } = session;
      const params = { mac: await keyOf(session, device, site) };
      const answer = await client.ask('GET /devices/{mac}', { site, params });
      const withoutPorts = (error: unknown) => {
        const failure = failureOf(error);
        if (failure === null) throw error;
        note(`The open ports are not shown: ${failure.message}`);
        return null;
      };
      const ports = isJson ? null : await client.ask('GET /devices/{mac}/ports', { site, params }).catch(withoutPorts);
      await show(answer, () => deviceText(answer, ports));
    });

  command
    .command('ports')
    .description('show the open ports of a device, as scans have found them')
    .argument('<device>', DEVICE)
    .option('--diff [since]', `what was opened and closed, by the last scan or since: ${TIME_EXAMPLES}, a run`, toSince)
    .addOption(siteOption())
    .action(async (device: string, { site, diff }: PortOptions, own: Command) => {
      const session = openSession(own);
      const { client, show, note } = session;
      const params = { mac: await keyOf(session, device, site) };
      const query = { diff: diff === true ? 'last' : diff };
      const answer = await client.ask('GET /devices/{mac}/ports', { site, params, query });
      await show(answer, () =>
        answer.diff === undefined
          ? table(['PORT', 'STATE', 'SERVICE', 'PRODUCT', 'SEEN', 'SCAN'], answer.ports.map(portRow))
          : table(['CHANGE', 'PORT', 'SERVICE', 'FOUND', 'RUN'], changeRows(answer.diff)),
      );
      const where = site === undefined ? '' : ` --site ${shellWord(site)}`;
      if (answer.scannedAt === null)
        note(`No scan has met this device. To make one: lanreach scan ${shellWord(device)}${where}`);
      else note(['Last scanned: ', time(answer.scannedAt)]);
    });

  command
    .command('forget')
    .description('delete a device; "restore" brings it back')
    .argument('<device>', DEVICE)
    .addOption(yesOption())
    .addOption(siteOption())
    .action(async (device: string, { site }: SiteOptions, own: Command) => {
      const session = openSession(own);
      const { client, show, note } = session;
      const mac = await keyOf(session, device, site);
      const answer = await client.ask('DELETE /devices/{mac}', { site, params: { mac } });
      await show(answer, () => fields({ deleted: mac, change: answer.change }));
      noteUndo(note, answer.change, site);
    });

  command
    .command('restore')
    .description(`bring back what a delete or a replacing import took away in the last ${RESTORABLE_DAYS} days`)
    .argument('[device...]', 'only these, by MAC or by their key in topology')
    .option('--change <number>', 'which change to undo, as "events" shows it; default: the latest that deleted devices')
    .option('--dry-run', 'change nothing, only report what would be restored')
    .addOption(siteOption())
    .action(async (macs: string[], { site, change, dryRun }: RestoreOptions, own: Command) => {
      const { client, show } = openSession(own);
      const query = { dryRun: dryRun ? ('true' as const) : undefined };
      const body = { ...(change === undefined ? {} : { change }), ...(macs.length === 0 ? {} : { macs }) };
      const question = { site, query, body, timeoutMs: RESTORE_TIMEOUT_MS };
      const answer = await client.ask('POST /devices/restore', question);
      await show(answer, () =>
        fields({ restored: String(answer.restored), skipped: String(answer.skipped), change: answer.change }),
      );
    });
}

function portRow({ port, protocol, state, service, product, version, seenAt, mode, ...rest }: DevicePort): Cell[] {
  const shown = rest.new ? `${state}, new` : state;
  return [
    `${port}/${protocol}`,
    shown,
    service ?? '',
    [product, version].filter(Boolean).join(' '),
    time(seenAt),
    mode,
  ];
}

function changeRows({ opened, closed }: NonNullable<DevicePorts['diff']>): Cell[][] {
  const all = [
    ...opened.map((one) => ({ ...one, change: 'opened' })),
    ...closed.map((one) => ({ ...one, change: 'closed' })),
  ];
  const newestFirst = all.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.port - b.port));
  return newestFirst.map(({ change, port, protocol, service, at, scan }) => [
    change,
    `${port}/${protocol}`,
    service ?? '',
    time(at),
    muted(scan),
  ]);
}

/** The id of a run stays as it is; anything else is a time. */
function toSince(text: string): string {
  return /^[a-z0-9-]{1,32}\.[0-9a-f-]{36}$/.test(text) ? text : toTime(text);
}
