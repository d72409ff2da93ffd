/** The file in which what an agent knows of its LAN survives restarts. */
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

/** What has changed of a device, the most urgent first: it came or went, it was never there before, or anything else. */
export const URGENCIES = ['presence', 'new', 'detail'] as const;
export type Urgency = (typeof URGENCIES)[number];

/** Beyond this, a new device takes the place of the one that has been gone for longest. */
export const MAX_DEVICES = 8_192;

export const Device = z.object({
  mac: z.string().refine((text) => parseMac(text) === text),
  n: ChangeNumber,
  /** When what `n` is about was noticed. */
  changedAt: Millis,
  /** The address that stands for it. */
  ip: z.string().nullable(),
  /** All addresses by which it was seen of late, lowest first. */
  addresses: z.array(z.object({ ip: z.string(), at: Millis })).max(MAX_ADDRESSES),
  /** The network, in CIDR notation, in which it was seen last. Only cycles that cover it can miss the device. */
  network: z.string(),
  name: DeviceName.nullable(),
  vendor: z.string().max(MAX_VENDOR_CHARACTERS).nullable(),
  gateway: z.boolean(),
  conflict: Conflict.nullable(),
  /** Whether it was found by the first looks at its network, and that is not stored in the cloud yet. */
  baseline: z.boolean(),
  /** Whether somebody wants to be alerted when it is gone, as the cloud said last. */
  alerts: z.boolean(),
  presence: PresenceState,
  /** When its name was last looked for, and at which address. */
  namedAt: Millis.nullable(),
  namedIp: z.string().nullable(),
  /** What it says of itself, apart from its name. */
  observations: z.array(KnownObservation).max(MAX_OBSERVATIONS).readonly(),
  /** The change with which that last became another; null when it has no number yet. */
  observedN: ChangeNumber.nullable(),
});
export type Device = z.infer<typeof Device>;

const Head = z.object({
  epoch: Millis,
  lastChange: ChangeNumber,
  confirmed: ChangeNumber,
  digestedAt: Millis.nullable(),
  /** What has changed and has no number yet. */
  waiting: z.array(z.tuple([z.string(), z.enum(URGENCIES)])).max(MAX_DEVICES),
  networks: z.array(NetworkMemory).max(MAX_NETWORKS),
});
export type KnownState = z.infer<typeof Head> & { devices: Device[] };

/**
 * The file is one JSON object, with a line for what is before the devices, one for each of them, and one for its end: the
 * text of all devices is larger than they are in memory, and is never there as a whole.
 */
const DEVICES_FOLLOW = ',"devices":[';
const END = ']}';

/** Null without a file, and with one that cannot be read. */
export async function readKnownState(
  path: string,
  now: number,
  log: Pick<Logger, 'error'>,
): Promise<KnownState | null> {
  let file: KnownState;
  try {
    file = await readPieces(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      const reason = error instanceof Error ? error.message.slice(0, 300) : String(error);
      log.error({ path, reason }, 'the known devices cannot be read; discovery begins anew');
    }
    return null;
  }
  if (file.epoch > now + MAX_FUTURE_EPOCH_MS) {
    log.error({ path, epoch: file.epoch }, 'the known devices are from the future; discovery begins anew');
    return null;
  }
  return file;
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

/**
 * What `state` holds at this moment is written, also when devices change meanwhile; what is within them does not change.
 * @throws {Error} when the file cannot be written
 */
export async function writeKnownState(path: string, { devices, ...state }: KnownState): Promise<void> {
  const head = JSON.stringify(state satisfies z.infer<typeof Head>);
  const copies = devices.map((device) => ({ ...device }));
  await writeAtomically(path, inPieces(linesOf(head, copies)));
  // After a power cut, numbers that were told must not be given to other changes.
  await syncDirectory(dirname(path));
}

function* linesOf(head: string, devices: readonly Device[]): Generator<string> {
  yield `${head.slice(0, -1)}${DEVICES_FOLLOW}`;
  for (const [i, device] of devices.entries()) yield `${JSON.stringify(device)}${i < devices.length - 1 ? ',' : ''}`;
  yield END;
}
