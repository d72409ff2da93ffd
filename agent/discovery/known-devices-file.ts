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
import { codeOf } from '../../shared/errno.ts';
import { parseMac } from '../../shared/network.ts';
import { Millis } from '../../shared/time.ts';
import { syncDirectory, writeAtomically } from '../state/atomic-file.ts';
import { PresenceState } from './device-presence.ts';
import { BASELINE_LOOKS, MAX_GATEWAYS, MAX_NETWORKS, NetworkMemory } from './known-networks.ts';
import { URGENCIES } from './pending-changes.ts';

/** Beyond this, a new device takes the place of the one that has been gone for longest. */
export const MAX_DEVICES = 8_192;

export const Device = z.object({
  mac: z.string().refine((text) => parseMac(text) === text),
  n: ChangeNumber,
  /** When what `n` is about was noticed; null in files of earlier versions. */
  changedAt: Millis.nullable().default(null),
  /** The address that stands for it. */
  ip: z.string().nullable(),
  /** All addresses by which it was seen of late, lowest first. */
  addresses: z
    .array(z.object({ ip: z.string(), at: Millis }))
    .max(MAX_ADDRESSES)
    .default([]),
  /** The network, in CIDR notation, in which it was seen last. Only cycles that cover it can miss the device. */
  network: z.string(),
  name: DeviceName.nullable(),
  vendor: z.string().max(MAX_VENDOR_CHARACTERS).nullable(),
  gateway: z.boolean(),
  conflict: Conflict.nullable().default(null),
  /** Whether it was found by the first looks at its network, and that is not stored in the cloud yet. */
  baseline: z.boolean().default(false),
  /** Whether somebody wants to be alerted when it is gone, as the cloud said last. */
  alerts: z.boolean().default(false),
  presence: PresenceState,
  /** When its name was last looked for, and at which address. */
  namedAt: Millis.nullable(),
  namedIp: z.string().nullable(),
});
export type Device = z.infer<typeof Device>;

const StateFile = z.object({
  version: z.union([z.literal(1), z.literal(2)]),
  epoch: Millis,
  lastChange: ChangeNumber,
  confirmed: ChangeNumber,
  digestedAt: Millis.nullable(),
  devices: z.array(Device).max(MAX_DEVICES),
  /** What has changed and has no number yet. Not in version 1, as what follows. */
  waiting: z
    .array(z.tuple([z.string(), z.enum(URGENCIES)]))
    .max(MAX_DEVICES)
    .default([]),
  networks: z.array(NetworkMemory).max(MAX_NETWORKS).default([]),
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
  return { ...file, networks: file.version === 1 ? networksOf(file.devices) : file.networks };
}

/** @throws {Error} when the file cannot be written */
export async function writeKnownState(path: string, state: KnownState): Promise<void> {
  const file: z.infer<typeof StateFile> = { version: 2, ...state };
  await writeAtomically(path, JSON.stringify(file));
  // After a power cut, numbers that were told must not be given to other changes.
  await syncDirectory(dirname(path));
}

/** What the devices say of their networks. */
function networksOf(devices: readonly Device[]): NetworkMemory[] {
  const networks = new Map<string, NetworkMemory>();
  for (const { mac, network, gateway, presence } of devices) {
    const memory = networks.get(network) ?? { cidr: network, gateways: [], looks: BASELINE_LOOKS, seenAt: 0 };
    networks.set(network, memory);
    memory.seenAt = Math.max(memory.seenAt, presence.seenAt);
    if (gateway) memory.gateways = [...memory.gateways, mac].slice(-MAX_GATEWAYS);
  }
  return [...networks.values()].sort((a, b) => b.seenAt - a.seenAt).slice(0, MAX_NETWORKS);
}
