/**
 * Series of checks: one row for each agent, level and span of time, with all checks of that agent, so that a batch is one write.
 *
 * Two levels are stored: batches of five minutes as they came, and hours. The first batch of a new hour closes the previous
 * hour: its row is built from its batches. That is stateless, and may be repeated at any time. A reader takes the closed hours
 * and rolls up the batches after them, so nothing is missing in between; other resolutions (`5m`, `1d`) are rolled up on read.
 * @promise Series show a gap, never a zero, where no agent measured: `functions/monitoring/series/series-store.test.ts`,
 *   `test/api/series.test.ts`.
 */
import { MAX_RUNS, type MeasurementsBody } from '../../../shared/agent/measurements.ts';
import { RESOLUTIONS, type Resolution } from '../../../shared/api/series.ts';
import { type AgentId, nameOfAgent, siteOfAgent } from '../../../shared/identity.ts';
import { secondOf } from '../../../shared/time.ts';
import { IS_NEW } from '../../table/condition.ts';
import { rows, seriesPartition } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';
import { type Bucket, mergeBuckets, rollUp, runOf, startOf, totalOf } from './bucket.ts';
import { decodeOne, decodeSections, encodeSections, type Sections } from './series-row.ts';

export type Batch = NonNullable<MeasurementsBody['points']>;

/** Including `since`, excluding `until`; Unix, s. */
interface Wanted {
  agent: AgentId;
  check: string;
  resolution: Resolution;
  since: number;
  until: number;
}

export interface LastRun {
  /** The name of the agent. */
  agent: string;
  check: string;
  run: Bucket;
}

interface Level {
  /** Prefix of its keys. */
  name: 'raw' | '1h';
  /** Seconds per bucket; 1 for single runs. */
  bucket: number;
  /** Seconds per row: few enough that a row of 1,000 checks stays below the 400 KB of DynamoDB, whatever was measured. */
  span: number;
  /** Retention after a row's end: a day longer than it is shown, so that no row expires while it is read. */
  keep: number;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

const RAW: Level = { name: 'raw', bucket: 1, span: 300, keep: (RESOLUTIONS.raw.keepDays + 1) * DAY };
const HOURS: Level = { name: '1h', bucket: HOUR, span: HOUR, keep: (RESOLUTIONS['1h'].keepDays + 1) * DAY };
/** The level that each resolution is built from. */
const LEVELS: Record<Resolution, Level> = { raw: RAW, '5m': RAW, '1h': HOURS, '1d': HOURS };

const ATTEMPTS = 5;
const PAGE_ROWS = 200;

interface Row {
  start: number;
  /** The end of what it covers: that of its span, if later data closed it. */
  to: number;
  sections: Sections;
}

export function openSeriesStore(table: Table, now: () => Date) {
  const second = () => secondOf(now());

  /** The rows of an agent that begin in a span of time, in order. */
  async function* rowsBetween(agent: AgentId, of: Level, from: number, until: number, consistent: boolean) {
    const first = startOf(from, of.span);
    const limit = Math.min(PAGE_ROWS, Math.ceil((until - first) / of.span) + 1);
    const options = { startAfter: keyOf(agent, of, first - 1).sk, limit, consistent };
    const prefix = prefixOf(agent, of);
    for await (const page of table.query(seriesPartition(siteOfAgent(agent)), prefix, options)) {
      for (const item of page) {
        const start = Number(item.sk.slice(prefix.length));
        if (start >= until) return;
        yield { item, start };
      }
    }
  }

  async function add(agent: AgentId, of: Level, { start, to, sections }: Row): Promise<void> {
    const key = keyOf(agent, of, start);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // Optimistic: a new batch usually has no row yet.
      const known = of === RAW && attempt === 0 ? null : await table.get(key, { consistent: true });
      const merged = known === null ? sections : merge(readRow(known, of, start), sections, of);
      const d = encodeSections(merged, start, of.bucket);
      const end = Math.max(to, Number(known?.to ?? 0));
      if (known !== null && known.to === end && Buffer.compare(known.d as Uint8Array, d) === 0) return;
      const item = { ...key, d, to: end, n: Number(known?.n ?? 0) + 1, ttl: ttlOf(of, start) };
      if (await table.put(item, known === null ? IS_NEW : { equals: { n: Number(known.n) } })) return;
    }
    throw new Error(`the row ${key.sk} of ${key.pk} is changed again and again`);
  }

  /** A row is kept from its span on; late batches from the time of writing on. */
  function ttlOf(of: Level, start: number): number {
    return Math.max(start + of.span, of === RAW ? second() : 0) + of.keep;
  }

  /** Builds the row of an hour from its batches. @param to the end of what was measured */
  async function close(agent: AgentId, start: number, to: number): Promise<void> {
    const sections = new Map<string, Bucket[]>();
    for await (const { item, start: begin } of rowsBetween(agent, RAW, start, start + HOUR, true)) {
      for (const [check, runs] of readRow(item, RAW, begin))
        sections.set(check, rollUp([...(sections.get(check) ?? []), ...runs], HOUR));
    }
    if (sections.size > 0) await add(agent, HOURS, { start, to, sections });
  }

  /** When the last batch of an agent before a time begins; null when there is none. */
  async function lastBatch(agent: AgentId, before: number): Promise<number | null> {
    const prefix = prefixOf(agent, RAW);
    const options = { descending: true, limit: 1, startAfter: keyOf(agent, RAW, before).sk, consistent: true };
    for await (const [item] of table.query(seriesPartition(siteOfAgent(agent)), prefix, options))
      return item === undefined ? null : Number(item.sk.slice(prefix.length));
    return null;
  }

  /** The newest rows of an agent, at most `limit`, without expired ones. */
  async function newestRows(agent: AgentId, of: Level, limit: number): Promise<Sections[]> {
    const prefix = prefixOf(agent, of);
    const site = seriesPartition(siteOfAgent(agent));
    for await (const page of table.query(site, prefix, { descending: true, limit })) {
      return page.flatMap((item) =>
        second() > Number(item.ttl) ? [] : [readRow(item, of, Number(item.sk.slice(prefix.length)))],
      );
    }
    return [];
  }

  async function bucketsOf(agent: AgentId, check: string, of: Level, from: number, until: number): Promise<Bucket[]> {
    let found: Bucket[] = [];
    let closedTo = from;
    for await (const { item, start } of rowsBetween(agent, of, from, until, false)) {
      closedTo = Math.max(closedTo, Number(item.to));
      found = found.concat(readable([], () => decodeOne(item.d as Uint8Array, check, start, of.bucket)));
    }
    const open = startOf(closedTo, HOUR);
    if (of === HOURS && open < until)
      found = mergeBuckets(found, rollUp(await bucketsOf(agent, check, RAW, open, until), HOUR));
    return found.filter(({ at }) => from <= at && at < until);
  }

  return {
    /** Stores a batch of an agent, and closes the hour that ends before it. Present data stays, so this is idempotent. */
    async record(agent: AgentId, { from, before, checks }: Batch) {
      const start = from / 1000;
      const sections = new Map(
        checks
          .filter(([, points]) => points.length > 0)
          .map(([check, points]) => [check, uniqueRuns(points.map((point) => runOf(start, point)))]),
      );
      const last = before === null ? await lastBatch(agent, start) : Math.floor(before / 1000);
      if (sections.size > 0) await add(agent, RAW, { start, to: start + RAW.span, sections });
      if (last === null) return;
      const open = startOf(last, HOUR);
      if (open < startOf(start, HOUR)) await close(agent, open, open + HOUR);
    },

    /** In order, without gaps' buckets and without those past the retention of their resolution. `until` is at most now. */
    async read({ agent, check, resolution, since, until }: Wanted) {
      const { keepDays, seconds } = RESOLUTIONS[resolution];
      const from = startOf(Math.max(since, second() - keepDays * DAY), seconds ?? 1);
      if (from >= until) return [];
      const found = await bucketsOf(agent, check, LEVELS[resolution], from, until);
      return seconds === null ? found : rollUp(found, seconds);
    },

    /** The total of each check by one agent, from its hours; each row is read once for all checks. `until` is at most now. */
    async totals(agent: AgentId, { since, until }: { since: number; until: number }): Promise<Map<string, Bucket>> {
      let closedTo = since;
      const bucketsFrom = async (of: Level, from: number) => {
        const found = new Map<string, Bucket[]>();
        for await (const { item, start } of rowsBetween(agent, of, from, until, false)) {
          if (of === HOURS) closedTo = Math.max(closedTo, Number(item.to));
          for (const [check, buckets] of readRow(item, of, start)) {
            const known = found.get(check) ?? [];
            known.push(...buckets.filter(({ at }) => since <= at && at < until));
            found.set(check, known);
          }
        }
        return found;
      };
      const hours = await bucketsFrom(HOURS, since);
      const runs = await bucketsFrom(RAW, startOf(closedTo, HOUR)); // Of the hours that are not closed.
      const totals = new Map<string, Bucket>();
      for (const check of new Set([...hours.keys(), ...runs.keys()])) {
        const total = totalOf(mergeBuckets(hours.get(check) ?? [], rollUp(runs.get(check) ?? [], HOUR)));
        if (total !== null) totals.set(check, total);
      }
      return totals;
    },

    /** The last unexpired runs. @param withinSeconds before an agent's last batch: the longest interval of a check, at most 1 h */
    async lastRuns(agents: readonly AgentId[], withinSeconds: number = RAW.span) {
      const limit = Math.ceil(Math.min(withinSeconds, HOUR) / RAW.span);
      const of = async (agent: AgentId): Promise<LastRun[]> => {
        const last = new Map<string, Bucket>();
        for (const sections of await newestRows(agent, RAW, limit)) {
          for (const [check, runs] of sections) {
            const run = runs.at(-1);
            if (run !== undefined && !last.has(check)) last.set(check, run);
          }
        }
        return [...last].map(([check, run]) => ({ agent: nameOfAgent(agent), check, run }));
      };
      return (await Promise.all(agents.map(of))).flat();
    },

    /** The total of each check by these agents over their last closed hours; none in an agent's first hour. */
    async lastHours(agents: readonly AgentId[], hours: number) {
      const of = async (agent: AgentId): Promise<LastRun[]> => {
        const all = new Map<string, Bucket[]>();
        for (const sections of await newestRows(agent, HOURS, hours)) {
          for (const [check, buckets] of sections) all.set(check, [...(all.get(check) ?? []), ...buckets]);
        }
        return [...all].flatMap(([check, buckets]) => {
          const run = totalOf(buckets);
          return run === null ? [] : [{ agent: nameOfAgent(agent), check, run }];
        });
      };
      return (await Promise.all(agents.map(of))).flat();
    },

    /** Closes the open hour of an agent that has reported nothing for a day: its batches expire long before it. */
    async closeIdle(agent: AgentId) {
      const last = await lastBatch(agent, second() + DAY);
      if (last === null || last + DAY > second()) return;
      const to = last + RAW.span;
      const hour = startOf(last, HOUR);
      const known = await table.get(keyOf(agent, HOURS, hour), { consistent: true });
      if (Number(known?.to ?? 0) < to) await close(agent, hour, to);
    },
  };
}

export type SeriesStore = ReturnType<typeof openSeriesStore>;

/** One run per second, at most as many as a batch has. */
const uniqueRuns = (runs: readonly Bucket[]): Bucket[] => mergeBuckets([], runs).slice(0, MAX_RUNS);

function merge(known: Sections, added: Sections, of: Level): Sections {
  const merged = new Map(known);
  for (const [check, buckets] of added) {
    const both = mergeBuckets(known.get(check) ?? [], buckets);
    merged.set(check, of === RAW ? uniqueRuns(both) : both);
  }
  return merged;
}

function readRow({ d }: Item, of: Level, start: number): Sections {
  return readable(new Map(), () => decodeSections(d as Uint8Array, start, of.bucket));
}

/** An unreadable row is a gap: it hides no other, and blocks no agent. */
function readable<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

const prefixOf = (agent: AgentId, { name }: Level) => `${name}#${nameOfAgent(agent)}#`;

/** @param start Unix, s; padded to the number of digits until 2286, so that the keys are in order */
function keyOf(agent: AgentId, of: Level, start: number) {
  const time = String(Math.max(0, start)).padStart(10, '0');
  return rows.series(siteOfAgent(agent), prefixOf(agent, of) + time);
}
