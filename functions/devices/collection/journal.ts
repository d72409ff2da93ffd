/** Reads and writes the journal of a collection. For the content of its entries see `change-row.ts`. */
import * as z from 'zod';
import type { Unreadable } from '../../../shared/api/operation.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { readEach } from '../../../shared/problem.ts';
import { type Condition, IS_NEW } from '../../table/condition.ts';
import { PREFIXES, rows, sitePartition } from '../../table/rows.ts';
import { inSlices } from '../../table/slices.ts';
import type { ConditionalWrite, Item, QueryOptions, Table } from '../../table/table.ts';
import {
  type Change,
  DeviceChange,
  decodeEntry,
  diffDevices,
  encodeEntry,
  type JournalEntry,
  Lags,
  lagsOf,
  packedLags,
  unpackedLags,
} from './change-row.ts';
import { packText, unpackText } from './packed-text.ts';
import type { Snapshot } from './snapshot.ts';

export const JOURNAL_DAYS = 90;
const KEEP_SECONDS = JOURNAL_DAYS * 86_400;
/** Parts of a change that are written at once. */
const PARTS_AT_ONCE = 100;

/** Some entries. An unreadable one hides no other: it is listed by its version. */
export interface JournalPage {
  found: JournalEntry[];
  unreadable: Unreadable[];
}

function pageOf(items: readonly Item[]): JournalPage {
  const { readable, unreadable } = readEach(items, ({ sk }) => sk.slice(PREFIXES.change.length), decodeEntry);
  return { found: readable, unreadable };
}

export type Journal = ReturnType<typeof openJournal>;

export function openJournal(table: Table) {
  /** The entries after a version, in order, at most `limit`; up to the first one that is missing or unreadable. */
  async function read(site: SiteId, from: number, limit: number, consistent: boolean): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = [];
    const options: QueryOptions = { consistent, limit, startAfter: rows.change(site, from).sk };
    for await (const page of table.query(sitePartition(site), PREFIXES.change, options)) {
      for (const item of page) {
        const [entry] = pageOf([item]).found;
        if (entry?.version !== from + entries.length + 1) return entries;
        entries.push(entry);
        if (entries.length === limit) return entries;
      }
    }
    return entries;
  }

  async function putParts(site: SiteId, { id, at }: JournalEntry, parts: AsyncIterable<string>): Promise<number> {
    let count = 0;
    let under: Promise<boolean>[] = [];
    for await (const part of parts) {
      under.push(table.put({ ...encodePart(site, id, count++, part), ttl: endOf(at) }));
      if (under.length < PARTS_AT_ONCE) continue;
      await Promise.all(under);
      under = [];
    }
    await Promise.all(under);
    return count;
  }

  async function* partsOf(site: SiteId, entry: JournalEntry): AsyncGenerator<ChangePart> {
    const { version, id, devices, lags, parts = 0 } = entry;
    if (devices !== null) {
      yield { devices, lags };
      return;
    }
    const { pk, sk } = rows.changePart(site, id, 0);
    let found = 0;
    for await (const page of table.query(pk, sk.slice(0, sk.lastIndexOf('#') + 1), { consistent: true })) {
      for (const item of page) {
        yield decodePart(item);
        found++;
      }
    }
    if (found !== parts || parts === 0)
      throw new Error(`the change ${version} of site ${site} lacks some of its devices`);
  }

  const versionOf = ({ sk }: Item) => Number(sk.slice(PREFIXES.change.length));

  async function first(site: SiteId, options: QueryOptions): Promise<Item | undefined> {
    const pages = table.query(sitePartition(site), PREFIXES.change, { ...options, consistent: true, limit: 1 });
    for await (const [item] of pages) if (item !== undefined) return item;
    return undefined;
  }

  /** The newest entry up to a version: its version and its time (Unix, ms). */
  async function newestUpTo(site: SiteId, version: number): Promise<{ version: number; at: number } | null> {
    const item = await first(site, { descending: true, startAfter: rows.change(site, version + 1).sk });
    return item ? { version: versionOf(item), at: (Number(item.ttl) - KEEP_SECONDS) * 1000 } : null;
  }

  return {
    /**
     * Writes an entry under its version, which commits the change. Idempotent: the client repeats a request when the connection
     * breaks, whether or not it was carried out.
     * @param parts the texts of the parts, which are written before; null when the devices are in the entry. Parts without an
     *   entry are never read, and expire
     * @param also rows that are written with it, all or none
     * @returns false when another change has that version, or the condition of one of those rows fails
     */
    async append(
      site: SiteId,
      entry: JournalEntry,
      parts: AsyncIterable<string> | null,
      also: readonly ConditionalWrite[],
    ): Promise<boolean> {
      const written = parts === null ? 0 : await putParts(site, entry, parts);
      const put = rowOf(site, parts === null ? entry : { ...entry, devices: null, parts: written });
      const condition: Condition = { any: [IS_NEW, { equals: { id: entry.id } }] };
      return also.length === 0 ? table.put(put, condition) : table.transact([{ put, condition }, ...also]);
    },

    /** The changes of devices, part by part. @throws when a part cannot be read */
    partsOf,

    /** The changes of devices in all of these entries. @throws when a part cannot be read */
    async changesIn(site: SiteId, entries: readonly JournalEntry[]) {
      const changes: DeviceChange[] = [];
      for (const entry of entries) for await (const { devices } of partsOf(site, entry)) changes.push(...devices);
      return changes;
    },

    async find(site: SiteId, version: number) {
      const item = await table.get(rows.change(site, version), { consistent: true });
      return item === null ? null : decodeEntry(item);
    },

    /** The last version up to `newest` that was written before a time; 0 without one. Reads some twenty single entries. */
    async versionAt(site: SiteId, time: Date, newest: number) {
      let found = 0;
      const oldest = await first(site, {});
      for (let [low, high] = [oldest ? versionOf(oldest) : Infinity, newest]; low <= high; ) {
        const middle = Math.floor((low + high) / 2);
        const entry = await newestUpTo(site, middle);
        if (entry === null) low = middle + 1;
        else if (entry.at < time.getTime()) {
          found = entry.version;
          low = middle + 1;
        } else high = entry.version - 1;
      }
      return found;
    },

    /** What leads from one version to a later one. @returns null when an entry is missing */
    async between(site: SiteId, from: number, to: number) {
      // Half the price of a consistent read, and nearly always enough: a missing entry is noticed.
      let entries = await read(site, from, to - from, false);
      if (entries.length < to - from) entries = await read(site, from, to - from, true);
      return entries.length < to - from ? null : entries;
    },

    /** The changes after a version; the last may not be carried out yet. @returns null when they are more than `limit` */
    async since(site: SiteId, version: number, limit: number) {
      const entries = await read(site, version, limit + 1, true);
      return entries.length > limit ? null : entries;
    },

    /** The entries before a version, newest first, in pages of at most `limit`. */
    async *newestFirst(site: SiteId, before: number | null, limit: number): AsyncGenerator<JournalPage> {
      const options: QueryOptions = { descending: true, limit, consistent: true };
      if (before !== null) options.startAfter = rows.change(site, before).sk;
      for await (const page of table.query(sitePartition(site), PREFIXES.change, options)) yield pageOf(page);
    },

    /** The entries after a version, in order, in pages of at most `limit`. */
    async *oldestFirst(site: SiteId, after: number, limit: number): AsyncGenerator<JournalPage> {
      const options: QueryOptions = { limit, consistent: true, startAfter: rows.change(site, after).sk };
      for await (const page of table.query(sitePartition(site), PREFIXES.change, options)) yield pageOf(page);
    },
  };
}

/** When a row of the journal expires (Unix, s). */
const endOf = (at: Date) => Math.floor(at.getTime() / 1000) + KEEP_SECONDS;

/** @param entry short enough for a row, as every entry with parts is */
function rowOf(site: SiteId, entry: JournalEntry): Item {
  const row = encodeEntry(site, entry);
  if (row === null) throw new Error(`the entry ${entry.version} of site ${site} is too long for a row`);
  return { ...row, ttl: endOf(entry.at) };
}

/** Limits of a part. DynamoDB takes items of 400 KB. */
const MAX_PART = { devices: 100, characters: 200_000 };

const Part = z.tuple([z.array(DeviceChange), Lags]);

export interface ChangePart {
  devices: readonly DeviceChange[];
  /** How many seconds before the change each device changed; null when all changed with it. */
  lags: readonly number[] | null;
}

/** The texts of the parts, each with as many devices as are written and read at once. */
export async function* inParts(
  base: Snapshot,
  { put, remove }: Pick<Change, 'put' | 'remove'>,
  at: Date,
  noticed: Change['noticed'],
): AsyncGenerator<string> {
  function* textsOf(devices: readonly DeviceChange[]): Generator<string> {
    const text = JSON.stringify([devices, packedLags(lagsOf(devices, at, noticed))]);
    if (text.length <= MAX_PART.characters || devices.length === 1) yield text;
    else {
      const half = devices.length >> 1;
      yield* textsOf(devices.slice(0, half));
      yield* textsOf(devices.slice(half));
    }
  }
  for await (const slice of inSlices(put, MAX_PART.devices))
    yield* textsOf(diffDevices(base, { put: [...slice], remove: [] }));
  for await (const slice of inSlices(remove, MAX_PART.devices))
    yield* textsOf(diffDevices(base, { put: [], remove: [...slice] }));
}

function encodePart(site: SiteId, id: string, number: number, text: string): Item {
  const key = rows.changePart(site, id, number);
  return { ...key, id, d: packText(text, key.pk, 1) };
}

/** @throws when the item is no part of a change */
function decodePart(item: Item): ChangePart {
  const [devices, lags] = Part.parse(JSON.parse(unpackText(item.d, item.pk)));
  return { devices, lags: unpackedLags(lags, devices) };
}
