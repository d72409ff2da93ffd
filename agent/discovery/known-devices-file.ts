/** The file of known devices, by which they survive restarts. */
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import * as z from 'zod';
import {
  ChangeNumber,
  Conflict,
  DeviceName,
  MAX_ADDRESSES,
  MAX_FUTURE_EPOCH_MS,
  MAX_VENDOR_CHARACTERS,
} from '../../shared/agent/discovery.ts';
import { MAX_OBSERVATIONS } from '../../shared/agent/observations.ts';
import { codeOf } from '../../shared/errno.ts';
import { parseMac } from '../../shared/network.ts';
import { Millis } from '../../shared/time.ts';
import { syncDirectory, writeAtomically } from '../state/atomic-file.ts';
import { inPieces, linesIn } from '../state/line-file.ts';
import { PresenceState } from './device-presence.ts';
import { MAX_NETWORKS, NetworkMemory } from './known-networks.ts';
import { KnownObservation } from './observations.ts';

/** Kinds of changes, the most urgent first: online or offline, a new device, anything else. */
export const URGENCIES = ['presence', 'new', 'detail'] as const;
export type Urgency = (typeof URGENCIES)[number];

/** Beyond this, a new device replaces the one that was offline for longest. */
export const MAX_DEVICES = 8_192;

export const Device = z.object({
  mac: z.string().refine((text) => parseMac(text) === text),
  n: ChangeNumber,
  /** When the change `n` was noticed. */
  changedAt: Millis,
  /** The main address. */
  ip: z.string().nullable(),
  /** All recent addresses, lowest first. */
  addresses: z.array(z.object({ ip: z.string(), at: Millis })).max(MAX_ADDRESSES),
  /** The network, in CIDR notation, of the last sign. Only cycles that cover it can miss the device. */
  network: z.string(),
  name: DeviceName.nullable(),
  vendor: z.string().max(MAX_VENDOR_CHARACTERS).nullable(),
  gateway: z.boolean(),
  conflict: Conflict.nullable(),
  /** Whether the first scans of its network found it, and the cloud has not confirmed that yet. */
  baseline: z.boolean(),
  /** Whether it alerts when gone, as the cloud stated last. */
  alerts: z.boolean(),
  presence: PresenceState,
  /** The name of the source that last saw it, or has a lease of it; absent where scans do. */
  source: z.string().optional(),
  /** Whether only a lease knows it, so that its presence is unknown. */
  leased: z.literal(true).optional(),
  /** The time and address of the last name lookup. */
  namedAt: Millis.nullable(),
  namedIp: z.string().nullable(),
  /** Its announcements, apart from its name. */
  observations: z.array(KnownObservation).max(MAX_OBSERVATIONS).readonly(),
  /** The last change of the observations; null when it has no number yet. */
  observedN: ChangeNumber.nullable(),
});
export type Device = z.infer<typeof Device>;

const Head = z.object({
  epoch: Millis,
  lastChange: ChangeNumber,
  confirmed: ChangeNumber,
  digestedAt: Millis.nullable(),
  /** Changes without a number yet. */
  waiting: z.array(z.tuple([z.string(), z.enum(URGENCIES)])).max(MAX_DEVICES),
  networks: z.array(NetworkMemory).max(MAX_NETWORKS),
});
export type KnownState = z.infer<typeof Head> & { devices: Device[] };

/**
 * The file is one JSON object, with a line for what precedes the devices, one for each device, and one for the end: the text of
 * all devices is larger than they are in memory, and never exists as a whole.
 */
const DEVICES_FOLLOW = ',"devices":[';
const END = ']}';

/** Null without a readable file. */
export async function readKnownState(path: string, now: number, log: Pick<Logger, 'error'>) {
  try {
    const file = await readPieces(path);
    if (file.epoch <= now + MAX_FUTURE_EPOCH_MS) return file;
    log.error({ path, epoch: file.epoch }, 'the known devices are from the future; discovery starts over');
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 300) : String(error);
    if (codeOf(error) !== 'ENOENT') log.error({ path, reason }, 'cannot read the known devices; discovery starts over');
  }
  return null;
}

async function readPieces(path: string): Promise<KnownState> {
  let head: z.infer<typeof Head> | null = null;
  const devices: Device[] = [];
  let hasEnd = false;
  for await (const { line } of linesIn(path)) {
    const text = line.toString('utf8');
    if (head === null) head = Head.parse(JSON.parse(`${text.slice(0, -DEVICES_FOLLOW.length)}}`));
    else if (text === END) hasEnd = true;
    else devices.push(Device.parse(JSON.parse(text.replace(/,$/, ''))));
    if (devices.length > MAX_DEVICES) throw new Error(`more than ${MAX_DEVICES} devices`);
  }
  if (head === null || !hasEnd) throw new Error('the file has no end');
  return { ...head, devices };
}

/** Writes a snapshot of `state` while devices change: what is within one is replaced. @throws {Error} on failure */
export async function writeKnownState(path: string, { devices, ...state }: KnownState): Promise<void> {
  const head = JSON.stringify(state satisfies z.infer<typeof Head>);
  const copies = devices.map((device) => ({ ...device }));
  await writeAtomically(path, inPieces(linesOf(head, copies)));
  // After a power cut, reported numbers must not be assigned to other changes.
  await syncDirectory(dirname(path));
}

function* linesOf(head: string, devices: readonly Device[]): Generator<string> {
  yield `${head.slice(0, -1)}${DEVICES_FOLLOW}`;
  for (const [i, device] of devices.entries()) yield `${JSON.stringify(device)}${i < devices.length - 1 ? ',' : ''}`;
  yield END;
}
