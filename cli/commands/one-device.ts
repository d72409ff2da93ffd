/** `lanreach devices show|ports|forget|restore` */
import type { DevicePort, DevicePorts } from '../../shared/api/one-device.ts';
import { shellWord } from '../../shared/install-line.ts';
import { RESTORABLE_DAYS } from '../../shared/words.ts';
import { failureOf } from '../client/failure.ts';
import { type Cell, fields, muted, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { flag, TIME_EXAMPLES, toTime } from '../option-values.ts';
import { DEVICE, keyOf, noteUndo } from './device-names.ts';
import { deviceText } from './device-text.ts';

/** A change of many devices waits until another one of the site has ended. */
const RESTORE_TIMEOUT_MS = 120_000;

interface PortOptions {
  /** Without a value: what the last scan has changed. */
  diff?: string | true;
}

interface RestoreOptions {
  change?: string;
  dryRun?: boolean;
}

export function addOneDeviceCommands(command: Command): void {
  const ofOne = (name: string, description: string) => command.part(name, description).argument('<device>', DEVICE);

  ofOne('show', 'show a device in full')
    .withSite()
    .run(async (session, device: string) => {
      const { client, show, note, isJson, site } = session;
      const question = { site, params: { mac: await keyOf(session, device) } };
      const answer = await client.ask('GET /devices/{mac}', question);
      const withoutPorts = (error: unknown) => {
        const failure = failureOf(error);
        if (failure === null) throw error;
        note(`The open ports are not shown: ${failure.message}`);
        return null;
      };
      const ports = isJson ? null : await client.ask('GET /devices/{mac}/ports', question).catch(withoutPorts);
      await show(answer, () => deviceText(answer, ports));
    });

  ofOne('ports', 'show the open ports of a device, as scans have found them')
    .option('--diff [since]', `what was opened and closed, by the last scan or since: ${TIME_EXAMPLES}, a run`, toSince)
    .withSite()
    .run(async (session, device: string, { diff: since }: PortOptions) => {
      const { request, note, site, siteWords } = session;
      const params = { mac: await keyOf(session, device) };
      const query = { diff: since === true ? 'last' : since };
      const { scannedAt } = await request('GET /devices/{mac}/ports', { site, params, query }, ({ diff, ports }) =>
        diff === undefined
          ? table(['PORT', 'STATE', 'SERVICE', 'PRODUCT', 'SEEN', 'SCAN'], ports.map(portRow))
          : table(['CHANGE', 'PORT', 'SERVICE', 'FOUND', 'RUN'], changeRows(diff)),
      );
      if (scannedAt !== null) return note(['Last scanned: ', time(scannedAt)]);
      note(`No scan has met this device. To make one: lanreach scan ${shellWord(device)}${siteWords}`);
    });

  ofOne('forget', 'delete a device; "restore" brings it back')
    .withYes()
    .withSite()
    .run(async (session, device: string) => {
      const { request, site } = session;
      const mac = await keyOf(session, device);
      const { change } = await request('DELETE /devices/{mac}', { site, params: { mac } }, (answer) =>
        fields({ deleted: mac, change: answer.change }),
      );
      noteUndo(session, change);
    });

  command
    .part('restore', `bring back what a delete or a replacing import took away in the last ${RESTORABLE_DAYS} days`)
    .argument('[device...]', 'only these, by MAC or by their key in topology')
    .option('--change <number>', 'which change to undo, as "events" shows it; default: the latest that deleted devices')
    .option('--dry-run', 'change nothing, only report what would be restored')
    .withSite()
    .run(({ request, site }, macs: string[], { change: undone, dryRun }: RestoreOptions) => {
      const body = { change: undone, macs: macs.length === 0 ? undefined : macs };
      const question = { site, query: { dryRun: flag(dryRun) }, body, timeoutMs: RESTORE_TIMEOUT_MS };
      return request('POST /devices/restore', question, ({ restored, skipped, change }) =>
        fields({ restored, skipped, change }),
      );
    });
}

function portRow({ port, protocol, state, service, product, version, seenAt, mode, ...rest }: DevicePort): Cell[] {
  const known = [`${port}/${protocol}`, rest.new ? `${state}, new` : state, service ?? ''];
  return [...known, [product, version].filter(Boolean).join(' '), time(seenAt), mode];
}

function changeRows({ opened, closed }: NonNullable<DevicePorts['diff']>): Cell[][] {
  const all = [
    ...opened.map((one) => ({ ...one, change: 'opened' })),
    ...closed.map((one) => ({ ...one, change: 'closed' })),
  ];
  const newestFirst = all.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.port - b.port));
  return newestFirst.map(({ change, port, protocol, service, at, scan }) => {
    return [change, `${port}/${protocol}`, service ?? '', time(at), muted(scan)];
  });
}

/** The id of a run stays as it is; anything else is a time. */
function toSince(text: string): string {
  return /^[a-z0-9-]{1,32}\.[0-9a-f-]{36}$/.test(text) ? text : toTime(text);
}
