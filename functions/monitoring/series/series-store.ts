/**
 * Series of checks: one row for each agent, level and span of time, with all checks of that agent together, so that a batch
 * of an agent is one write.
 *
 * Two levels are stored: batches of five minutes as they came, and hours. The first batch of a new hour closes the hour before:
 * its row is made of its batches. That is stateless, and may be done again at any time. A reader takes the hours that are
 * closed and rolls up the batches behind them, so nothing is missing in between; what is between two levels (`5m`, `1d`) is
 * rolled up when it is read.
 * @promise Series show a gap, never a zero, where no agent measured: `functions/monitoring/series/series-store.test.ts`,
 *   `test/api/series.test.ts`.
 */
import { MAX_RUNS, type MeasurementsBody } from '../../../shared/agent/measurements.ts';
import { RESOLUTIONS, type Resolution } from '../../../shared/api/series.ts';
import { type AgentId, nameOfAgent, siteOfAgent } from '../../../shared/identity.ts';
import { IS_NEW } from '../../table/condition.ts';
import { rows, seriesPartition } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';
import { type Bucket, mergeBuckets, rollUp, runOf, startOf, totalOf } from './bucket.ts';
import { decodeOne, decodeSections, encodeSections, type Sections } from './series-row.ts';

export type Batch = NonNullable<MeasurementsBody['points']>;

/** What is asked for: from `since` on and before `until`, Unix, s. */
interface Wanted {
  agent: AgentId;
  check: string;
  resolution: Resolution;
  since: number;
  until: number;
}

/** The last run of a check by an agent. */
export interface LastRun {
  /** The name of the agent. */
  agent: string;
  check: string;
  run: Bucket;
}

export interface SeriesStore {
  /**
   * Stores a batch of an agent, and closes the hour that ends before it. What was stored of it before stays, so storing it
   * again changes nothing.
   */
  record(agent: AgentId, batch: Batch): Promise<void>;
  /** In order; nothing where nobody measured, and nothing that is older than its resolution is kept. `until` is at most now. */
  read(wanted: Wanted): Promise<Bucket[]>;
  /**
   * The last run of each check by these agents, without those that have expired.
   * @param withinSeconds before the last batch of each agent: as long as the longest pause between two runs. At most an hour
   */
  lastRuns(agents: readonly AgentId[], withinSeconds?: number): Promise<LastRun[]>;
  /** All runs of each check by these agents in their last closed hours, together; none in the first hour of an agent. */
  lastHours(agents: readonly AgentId[], hours: number): Promise<LastRun[]>;
  /** Closes the hour that an agent has left open which has told nothing for a day: its batches expire long before it. */
  closeIdle(agent: AgentId): Promise<void>;
}

interface Level {
  /** In front of its keys. */
  name: 'raw' | '1h';
  /** Seconds of a bucket; a run has its second. */
  bucket: number;
  /** Seconds of a row. So many that the row of 1,000 checks, whatever was measured, stays below the 400 KB of DynamoDB. */
  span: number;
  /** How long after its end a row is kept: a day longer than it is shown, so that a row never ends while it is read. */
  keep: number;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

const RAW: Level = { name: 'raw', bucket: 1, span: 300, keep: (RESOLUTIONS.raw.keepDays + 1) * DAY };
const HOURS: Level = { name: '1h', bucket: HOUR, span: HOUR, keep: (RESOLUTIONS['1h'].keepDays + 1) * DAY };
/** Of which level each resolution is made. */
const LEVELS: Record<Resolution, Level> = { raw: RAW, '5m': RAW, '1h': HOURS, '1d': HOURS };

/** An agent that has told nothing for so long leaves its last hour open. */
const IDLE = DAY;
/** How often a row is made again, because another process has written it meanwhile. */
const ATTEMPTS = 5;
const PAGE_ROWS = 200;
const MAX_WITHIN = HOUR;

/** A row as it is stored. */
interface Row {
  start: number;
  /** What is in it was measured before this time: the end of its span, if it was closed by what came behind it. */
  to: number;
  sections: Sections;
}

export function openSeriesStore(table: Table, now: () => Date): SeriesStore {
  const second = () => Math.floor(now().getTime() / 1000);

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

  /** Writes a row with what is there already, and with what it is to have besides. */
  async function add(agent: AgentId, of: Level, { start, to, sections }: Row): Promise<void> {
    const key = keyOf(agent, of, start);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // What was not there when it is looked for is most often not there when it is written.
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

  /** A row outlives its span; what comes late, the time of its writing. */
  function ttlOf(of: Level, start: number): number {
    return Math.max(start + of.span, of === RAW ? second() : 0) + of.keep;
  }

  /** Makes the row of an hour of the batches in it. @param to the end of what was measured */
  async function close(agent: AgentId, start: number, to: number): Promise<void> {
    const sections = new Map<string, Bucket[]>();
    for await (const { item, start: begin } of rowsBetween(agent, RAW, start, start + HOUR, true)) {
      for (const [check, runs] of readRow(item, RAW, begin)) {
        sections.set(check, rollUp([...(sections.get(check) ?? []), ...runs], HOUR));
      }
    }
    if (sections.size > 0) await add(agent, HOURS, { start, to, sections });
  }

  /** When the last batch of an agent begins, of those before a time; null when there is none. */
  async function lastBatch(agent: AgentId, before: number): Promise<number | null> {
    const prefix = prefixOf(agent, RAW);
    const options = { descending: true, limit: 1, startAfter: keyOf(agent, RAW, before).sk, consistent: true };
    for await (const [item] of table.query(seriesPartition(siteOfAgent(agent)), prefix, options)) {
      return item === undefined ? null : Number(item.sk.slice(prefix.length));
    }
    return null;
  }

  /** The newest rows of an agent, at most so many, without those that have expired. */
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
    if (of === HOURS && open < until) {
      found = mergeBuckets(found, rollUp(await bucketsOf(agent, check, RAW, open, until), HOUR));
    }
    return found.filter(({ at }) => from <= at && at < until);
  }

  return {
    async record(agent, { from, before, checks }) {
      const start = from / 1000;
      const sections = new Map(
        checks
          .filter(([, points]) => points.length > 0)
          .map(([check, points]) => [check, runsOf(points.map((point) => runOf(start, point)))]),
      );
      const last = before === null ? await lastBatch(agent, start) : Math.floor(before / 1000);
      if (sections.size > 0) await add(agent, RAW, { start, to: start + RAW.span, sections });
      if (last === null) return;
      const open = startOf(last, HOUR);
      if (open < startOf(start, HOUR)) await close(agent, open, open + HOUR);
    },

    async read({ agent, check, resolution, since, until }) {
      const { keepDays, seconds } = RESOLUTIONS[resolution];
      const from = startOf(Math.max(since, second() - keepDays * DAY), seconds ?? 1);
      if (from >= until) return [];
      const found = await bucketsOf(agent, check, LEVELS[resolution], from, until);
      return seconds === null ? found : rollUp(found, seconds);
    },

    async lastRuns(agents, withinSeconds = RAW.span) {
      const limit = Math.ceil(Math.min(withinSeconds, MAX_WITHIN) / RAW.span);
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

    async lastHours(agents, hours) {
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

    async closeIdle(agent) {
      const last = await lastBatch(agent, second() + DAY);
      if (last === null || last + IDLE > second()) return;
      const to = last + RAW.span;
      const hour = startOf(last, HOUR);
      const known = await table.get(keyOf(agent, HOURS, hour), { consistent: true });
      if (Number(known?.to ?? 0) < to) await close(agent, hour, to);
    },
  };
}

/** At most as many as a batch has, one for each second. */
function runsOf(runs: readonly Bucket[]): Bucket[] {
  return mergeBuckets([], runs).slice(0, MAX_RUNS);
}

function merge(known: Sections, added: Sections, of: Level): Sections {
  const merged = new Map(known);
  for (const [check, buckets] of added) {
    const both = mergeBuckets(known.get(check) ?? [], buckets);
    merged.set(check, of === RAW ? runsOf(both) : both);
  }
  return merged;
}

function readRow({ d }: Item, of: Level, start: number): Sections {
  return readable(new Map(), () => decodeSections(d as Uint8Array, start, of.bucket));
}

/** A row that cannot be read hides no other, and stops no agent: it is a gap. */
function readable<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

const prefixOf = (agent: AgentId, { name }: Level) => `${name}#${nameOfAgent(agent)}#`;

/** @param start Unix, s. With as many digits as it has until 2286, so that the keys are in order */
function keyOf(agent: AgentId, of: Level, start: number) {
  const time = String(Math.max(0, start)).padStart(10, '0');
  return rows.series(siteOfAgent(agent), prefixOf(agent, of) + time);
}
