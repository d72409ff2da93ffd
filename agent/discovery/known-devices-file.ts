/** The file in which what an agent knows of its LAN survives restarts. */
import { readFile } from 'node:fs/promises';
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
  observations: z.array(KnownObservation).max(MAX_OBSERVATIONS).readonly().default([]),
  /** The change with which that last became another; null when it has no number yet. */
  observedN: ChangeNumber.nullable().default(0),
});
export type Device = z.infer<typeof Device>;

const StateFile = z.object({
  version: z.literal(2),
  epoch: Millis,
  lastChange: ChangeNumber,
  confirmed: ChangeNumber,
  digestedAt: Millis.nullable(),
  devices: z.array(Device).max(MAX_DEVICES),
  /** What has changed and has no number yet. */
  waiting: z.array(z.tuple([z.string(), z.enum(URGENCIES)])).max(MAX_DEVICES),
  networks: z.array(NetworkMemory).max(MAX_NETWORKS),
});
export type KnownState = Omit<z.infer<typeof StateFile>, 'version'>;

/** Null without a file, and with one that cannot be read. */
export async function readKnownState(
  path: string,
  now: number,
  log: Pick<Logger, 'error'>,
): Promise<KnownState | null> {
  let file: z.infer<typeof StateFile>;
  try {
    file = StateFile.parse(JSON.parse(await readFile(path, 'utf8')));
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

/** @throws {Error} when the file cannot be written */
export async function writeKnownState(path: string, state: KnownState): Promise<void> {
  const file: z.infer<typeof StateFile> = { version: 2, ...state };
  await writeAtomically(path, JSON.stringify(file));
  // After a power cut, numbers that were told must not be given to other changes.
  await syncDirectory(dirname(path));
}
