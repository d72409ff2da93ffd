/** The open ports of devices: one row for each device that a port scan has met. */

import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { ServiceError } from '../../../shared/errors.ts';
import { JobId, type SiteId } from '../../../shared/identity.ts';
import { problemOf } from '../../../shared/problem.ts';
import { Millis } from '../../../shared/time.ts';
import { NmapMode } from '../../../shared/tools/nmap.ts';
import { backOff } from '../../table/back-off.ts';
import { IS_NEW } from '../../table/condition.ts';
import { PREFIXES, rows, sitePartition } from '../../table/rows.ts';
import { inSlices } from '../../table/slices.ts';
import type { ConditionalWrite, Item, Table } from '../../table/table.ts';
import type { DeviceKey } from './device-codec.ts';
import {
  type DeviceScan,
  MAX_ALL_SCANS,
  MAX_PORT_CHANGES,
  MAX_PORTS,
  mergePorts,
  NO_PORTS,
  PORT_PROTOCOLS,
  type PortChange,
  type PortHistory,
  type PortProtocol,
} from './merge-ports.ts';

/** What a row of ports belongs to. */
interface PortsOf {
  site: SiteId;
  device: DeviceKey;
}

interface PortRow {
  history: PortHistory;
  /** The version of the collection when the row was written. It is below `born` in a row of a site that was removed. */
  version: number;
}

/** The collection to whose devices ports belong: its version, and the first version of this site. */
interface PortsCollection {
  version: number;
  /** What an earlier site of the same id has left is replaced. */
  born: number;
}

/** What scans make of the row of a device. */
export interface PlannedPorts {
  /** Null when it changes nothing, as when it was merged before. */
  write: ConditionalWrite | null;
  /** The ports that they found opened or closed. */
  changed: PortChange[];
}

export interface PortStore {
  /**
   * What scans found on a device, also while the device is deleted; null when no scan has met it.
   * @throws {ServiceError} `not_found` when the row cannot be read
   */
  find(of: PortsOf): Promise<PortRow | null>;
  /**
   * The devices of a site on which the last scan that tried this port found it open, those that were deleted since included.
   * @param most rows are read; `isAll` tells whether that was enough
   */
  withPort(
    site: SiteId,
    port: { number: number; protocol: PortProtocol | null },
    collection: Pick<PortsCollection, 'born'>,
    most: number,
  ): Promise<{ devices: Set<DeviceKey>; rows: number; isAll: boolean }>;
  /** How scans of a device, one for an address, are merged into its row: by one write, which fails when another one comes first. */
  plan(of: PortsOf, collection: PortsCollection, scans: readonly DeviceScan[]): Promise<PlannedPorts>;
  /**
   * Merges scans of a device into its row, unless that is news, which has to be told by the same transaction. Merging it
   * again changes nothing.
   * @returns what has to be told; empty when the scans are merged
   */
  merge(of: PortsOf, collection: PortsCollection, scans: readonly DeviceScan[]): Promise<PortChange[]>;
}

/**
 * How long ports are kept after the last scan that met the device. Deleting a device leaves them, so that they are there
 * again when the device is restored or comes back by itself; then they expire.
 */
const KEEP_DAYS = 90;
const ATTEMPTS = 8;
const PORTS_PAGE = 250;
/** To unpack a row takes some 50 µs. */
const DECODED_AT_ONCE = 50;

/** A row that was written before ports had an address has those of the main one. */
const Address = z.string().default('');
const Ports = z.array(
  z.object({
    address: Address,
    port: z.int(),
    protocol: z.enum(PORT_PROTOCOLS),
    state: z.string(),
    service: z.string().nullable(),
    product: z.string().nullable(),
    version: z.string().nullable(),
    seenAt: Millis,
    firstSeenAt: Millis,
    scan: JobId,
    mode: NmapMode,
    identifiedAt: Millis.nullable(),
  }),
);
const Scans = z.array(
  z.object({
    address: Address,
    at: Millis,
    scan: JobId,
    mode: NmapMode,
    tried: z.string(),
    protocol: z.enum(PORT_PROTOCOLS),
  }),
);
const Changes = z.array(
  z.object({
    address: Address,
    change: z.enum(['opened', 'closed']),
    port: z.int(),
    protocol: z.enum(PORT_PROTOCOLS),
    service: z.string().nullable(),
    at: Millis,
    scan: JobId,
  }),
);
const Stored = z.object({
  ports: Ports.max(MAX_PORTS),
  scans: Scans.max(MAX_ALL_SCANS),
  changes: Changes.max(MAX_PORT_CHANGES),
});

export function openPortStore(table: Table, now: () => Date): PortStore {
  const hasExpired = (item: Item) => Number(item.ttl) * 1000 <= now().getTime();

  const plan: PortStore['plan'] = async ({ site, device }, { version, born }, scans) => {
    const key = rows.ports(site, device);
    const item = await table.get(key, { consistent: true });
    const known = item === null || hasExpired(item) || Number(item.v) < born ? NO_PORTS : readable(item);
    let history = known;
    const changed: PortChange[] = [];
    for (const scan of scans) {
      const merged = mergePorts(history, scan);
      history = merged.history;
      changed.push(...merged.changed);
    }
    if (JSON.stringify(history) === JSON.stringify(known)) return { write: null, changed };
    const put = {
      ...key,
      d: gzipSync(JSON.stringify(history)),
      // Two writers never use the same one, so it tells whether the row is still the one that was read.
      id: randomBytes(6).toString('base64url'),
      v: version,
      ttl: Math.ceil(now().getTime() / 1000) + KEEP_DAYS * 86_400,
    };
    return { write: { put, condition: item === null ? IS_NEW : { equals: { id: String(item.id) } } }, changed };
  };

  return {
    async find({ site, device }) {
      const item = await table.get(rows.ports(site, device), { consistent: true });
      if (item === null || hasExpired(item)) return null;
      try {
        return { history: decode(item), version: Number(item.v) };
      } catch (error) {
        const message = `The ports of ${device} cannot be shown: their row cannot be read (${problemOf(error)}). The next port scan of the device replaces it`;
        throw new ServiceError('not_found', message);
      }
    },

    async withPort(site, { number, protocol }, { born }, most) {
      const devices = new Set<DeviceKey>();
      let read = 0;
      for await (const page of table.query(sitePartition(site), PREFIXES.ports, { limit: PORTS_PAGE })) {
        for await (const slice of inSlices(page, DECODED_AT_ONCE)) {
          for (const item of slice) {
            if (read++ === most) return { devices, rows: most, isAll: false };
            if (hasExpired(item) || Number(item.v) < born) continue;
            const isOpen = readable(item).ports.some(
              (one) => one.port === number && (protocol === null || one.protocol === protocol),
            );
            if (isOpen) devices.add(item.sk.slice(PREFIXES.ports.length));
          }
        }
      }
      return { devices, rows: read, isAll: true };
    },

    plan,

    async merge(of, collection, scans) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { write, changed } = await plan(of, collection, scans);
        if (write === null || changed.length > 0) return changed;
        if ('put' in write && (await table.put(write.put, write.condition))) return [];
        await backOff(attempt);
      }
      throw new ServiceError('conflict', `The ports of ${of.device} keep changing; try again`, { retryAfter: 1 });
    },
  };
}

/** A row that cannot be read is replaced by what the scan has found. */
function readable(item: Item): PortHistory {
  try {
    return decode(item);
  } catch {
    return NO_PORTS;
  }
}

/** @throws when the row is malformed */
function decode(item: Item): PortHistory {
  const json = gunzipSync(z.instanceof(Uint8Array).parse(item.d), { maxOutputLength: MAX_JSON_BYTES });
  // When UDP was a mode, the protocol stood beside it already.
  return Stored.parse(JSON.parse(json.toString('utf8').replaceAll('"mode":"udp"', '"mode":"fast"')));
}

/** A thousand ports with texts of the greatest length take less. */
const MAX_JSON_BYTES = 4_000_000;
