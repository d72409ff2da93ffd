/** Rare measurements of a site's internet connection: speed tests and public addresses, in a row for each month. */
import * as z from 'zod';
import { AgentName, type SiteId } from '../../../shared/identity.ts';
import { IS_NEW } from '../../table/condition.ts';
import { type Key, rows, seriesPartition } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';

export interface Speed {
  /** When it ended; Unix, s. */
  at: number;
  downMbps: number;
  upMbps: number;
  pingMs: number;
  /** The agent's name. */
  agent: string;
}

export interface PublicAddress {
  /** Since when; Unix, s. */
  at: number;
  address: string;
  provider: string | null;
  /** The agent's name. */
  agent: string;
}

/** Including `since`, excluding `until`; Unix, s. */
interface Span {
  since: number;
  until: number;
}

const KEEP_S = 1_130 * 86_400;
const ATTEMPTS = 5;

/** A kind of entry. A row has an array of packed ones. */
interface Kind<Entry> {
  prefix: string;
  /** Entries per row, which keep it far below the 400 KB of DynamoDB. */
  most: number;
  pack(entry: Entry): unknown[];
  schema: z.ZodType<Entry>;
}
const SPEEDS: Kind<Speed> = {
  prefix: 'speed#',
  most: 2_000,
  pack: ({ at, downMbps, upMbps, pingMs, agent }) => [at, downMbps, upMbps, pingMs, agent],
  schema: z
    .tuple([z.int(), z.number(), z.number(), z.number(), AgentName])
    .transform(([at, downMbps, upMbps, pingMs, agent]) => ({ at, downMbps, upMbps, pingMs, agent })),
};
const ADDRESSES: Kind<PublicAddress> = {
  prefix: 'address#',
  most: 500,
  pack: ({ at, address, provider, agent }) => [at, address, provider, agent],
  schema: z
    .tuple([z.int(), z.string(), z.string().nullable(), AgentName])
    .transform(([at, address, provider, agent]) => ({ at, address, provider, agent })),
};

export function openMonthStore(table: Table) {
  async function add<Entry extends { at: number }>(site: SiteId, kind: Kind<Entry>, entries: readonly Entry[]) {
    const months = new Set(entries.map(({ at }) => monthOf(at, 0)));
    for (const month of months) {
      const added = entries.filter(({ at }) => monthOf(at, 0) === month);
      await addToMonth(site, kind, month, added);
    }
  }

  async function addToMonth<Entry>(site: SiteId, kind: Kind<Entry>, month: number, added: readonly Entry[]) {
    const key = keyOf(site, kind, month);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const item = await table.get(key, { consistent: true });
      const known = decode(kind, item?.d).map((entry) => JSON.stringify(kind.pack(entry)));
      const all = new Set([...known, ...added.map((entry) => JSON.stringify(kind.pack(entry)))]);
      const kept = [...all].slice(0, kind.most);
      if (kept.length === known.length) return;
      const n = Number(item?.n ?? 0);
      const row = { ...key, d: `[${kept.join()}]`, n: n + 1, ttl: monthOf(month, 1) + KEEP_S };
      if (await table.put(row, item === null ? IS_NEW : { equals: { n } })) return;
    }
    throw new Error(`the row ${key.sk} of ${key.pk} is changed again and again`);
  }

  async function read<Entry extends { at: number }>(site: SiteId, kind: Kind<Entry>, { since, until }: Span) {
    const found: Item[] = [];
    const last = keyOf(site, kind, monthOf(until - 1, 0)).sk;
    const options = { startAfter: keyOf(site, kind, monthOf(since, -1)).sk };
    for await (const page of table.query(seriesPartition(site), kind.prefix, options))
      found.push(...page.filter(({ sk }) => sk <= last));
    return found.flatMap(({ d }) => decode(kind, d)).sort((a, b) => a.at - b.at);
  }

  const isWithin =
    ({ since, until }: Span) =>
    ({ at }: { at: number }) =>
      since <= at && at < until;

  return {
    /** Adds speed tests, without known ones, and without those beyond the month's limit. */
    addSpeeds: (site: SiteId, speeds: readonly Speed[]) => add(site, SPEEDS, speeds),
    /** Ordered by time. */
    async speeds(site: SiteId, span: Span) {
      return (await read(site, SPEEDS, span)).filter(isWithin(span));
    },
    /** Adds public addresses, without known ones, and without those beyond the month's limit. */
    addAddresses: (site: SiteId, addresses: readonly PublicAddress[]) => add(site, ADDRESSES, addresses),
    /** Ordered by time, beginning with the one that was valid at `since`, if it is of the same month or the previous one. */
    async addresses(site: SiteId, span: Span) {
      const found = await read(site, ADDRESSES, { ...span, since: monthOf(span.since, -1) });
      const before = found.filter(({ at }) => at < span.since).slice(-1);
      return [...before, ...found.filter(isWithin(span))];
    },
  };
}

export type MonthStore = ReturnType<typeof openMonthStore>;

/** The beginning of the month of a time, plus some months; Unix, s. */
function monthOf(at: number, later: number): number {
  const date = new Date(at * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later) / 1000;
}

function keyOf(site: SiteId, { prefix }: { prefix: string }, month: number): Key {
  return rows.series(site, prefix + new Date(month * 1000).toISOString().slice(0, 7));
}

/** Empty for a missing or unreadable row. */
function decode<Entry>({ schema }: Kind<Entry>, d: unknown): Entry[] {
  try {
    return z.array(schema).parse(JSON.parse(String(d)));
  } catch {
    return [];
  }
}
