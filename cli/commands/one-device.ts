/** `lanreach devices show|ports|forget|events|restore` */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { devices } from '../../shared/api/devices.ts';
import { DeviceEvent, EventType } from '../../shared/api/events.ts';
import type { DevicePort, DevicePorts, OneDevice } from '../../shared/api/one-device.ts';
import { DEVICE_FIELDS, parseDeviceKey, RESTORABLE_DAYS } from '../../shared/device.ts';
import { JobId } from '../../shared/identity.ts';
import { shellWord } from '../../shared/install-line.ts';
import { oneLine } from '../../shared/text.ts';
import { Failure, failureOf } from '../client/failure.ts';
import { noteUnreadable, openSession, type Session } from '../client/session.ts';
import { fields, table } from '../client/text.ts';
import { siteOption } from './site-option.ts';
import { TIME_EXAMPLES, toTime } from './time-option.ts';
import { isSeenNow, stateText } from './watch-text.ts';
import { yesOption } from './yes-option.ts';

/** Names are looked up among all devices of a site. */
const LOOK_UP_TIMEOUT_MS = 120_000;

interface SiteOptions {
  site?: string;
}

interface PortOptions extends SiteOptions {
  /** Without a value: what the last scan has changed. */
  diff?: string | true;
}

interface EventOptions extends SiteOptions {
  type?: EventType[];
  since?: string;
  limit: number;
  follow?: boolean;
}

interface RestoreOptions extends SiteOptions {
  change?: string;
  dryRun?: boolean;
}

export const DEVICE = 'its MAC address, its name, or its key in topology';
const LISTED = 20;

export function addOneDeviceCommands(command: Command): void {
  command
    .command('show')
    .description('show all that is known of a device')
    .argument('<device>', DEVICE)
    .addOption(siteOption())
    .action(async (device: string, { site }: SiteOptions, command: Command) => {
      const { client, show, note } = openSession(command);
      const params = { mac: await keyOf(client, device, site) };
      const answer = await client.ask(devices.getDevice, { site, params });
      const withoutPorts = (error: unknown) => {
        const failure = failureOf(error);
        if (failure === null) throw error;
        note(`The open ports are not shown: ${failure.message}`);
        return null;
      };
      const isText = command.optsWithGlobals().json !== true;
      const ports = isText ? await client.ask(devices.listDevicePorts, { site, params }).catch(withoutPorts) : null;
      show(answer, () => deviceText(answer, ports));
    });

  command
    .command('ports')
    .description('show the open ports of a device, as scans found them')
    .argument('<device>', DEVICE)
    .option('--diff [since]', `what was opened and closed, by the last scan or since: ${TIME_EXAMPLES}, a job`, toSince)
    .addOption(siteOption())
    .action(async (device: string, { site, diff }: PortOptions, command: Command) => {
      const { client, show, note } = openSession(command);
      const params = { mac: await keyOf(client, device, site) };
      const query = { diff: diff === true ? 'last' : diff };
      const answer = await client.ask(devices.listDevicePorts, { site, params, query });
      show(answer, () =>
        answer.diff === undefined
          ? table(['PORT', 'STATE', 'SERVICE', 'PRODUCT', 'SEEN', 'SCAN'], answer.ports.map(portRow))
          : table(['CHANGE', 'PORT', 'SERVICE', 'FOUND', 'JOB'], changeRows(answer.diff)),
      );
      const where = site === undefined ? '' : ` --site ${shellWord(site)}`;
      if (answer.scannedAt === null)
        note(`No scan has met this device. To make one: lanreach scan ${shellWord(device)}${where}`);
      else note(`Last scanned: ${answer.scannedAt}`);
    });

  command
    .command('forget')
    .description('delete a device; "restore" brings it back')
    .argument('<device>', DEVICE)
    .addOption(yesOption())
    .addOption(siteOption())
    .action(async (device: string, { site }: SiteOptions, command: Command) => {
      const { client, show, note } = openSession(command);
      const mac = await keyOf(client, device, site);
      const answer = await client.ask(devices.deleteDevice, { site, params: { mac } });
      show(answer, () => fields({ deleted: mac, change: answer.change }));
      noteUndo(note, answer.change, site);
    });

  command
    .command('events')
    .description('show what has happened to the devices, or to one of them')
    .argument('[device]', DEVICE)
    .addOption(
      new Option('--type <types>', `of these types only, with commas: ${EventType.options.join(', ')}`).argParser(
        typesOf,
      ),
    )
    .option('--since <time>', `since this time only: ${TIME_EXAMPLES}`, toTime)
    .option('--limit <number>', 'how many at most, up to 1000', countOf, LISTED)
    .option('--follow', 'show those that are still to come, as they happen')
    .addOption(siteOption())
    .action(async (device: string | undefined, options: EventOptions, command: Command) => {
      const session = openSession(command);
      const { site, type, since, limit, follow } = options;
      const key = device === undefined ? undefined : await keyOf(session.client, device, site);
      const query = { type: type?.join(','), since, device: key };
      if (follow) return followEvents(session, command.optsWithGlobals().json === true, { site, query });
      const page = { ...query, limit: String(limit) };
      const answer = await session.client.ask(devices.listEvents, { site, query: page });
      session.show(answer, () => table(['TIME', 'TYPE', 'DEVICE', 'NAME', 'WHAT'], answer.events.map(eventRow)));
      noteUnreadable(session, answer.unreadable);
      if (answer.nextCursor !== null) session.note('There may be older ones; --limit shows more.');
    });

  command
    .command('restore')
    .description(`bring back what a delete or a replacing import took away in the last ${RESTORABLE_DAYS} days`)
    .argument('[device...]', 'only these, by MAC or by their key in topology')
    .option('--change <number>', 'which change to undo, as "events" shows it; default: the latest that deleted devices')
    .option('--dry-run', 'change nothing, only say what would be brought back')
    .addOption(siteOption())
    .action(async (macs: string[], { site, change, dryRun }: RestoreOptions, command: Command) => {
      const { client, show } = openSession(command);
      const query = { dryRun: dryRun ? ('true' as const) : undefined };
      const body = { ...(change === undefined ? {} : { change }), ...(macs.length === 0 ? {} : { macs }) };
      const answer = await client.ask(devices.restoreDevices, { site, query, body, timeoutMs: LOOK_UP_TIMEOUT_MS });
      show(answer, () =>
        fields({ restored: String(answer.restored), skipped: String(answer.skipped), change: answer.change }),
      );
    });
}

/** Says how a change that deleted devices is undone. */
export function noteUndo(note: (text: string) => void, change: string, site: string | undefined): void {
  const where = site === undefined ? '' : ` --site ${shellWord(site)}`;
  note(`To bring back what was deleted: lanreach devices restore --change ${change}${where}`);
}

/** The key of one device, as `keysOf` finds it. */
export async function keyOf(client: Client, device: string, site: string | undefined): Promise<string> {
  const [key = ''] = await keysOf(client, [device], site);
  return key;
}

/**
 * The keys of devices that are named by their MACs, by their keys, or by their names in any letter case. The names are
 * looked up with one request.
 * @throws {Failure} `notFound` when no device has one of the names, `usage` when several have
 */
export async function keysOf(client: Client, named: readonly string[], site: string | undefined): Promise<string[]> {
  if (named.some((device) => device.trim() === '')) throw new Failure('usage', `Expected ${DEVICE}, not an empty text`);
  const areKeys = named.every((device) => parseDeviceKey(device) !== null);
  const { nodes } = areKeys
    ? { nodes: [] }
    : await client.ask(devices.networkTopology, { site, timeoutMs: LOOK_UP_TIMEOUT_MS });
  const inLowerCase = nodes.map(({ id, name }) => ({ id, name: name.toLowerCase() }));
  return named.map((device) => parseDeviceKey(device) ?? keyOfName(inLowerCase, device));
}

function keyOfName(nodes: readonly { id: string; name: string }[], device: string): string {
  const candidates = nodes.filter(({ name }) => name === device.toLowerCase());
  const [only, ...others] = candidates;
  if (only === undefined) {
    throw new Failure(
      'notFound',
      `No device is named "${device}". Find it with: lanreach devices search ${shellWord(device)}`,
    );
  }
  if (others.length === 0) return only.id;
  const keys = candidates.map(({ id }) => id);
  throw new Failure('usage', `ambiguous: ${keys.length} devices are named "${device}": ${someOf(keys)}`);
}

/** The first of these keys, and how many more there are. */
export function someOf(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_SHOWN_KEYS).join(', ');
  return keys.length > MAX_SHOWN_KEYS ? `${shown}, and ${keys.length - MAX_SHOWN_KEYS} more` : shown;
}

const MAX_SHOWN_KEYS = 10;

/** Breaks of the connection in a row, after which nobody waits any longer. */
const MAX_BREAKS = 10;

/** Shows events until it is interrupted. What happens while the connection is broken is shown when it is back. */
async function followEvents(
  { client, write, note }: Session,
  asJson: boolean,
  question: { site: string | undefined; query: object },
): Promise<never> {
  let lastEventId = '';
  let retryMs = 0;
  for (let breaks = 0; ; ) {
    try {
      for await (const { event, data, ...one } of client.follow(devices.listEvents, lastEventId, question)) {
        breaks = 0;
        lastEventId = one.id ?? lastEventId;
        retryMs = one.retryMs ?? retryMs;
        if (event === 'ready' && !asJson) note('Waiting for events; Ctrl-C ends this.');
        if (event === 'gap')
          note('Too much has happened meanwhile: events were left out, "lanreach devices events" has them');
        if (event !== 'message') continue;
        write(asJson ? `${JSON.stringify(data)}\n` : eventLine(DeviceEvent.parse(data)), asJson);
      }
    } catch (error) {
      // One that was refused, or never worked, is not going to work.
      const failure = failureOf(error);
      if (failure?.ending !== 'failure' || lastEventId === '' || ++breaks > MAX_BREAKS) throw error;
      note(`${failure.message}; trying again`);
    }
    await sleep(Math.max(retryMs, Math.min(30_000, 500 * 2 ** breaks)) * (0.5 + Math.random()));
  }
}

function eventLine(event: DeviceEvent): string {
  const [time = '', type = '', ...rest] = eventRow(event);
  return `${[time, type.padEnd(10), ...rest.map(oneLine)].join('  ').trimEnd()}\n`;
}

function eventRow({ id, at, type, device, changes, count, deleted = 0 }: DeviceEvent): string[] {
  const edits = Object.entries(changes).map(([field, { from, to }]) => `${field}: ${quoted(from)} → ${quoted(to)}`);
  const many =
    count === undefined ? [] : [`${count} devices${deleted > 0 && deleted < count ? `, ${deleted} deleted` : ''}`];
  // What "restore" asks for.
  const change = type === 'deleted' || deleted > 0 ? [`change ${id.split('.')[0]}`] : [];
  return [at, type, device?.key ?? '', device?.name ?? '', [...many, ...edits, ...change].join(', ')];
}

function quoted(value: string | number | null): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Everything that there is something to say of. */
export function deviceText(device: OneDevice, ports: DevicePorts | null = null): string {
  const { key, devStatus, watch, lastSeenAt, setByPerson, seenBy } = device;
  const record = DEVICE_FIELDS.filter((field) => device[field] !== '').map((field) => [field, String(device[field])]);
  const seen = seenBy.map(({ agent, online, since }) => `${agent}: ${online ? 'online' : 'offline'} since ${since}`);
  return fields({
    key,
    status: stateText({ status: devStatus, watch }),
    'last seen': isSeenNow({ status: devStatus, watch }) ? 'now' : (lastSeenAt ?? 'never'),
    ...Object.fromEntries(record),
    ...Object.fromEntries(Object.entries(device.extra).map(([name, value]) => [`extra ${name}`, value])),
    ...(ports === null || ports.scannedAt === null ? {} : { 'open ports': portsText(ports) }),
    ...(setByPerson.length === 0 ? {} : { 'set by people': setByPerson.join(', ') }),
    ...(seen.length === 0 ? {} : { 'seen by': seen.join('; ') }),
  });
}

function portsText({ ports, scannedAt }: DevicePorts): string {
  const numbers = ports.slice(0, MAX_SHOWN_PORTS).map(({ port }) => port);
  const shown = ports.length > numbers.length ? [...numbers, '…'] : numbers;
  return `${ports.length}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}, scanned ${scannedAt}`;
}

const MAX_SHOWN_PORTS = 20;

function portRow({ port, protocol, state, service, product, version, seenAt, mode, ...rest }: DevicePort): string[] {
  const shown = rest.new ? `${state}, new` : state;
  return [`${port}/${protocol}`, shown, service ?? '', [product, version].filter(Boolean).join(' '), seenAt, mode];
}

function changeRows({ opened, closed }: NonNullable<DevicePorts['diff']>): string[][] {
  const all = [
    ...opened.map((one) => ({ ...one, change: 'opened' })),
    ...closed.map((one) => ({ ...one, change: 'closed' })),
  ];
  const newestFirst = all.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.port - b.port));
  return newestFirst.map(({ change, port, protocol, service, at, scan }) => [
    change,
    `${port}/${protocol}`,
    service ?? '',
    at,
    scan,
  ]);
}

/** The id of a job stays as it is; anything else is a time. */
function toSince(text: string): string {
  return JobId.safeParse(text).success ? text : toTime(text);
}

function typesOf(text: string): EventType[] {
  return text.split(',').map((word) => {
    const type = EventType.safeParse(word.trim());
    if (type.success) return type.data;
    throw new InvalidArgumentError(`Expected some of ${EventType.options.join(', ')}.`);
  });
}

function countOf(text: string): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= 1 && number <= 1_000) return number;
  throw new InvalidArgumentError('Expected a number from 1 to 1000.');
}
