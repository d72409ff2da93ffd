/** Commands and how they ended: one row for each, kept for thirty days. */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import {
  type EndedJob,
  type FinalState,
  isFinal,
  JobState,
  Millis,
  Reason,
  StoredOutcome,
} from '../../shared/agent/messages.ts';
import { START_WITHIN_MS } from '../../shared/agent/timing.ts';
import type { Job } from '../../shared/api/jobs.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import { ServiceError } from '../../shared/errors.ts';
import { AgentId, JobId, type SiteId, siteOfAgent, siteOfJob } from '../../shared/identity.ts';
import { Command, type CommandJson, TOOL, type Tool } from '../../shared/tools/list.ts';
import { parseToolResult } from '../../shared/tools/parse-result.ts';
import { problemOf } from '../log/problem.ts';
import type { Scalar } from './expression.ts';
import { jobPartition, rows } from './rows.ts';
import type { Item, Table } from './table.ts';

export interface NewJob {
  id: JobId;
  agent: AgentId;
  command: Command;
  /** Token id of who asked. */
  actor: string;
}

/** What decides whether a result is wanted, and what it must be like. */
export interface Assignment {
  id: JobId;
  /** The only agent that may say how it ended. */
  agent: AgentId;
  tool: Tool;
  /** Unix, ms. */
  createdAt: number;
  /** When a function noted that it runs (Unix, ms); null when none did. */
  startedAt: number | null;
  hasEnded: boolean;
}

/** What a list of jobs can be narrowed to. */
export interface JobFilter {
  tool?: Tool | undefined;
  state?: JobState | undefined;
  actor?: string | undefined;
}

export interface JobStore {
  /**
   * The jobs of a site, the newest first, without message, output and result, and the id behind which the next page
   * begins: null at the end. A page may be shorter than `limit`, and even empty, when a filter leaves little. Rows that
   * cannot be read count towards the limit, whatever the filter.
   */
  list(
    site: SiteId,
    filter: JobFilter,
    behind: string | undefined,
    limit: number,
  ): Promise<{ jobs: Job[]; unreadable: Unreadable[]; next: JobId | null }>;
  /**
   * Claims an Idempotency-Key for a job, for a day. @returns the job that has it, which is another one when the key
   * was used before; null when it was used with another request
   */
  claimKey(actor: string, key: string, request: string, id: JobId): Promise<JobId | null>;
  /** Gives a key back, because its job never came to be. */
  releaseKey(actor: string, key: string, id: JobId): Promise<void>;
  /** Writes the job down as queued. */
  create(job: NewJob): Promise<void>;
  /** The job is with the agent. Does nothing when it has got further already. */
  accepted(id: JobId, state: 'accepted' | 'running'): Promise<void>;
  /** Whose job it is and whether it has ended; null when there is no such job, or its row cannot be read. */
  assignment(id: JobId): Promise<Assignment | null>;
  /** Stores how the job ended, unless it has ended before. @returns whether it was stored */
  finish(job: Assignment, ended: EndedJob): Promise<boolean>;
  /**
   * Jobs that a token has started on a site and that have come to no end, the newest first, as they are found. What
   * is found at one time comes together, perhaps nothing, so that whoever reads can stop in between.
   */
  underWay(site: SiteId, actor: string): AsyncGenerator<JobId[]>;
  /** Ends what is under way at an agent as `lost`, because nothing will be heard of it any more. */
  abandon(agent: AgentId): Promise<void>;
  /**
   * The job as it is now, or null. A job of which nothing was heard until long after its time limit becomes `lost`.
   * @throws {ServiceError} `not_found` when its row cannot be read
   */
  find(id: JobId): Promise<Job | null>;
}

const KEEP_DAYS = 30;
/** What an agent may take, beyond the tool's own limit, to deliver a result. */
const LEASE_MARGIN_MS = 120_000;
/** No job is under way for longer. */
const LONGEST_LEASE_MS =
  START_WITHIN_MS + Math.max(...Object.values(TOOL).map(({ limits }) => limits.runMs)) + LEASE_MARGIN_MS;
/** Room for a result in its row: DynamoDB takes items of up to 400 KB. Results as agents pack them have less than 131 KB. */
const MAX_STORED_BYTES = 350_000;

/** Stands for the start of a command that never started. */
const NEVER = 0;
const KEY_VALID_MS = 24 * 3600_000;
/** Pages that one list reads at the most, so that a filter that matches nothing ends. */
const MAX_PAGES = 20;

const idempotencyRowKey = (actor: string, key: string) =>
  rows.idempotencyKey(actor, createHash('sha256').update(key).digest('hex'));

export function openJobStore(table: Table, now: () => Date): JobStore {
  const expiry = () => Math.ceil(now().getTime() / 1000) + KEEP_DAYS * 86_400;

  /** @returns false when the job had ended before */
  function end(
    id: JobId,
    state: FinalState,
    attributes: { reason: string } & Record<string, Scalar>,
  ): Promise<boolean> {
    return table.update(rows.job(id), {
      set: { state, endedAt: now().getTime(), ...attributes },
      condition: 'attribute_exists(pk) AND #state IN (:queued, :accepted, :running)',
      values: { queued: 'queued', accepted: 'accepted', running: 'running' },
    });
  }

  /** The row as it is, or as it is once a job of which nothing was heard for too long has been ended as lost. */
  async function settle(row: Row): Promise<Row> {
    if (isFinal(row.state) || now().getTime() < row.leaseUntil) return row;
    await end(row.sk, 'lost', { reason: 'lease_expired' });
    // Whoever came first has the last word: a result may have arrived just now.
    const item = await table.get(rows.job(row.sk), { consistent: true });
    return (item === null ? null : readRow(item).row) ?? row;
  }

  /** The rows of a site's jobs that have come to no end, page by page, the newest first; not those that cannot be read. */
  async function* unfinished(site: SiteId): AsyncGenerator<Row[]> {
    const since = now().getTime() - LONGEST_LEASE_MS;
    for await (const page of table.query(jobPartition(site), `${site}.`, { consistent: true, descending: true })) {
      const rows = page.map((item) => readRow(item).row).filter((row) => row !== null);
      yield rows.filter(({ state, createdAt }) => createdAt >= since && !isFinal(state));
      if (rows.some(({ createdAt }) => createdAt < since)) return;
    }
  }

  function hasExpired(item: Item): boolean {
    return Number(item.ttl) * 1000 < now().getTime();
  }

  return {
    async create({ id, agent, command, actor }) {
      const createdAt = now().getTime();
      await table.put(
        {
          ...rows.job(id),
          state: 'queued',
          agent,
          actor,
          command: JSON.stringify(command),
          createdAt,
          leaseUntil: createdAt + START_WITHIN_MS + TOOL[command.tool].limits.runMs + LEASE_MARGIN_MS,
          ttl: expiry(),
        },
        { condition: 'attribute_not_exists(pk)' },
      );
    },

    async accepted(id, state) {
      await table.update(rows.job(id), {
        set: { state },
        setOnce: state === 'running' ? { startedAt: now().getTime() } : {},
        condition: '#state IN (:queued, :accepted)',
        values: { queued: 'queued', accepted: 'accepted' },
      });
    },

    async assignment(id) {
      const item = await table.get(rows.job(id), { consistent: true });
      const row = item === null ? null : readRow(item).row;
      if (row === null) return null;
      const { agent, command, createdAt, startedAt, state } = row;
      return { id, agent, tool: command.tool, createdAt, startedAt, hasEnded: isFinal(state) };
    },

    async finish({ id, startedAt }, { state, reason, message, output, truncated, result, ...ended }) {
      const pack = (outcome: z.infer<typeof StoredOutcome>) => gzipSync(JSON.stringify(outcome));
      const packed = pack({ message, output, truncated, result });
      const fits = packed.length <= MAX_STORED_BYTES;
      return end(id, state, {
        // An agent's own compression may be better than ours; one that makes use of that loses its output.
        result: fits ? packed : pack({ message, output: '', truncated: true, result: null }),
        reason: reason ?? '',
        startedAt: ended.startedAt ?? startedAt ?? NEVER,
        endedAt: ended.endedAt,
      });
    },

    async *underWay(site, actor) {
      for await (const page of unfinished(site)) {
        const ours = page.filter((row) => row.actor === actor && now().getTime() < row.leaseUntil);
        yield ours.map(({ sk }) => sk);
      }
    },

    async abandon(agent) {
      for await (const page of unfinished(siteOfAgent(agent))) {
        for (const row of page.filter((one) => one.agent === agent)) {
          await end(row.sk, 'lost', { reason: 'agent_revoked' });
        }
      }
    },

    async list(site, { tool, state, actor }, behind, limit) {
      const jobs: Job[] = [];
      const unreadable: Unreadable[] = [];
      const options = { descending: true, limit: 2 * limit, ...(behind === undefined ? {} : { behind }) };
      let pages = 0;
      let last: JobId | null = null;
      for await (const page of table.query(jobPartition(site), `${site}.`, options)) {
        for (const item of page) {
          if (!JobId.safeParse(item.sk).success) continue; // No job's row: those have the id of their job as a key.
          last = item.sk;
          if (hasExpired(item)) continue;
          const { row, problem } = readRow(item);
          if (row === null) {
            unreadable.push({ id: item.sk, problem });
          } else {
            const job = toJob(await settle(row));
            if (tool !== undefined && job.tool !== tool) continue;
            if (state !== undefined && job.state !== state) continue;
            if (actor !== undefined && job.actor !== actor) continue;
            jobs.push(job);
          }
          if (jobs.length + unreadable.length === limit) return { jobs, unreadable, next: last };
        }
        if (++pages >= MAX_PAGES && last !== null) return { jobs, unreadable, next: last };
      }
      return { jobs, unreadable, next: null };
    },

    async claimKey(actor, key, request, id) {
      const digest = createHash('sha256').update(request).digest('hex');
      const expiresAt = now().getTime() + KEY_VALID_MS;
      const claimed = await table.put(
        { ...idempotencyRowKey(actor, key), job: id, digest, expiresAt, ttl: Math.ceil(expiresAt / 1000) },
        {
          condition: 'attribute_not_exists(pk) OR #expiresAt < :now',
          values: { now: now().getTime() },
        },
      );
      if (claimed) return id;
      const item = await table.get(idempotencyRowKey(actor, key), { consistent: true });
      return item?.digest === digest ? String(item.job) : null;
    },

    async releaseKey(actor, key, id) {
      await table.remove(idempotencyRowKey(actor, key), { condition: '#job = :id', values: { id } });
    },

    async find(id) {
      const item = await table.get(rows.job(id), { consistent: true });
      if (item === null || hasExpired(item)) return null;
      const { row, problem } = readRow(item);
      if (row === null) {
        throw new ServiceError('not_found', `The job ${id} cannot be shown: its row cannot be read (${problem})`);
      }
      const settled = await settle(row);
      return withOutcome(toJob(settled), settled.result);
    },
  };
}

const JsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.issues.push({ code: 'custom', message: 'expected JSON', input: text });
    return z.NEVER;
  }
});
/** Missing until it has happened, and `NEVER` when it did not. */
const Time = Millis.or(z.literal(NEVER))
  .optional()
  .transform((time) => (time === undefined || time === NEVER ? null : time));

/** The row of a job. */
const Row = z.object({
  sk: JobId,
  agent: AgentId,
  actor: z.string(),
  // As JSON: nothing but its tool is needed, and whoever looks at the job is shown the texts.
  command: JsonText.pipe(Command).transform((command) => JSON.parse(JSON.stringify(command)) as CommandJson),
  state: JobState,
  reason: Reason.nullable().catch(null),
  createdAt: Millis,
  startedAt: Time,
  endedAt: Time,
  leaseUntil: z.number(),
  result: z.unknown().optional(),
});
type Row = z.infer<typeof Row>;

/** Rows are not trusted to be what they should be: one that is not must not take a whole list along. */
function readRow(item: Item): { row: Row; problem: null } | { row: null; problem: string } {
  const parsed = Row.safeParse(item);
  return parsed.success ? { row: parsed.data, problem: null } : { row: null, problem: problemOf(parsed.error) };
}

/** Without what only the result says. */
function toJob({ sk: id, agent, actor, command, state, reason, createdAt, startedAt, endedAt }: Row): Job {
  return {
    id,
    site: siteOfJob(id),
    agent,
    tool: command.tool,
    request: command,
    state,
    reason,
    message: null,
    actor,
    createdAt: new Date(createdAt).toISOString(),
    startedAt: startedAt === null ? null : new Date(startedAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    output: null,
    result: null,
    truncated: false,
  } as Job; // That the request is one of the tool the compiler cannot see.
}

/** The job with what its row says of how it ended beside state, reason and times. */
function withOutcome(job: Job, packed: unknown): Job {
  if (packed === undefined) return job;
  try {
    const json = gunzipSync(z.instanceof(Uint8Array).parse(packed)).toString('utf8');
    const { result = null, ...outcome } = StoredOutcome.parse(JSON.parse(json));
    return { ...job, ...outcome, result: parseToolResult(job.tool, result) } as Job;
  } catch (error) {
    const message = `The result cannot be shown: what is stored of it cannot be read (${problemOf(error)})`;
    return { ...job, message };
  }
}
