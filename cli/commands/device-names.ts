/** By what a device is named on the command line. */
import { isIP } from 'node:net';
import type * as z from 'zod';
import type { ListedDevice } from '../../shared/api/device-list.ts';
import { parseDeviceKey } from '../../shared/device-key.ts';
import { shellWord } from '../../shared/install-line.ts';
import { Failure } from '../client/failure.ts';
import { isMeant } from '../client/question.ts';
import type { Session } from '../client/session.ts';

export const DEVICE = 'its MAC address, its IP address, its name, or its key in topology';

/** Names are looked up among all devices of a site. */
const LOOK_UP_TIMEOUT_MS = 120_000;

/** The key of one device, as `keysOf` finds it. */
export async function keyOf(session: Session, device: string): Promise<string> {
  const [key = ''] = await keysOf(session, [device]);
  return key;
}

/**
 * The keys of devices that are named by their MACs, by their keys, by their addresses, or by their names in any letter case.
 * The names are looked up with one request. Where a name is a part of one device's name only, the command asks for confirmation.
 * @throws {Failure} `notFound` when no device has one of the names, `usage` when several have
 */
export async function keysOf(session: Session, named: readonly string[]): Promise<string[]> {
  if (named.some((device) => device.trim() === '')) throw new Failure('usage', `Expected ${DEVICE}, not an empty text`);
  const keys: (string | null)[] = [];
  for (const device of named) keys.push(parseDeviceKey(device) ?? (await keyOfAddress(session, device)));
  const nodes = keys.includes(null) ? await devicesOf(session) : [];
  const all: string[] = [];
  for (const [i, device] of named.entries()) all.push(keys[i] ?? (await keyOfName(session, nodes, device)));
  return all;
}

/** Null for what is no address, or that of no device. */
async function keyOfAddress({ client, site }: Session, device: string): Promise<string | null> {
  const address = device.trim().toLowerCase();
  if (isIP(address) === 0) return null;
  const query = { text: address, fields: 'all' } as const;
  const { devices } = await client.ask('GET /devices', { site, query, timeoutMs: LOOK_UP_TIMEOUT_MS });
  const listed = devices as z.infer<typeof ListedDevice>[];
  const last = listed.filter(({ devLastIP }) => devLastIP === address);
  // One that had it last goes before those that have it beside another one.
  const found = last.length > 0 ? last : listed.filter((one) => one.devAddresses.split(',').includes(address));
  const [only, ...others] = found.map(({ key }) => key);
  if (others.length === 0) return only ?? null;
  const keys = someOf(found.map(({ key }) => key));
  throw new Failure('usage', `ambiguous: ${found.length} devices have ${device}: ${keys}`);
}

/** The key of the device that a person agrees to have meant. @throws {Failure} `notFound` when there is none */
export async function keyMeant(session: Session, device: string): Promise<string> {
  return keyOfName(session, await devicesOf(session), device);
}

interface Node {
  id: string;
  name: string;
}

async function devicesOf({ client, site }: Session): Promise<readonly Node[]> {
  const question = { site, timeoutMs: LOOK_UP_TIMEOUT_MS };
  return (await client.ask('GET /devices/network/topology', question)).nodes;
}

async function keyOfName({ world }: Session, nodes: readonly Node[], device: string): Promise<string> {
  const wanted = device.toLowerCase();
  const candidates = nodes.filter(({ name }) => name.toLowerCase() === wanted);
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0) return only.id;
  if (only !== undefined) {
    const keys = candidates.map(({ id }) => id);
    throw new Failure('usage', `ambiguous: ${keys.length} devices are named "${device}": ${someOf(keys)}`);
  }
  const alike = nodes.filter(({ name }) => name.toLowerCase().includes(wanted));
  const [guess, ...more] = alike;
  if (guess === undefined) {
    const search = `lanreach devices search ${shellWord(device)}`;
    throw new Failure('notFound', `No device is named "${device}". Find it with: ${search}`);
  }
  if (more.length === 0 && (await isMeant(world, guess.name))) return guess.id;
  const names = someOf(alike.map(({ name }) => name));
  throw new Failure('notFound', `No device is named "${device}". Did you mean ${names}?`);
}

/** The first of these keys, and how many more there are. */
export function someOf(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_SHOWN_KEYS).join(', ');
  return keys.length > MAX_SHOWN_KEYS ? `${shown}, and ${keys.length - MAX_SHOWN_KEYS} more` : shown;
}

const MAX_SHOWN_KEYS = 10;

/** Says how a change that deleted devices is undone. */
export function noteUndo({ note, siteWords }: Session, change: string): void {
  note(`To bring back what was deleted: lanreach devices restore --change ${change}${siteWords}`);
}
