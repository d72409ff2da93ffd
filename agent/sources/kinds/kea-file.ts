/** The files of leases of Kea (memfile): a journal as CSV, in which the last row of an address counts. */
import * as z from 'zod';
import { defineSource, SourceFailure, type SourceObservation } from '../source.ts';
import { bytesIn, macOfDuid, seenByRenewal, wholeLines } from './leases.ts';

const File = z.string().min(1);

export const keaFile = defineSource({
  kind: 'kea-file',
  title: 'Kea (file)',
  settings: z.object({
    file: File.default('/var/lib/kea/kea-leases4.csv').describe('its leases of IPv4'),
    file6: File.optional().describe('its leases of IPv6: /var/lib/kea/kea-leases6.csv'),
  }),
  secrets: [],
  rights: 'The user of the agent may read the files, which Debian keeps from others: there, rather use kea.',
  async *read({ file, file6 }, request) {
    for (const each of [file, file6]) {
      if (each === undefined) continue;
      // While Kea cleans up, the rows before that are in another file.
      const before = await request.readFile(`${each}.2`).catch((error: unknown) => {
        if (error instanceof SourceFailure) return '';
        throw error;
      });
      yield* keaLeasesIn([before, await request.readFile(each)], request.now());
    }
  },
});

type Row = Record<string, string>;

/** @param files the oldest first; each begins with the names of its columns, which differ between versions */
export function* keaLeasesIn(files: readonly string[], now: number): Generator<SourceObservation> {
  const last = new Map<string, Row>();
  for (const text of files) {
    const [header = '', ...lines] = wholeLines(text);
    const names = header.trim().split(',');
    if (!names.includes('address') && header !== '') throw new SourceFailure('expected the columns of a file of Kea');
    for (const line of lines) {
      const values = line.trimEnd().split(',');
      const row: Row = Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
      // A shorter row is broken. Several prefixes and addresses of a client are several rows.
      if (values.length >= names.length && row.address) last.set(`${row.address} ${row.lease_type ?? ''}`, row);
    }
  }
  for (const row of last.values()) {
    const host = hostOf(row, now);
    if (host !== null) yield host;
  }
}

const PREFIX = '2';
const HELD = new Set(['0', '4']);

function hostOf(row: Row, now: number): SourceObservation | null {
  const [lifetime, expire] = [Number(row.valid_lifetime), Number(row.expire)];
  const mac = row.hwaddr || macOfDuid(bytesIn(row.duid ?? ''));
  const isHeld = HELD.has(row.state ?? '') && lifetime > 0 && expire * 1000 >= now;
  if (!mac || !isHeld || row.lease_type === PREFIX) return null;
  return {
    mac,
    addresses: [row.address ?? ''],
    hostName: (row.hostname ?? '').replaceAll('&#x2c', ','),
    lastSeen: seenByRenewal(expire - lifetime, lifetime),
  };
}
