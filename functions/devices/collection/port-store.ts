/** The open ports of devices: one row for each device that a port scan has reached. */
import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { problemOf } from '../../../shared/problem.ts';
import { IS_NEW } from '../../table/condition.ts';
import { retryOnConflict } from '../../table/retry.ts';
import { PREFIXES, rows, sitePartition } from '../../table/rows.ts';
import { inSlices } from '../../table/slices.ts';
import type { ConditionalWrite, Item, Table } from '../../table/table.ts';
import type { DeviceKey } from './device-codec.ts';
import {
  type DeviceScan,
  mergePorts,
  NO_PORTS,
  type PortChange,
  PortHistory,
  type PortProtocol,
} from './merge-ports.ts';

interface PortsOf {
  site: SiteId;
  device: DeviceKey;
}

/** The version of the collection, and its first one: rows with a lower one, of a removed site of the same id, are replaced. */
interface PortsCollection {
  version: number;
  born: number;
}

export interface PlannedPorts {
  /** Null when the scans change nothing, as when they were merged before. */
  write: ConditionalWrite | null;
  changed: PortChange[];
}

/** Ports are kept so long after the last scan, even of a deleted device, for when it is restored or comes back. */
const KEEP_DAYS = 90;
const PORTS_PAGE = 250;
/** Unpacking a row takes some 50 µs. */
const DECODED_AT_ONCE = 50;

/** A thousand ports with the longest texts take less. */
const MAX_JSON_BYTES = 4_000_000;

export type PortStore = ReturnType<typeof openPortStore>;

export function openPortStore(table: Table, now: () => Date) {
  const hasExpired = (item: Item) => Number(item.ttl) * 1000 <= now().getTime();

  async function plan(
    { site, device }: PortsOf,
    { version, born }: PortsCollection,
    scans: readonly DeviceScan[],
  ): Promise<PlannedPorts> {
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
      // Unique, so it shows whether the row is still the one that was read.
      id: randomBytes(6).toString('base64url'),
      v: version,
      ttl: Math.ceil(now().getTime() / 1000) + KEEP_DAYS * 86_400,
    };
    return { write: { put, condition: item === null ? IS_NEW : { equals: { id: String(item.id) } } }, changed };
  }

  return {
    /** Also of a deleted device; null when no scan has reached it. @throws {ServiceError} `not_found` when the row is unreadable */
    async find({ site, device }: PortsOf) {
      const item = await table.get(rows.ports(site, device), { consistent: true });
      if (item === null || hasExpired(item)) return null;
      try {
        // The version of the collection when the row was written; below `born` in a row of a removed site.
        return { history: decode(item), version: Number(item.v) };
      } catch (error) {
        const message = `The ports of ${device} cannot be shown: their row cannot be read (${problemOf(error)}). The next port scan of the device replaces it`;
        throw new ServiceError('not_found', message);
      }
    },

    /** Devices, deleted ones too, on which the last scan of the port found it open, in the first `most` rows (`isAll`: no more). */
    async withPort(
      site: SiteId,
      { number, protocol }: { number: number; protocol: PortProtocol | null },
      { born }: Pick<PortsCollection, 'born'>,
      most: number,
    ) {
      const devices = new Set<DeviceKey>();
      let read = 0;
      for await (const page of table.query(sitePartition(site), PREFIXES.ports, { limit: PORTS_PAGE })) {
        for await (const slice of inSlices(page, DECODED_AT_ONCE)) {
          for (const item of slice) {
            if (read++ === most) return { devices, rows: most, isAll: false };
            if (hasExpired(item) || Number(item.v) < born) continue;
            const isWanted = (one: { port: number; protocol: PortProtocol }) =>
              one.port === number && (protocol === null || one.protocol === protocol);
            if (readable(item).ports.some(isWanted)) devices.add(item.sk.slice(PREFIXES.ports.length));
          }
        }
      }
      return { devices, rows: read, isAll: true };
    },

    /** Plans merging scans of a device, one per address, into its row: with one write, which fails if another one comes first. */
    plan,

    /** Merges scans into the row; idempotent. Changes are returned instead, for a transaction with their events. */
    merge: (of: PortsOf, collection: PortsCollection, scans: readonly DeviceScan[]) =>
      retryOnConflict<PortChange[]>(`The ports of ${of.device} keep changing; try again`, async () => {
        const { write, changed } = await plan(of, collection, scans);
        if (write === null || changed.length > 0) return changed;
        return 'put' in write && (await table.put(write.put, write.condition)) ? [] : undefined;
      }),
  };
}

/** The next scan replaces an unreadable row. */
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
  // From when UDP was a mode; the protocol was stored beside it already.
  return PortHistory.parse(JSON.parse(json.toString('utf8').replaceAll('"mode":"udp"', '"mode":"fast"')));
}
