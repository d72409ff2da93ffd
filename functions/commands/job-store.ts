/** Jobs: commands and their results, kept for thirty days. Lists show no results, so large ones have rows of their own. */
import { createHash } from 'node:crypto';
import { type EndedJob, type FinalState, isFinal } from '../../shared/agent/messages.ts';
import { START_WITHIN_MS } from '../../shared/agent/timing.ts';
import { BATCH_WITHIN_MS } from '../../shared/api/batches.ts';
import type { Job, JobFilter } from '../../shared/api/jobs.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import type { AuditEntry } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type AgentId, JobId, type SiteId, siteOfAgent, siteOfJob, timeOfJob } from '../../shared/identity.ts';
import { canonicalAddress } from '../../shared/network.ts';
import { type Command, type CommandJson, limitsOf, TOOL, type Tool } from '../../shared/tools/list.ts';
import { type AuditEvent, ownerIn } from '../http/audit-log.ts';
import { IS_NEW, IS_NOT_DELETED, type Scalar } from '../table/condition.ts';
import { jobPartition, rows } from '../table/rows.ts';
import type { Item, Table } from '../table/table.ts';
import { endOf, NEVER, type Row, readRow, toJob, withOutcome, withResult } from './job-row.ts';

export interface NewJob {
  id: JobId;
  agent: AgentId;
  command: Command;
  /** Id of the token that started it. */
  actor: string;
  /** Whose token that is, for the audit. */
  person?: AuditEvent['person'];
  /** Address of the request, for the audit; null when none came over the network. */
  sourceAddress: string | null;
}

/** A command that an agent ran by its plan: the service learns of it when it has ended. */
export interface PlannedJob {
  id: JobId;
  agent: AgentId;
  command: CommandJson;
  /** What ran it, such as `schedule:<id>`. */
  actor: string;
  /** When it was due (Unix, ms). */
  createdAt: number;
}

/** A job in a list, with what only the audit shows. */
export interface ListedJob {
  job: Job;
  person: AuditEntry['person'];
  sourceAddress: string | null;
}

/** What is needed to accept and validate a result. */
export interface Assignment {
  id: JobId;
  /** The only agent that may report its result. */
  agent: AgentId;
  tool: Tool;
  command: CommandJson;
  /** Unix, ms. */
  createdAt: number;
  /** When a function recorded that it runs (Unix, ms); null when none has. */
  startedAt: number | null;
  hasEnded: boolean;
}

export type JobStore = ReturnType<typeof openJobStore>;

const KEEP_DAYS = 30;
/** Time that an agent may take to deliver a result, beyond the limit of the tool. */
const LEASE_MARGIN_MS = 120_000;
/** No job stays unfinished for longer. */
const LONGEST_LEASE_MS =
  START_WITHIN_MS + Math.max(...Object.values(TOOL).map(({ limits }) => limits.runMs)) + LEASE_MARGIN_MS;
/** Pages that one list reads at most, so that it ends when a filter matches nothing. */
const MAX_PAGES = 20;

const idempotencyRowKey = (actor: string, key: string) =>
  rows.idempotencyKey(actor, createHash('sha256').update(key).digest('hex'));

export function openJobStore(table: Table, now: () => Date) {
  const expiry = () => Math.ceil(now().getTime() / 1000) + KEEP_DAYS * 86_400;

  /** @returns false when the job has already ended */
  function end(id: JobId, state: FinalState, attributes: { reason: string } & Record<string, Scalar>) {
    const set = { state, endedAt: now().getTime(), ...attributes };
    return table.update(rows.job(id), { set }, { in: { state: ['queued', 'accepted', 'running'] } });
  }

  /** The row, after its job has been ended as lost if its lease has expired. */
  async function settle(row: Row): Promise<Row> {
    if (isFinal(row.state) || now().getTime() < row.leaseUntil) return row;
    await end(row.sk, 'lost', { reason: 'lease_expired' });
    // The conditional write decides: a result may have been stored just now.
    const item = await table.get(rows.job(row.sk), { consistent: true });
    return (item === null ? null : readRow(item).row) ?? row;
  }

  /** The rows of a site's unfinished jobs, newest first, page by page; rows that cannot be read are skipped. */
  async function* unfinished(site: SiteId): AsyncGenerator<Row[]> {
    const since = now().getTime() - LONGEST_LEASE_MS;
    for await (const page of table.query(jobPartition(site), `${site}.`, { consistent: true, descending: true })) {
      const rows = page.map((item) => readRow(item).row).filter((row) => row !== null);
      yield rows.filter(({ state, createdAt }) => createdAt >= since && !isFinal(state));
      // A site of a batch may begin hours after the time in the id of its job.
      if (rows.some(({ sk }) => timeOfJob(sk) < since - BATCH_WITHIN_MS)) return;
    }
  }

  const hasExpired = (item: Item): boolean => Number(item.ttl) * 1000 < now().getTime();

  return {
    /** Creates the job in the state queued. @returns false when a job of this id exists */
    async create({ id, agent, command, actor, person, sourceAddress }: NewJob): Promise<boolean> {
      const createdAt = now().getTime();
      const address = canonicalAddress(sourceAddress);
      const row = {
        ...{ ...rows.job(id), state: 'queued', agent, actor, command: JSON.stringify(command), createdAt },
        ...(address === null ? {} : { sourceAddress: address }),
        ...(person ? { person: JSON.stringify(ownerIn(person)) } : {}),
        leaseUntil: createdAt + START_WITHIN_MS + limitsOf(command).runMs + LEASE_MARGIN_MS,
        ttl: expiry(),
      };
      return table.put(row, IS_NEW);
    },

    /** Records that the agent has accepted the job. Does nothing if the job is further already. */
    async accepted(id: JobId, state: 'accepted' | 'running'): Promise<void> {
      const setOnce = state === 'running' ? { startedAt: now().getTime() } : {};
      await table.update(rows.job(id), { set: { state }, setOnce }, { in: { state: ['queued', 'accepted'] } });
    },

    /** The agent of a job and whether the job has ended; null when it does not exist, or its row cannot be read. */
    async assignment(id: JobId): Promise<Assignment | null> {
      const item = await table.get(rows.job(id), { consistent: true });
      const row = item && readRow(item).row;
      if (row === null) return null;
      const { agent, command, createdAt, startedAt, state } = row;
      return { id, agent, tool: command.tool, command, createdAt, startedAt, hasEnded: isFinal(state) };
    },

    /** Stores the result of a job, unless it has already ended. @returns whether it was stored */
    finish({ id, tool, startedAt }: Assignment, ended: EndedJob): Promise<boolean> {
      return withResult(table, { id, tool, expiry: expiry() }, ended, (result) =>
        end(id, ended.state, { ...endOf(ended), ...result, startedAt: ended.startedAt ?? startedAt ?? NEVER }),
      );
    },

    /** Stores a job of a plan, with its result, unless it is stored already or the site is deleted. @returns whether it did */
    addEnded({ id, agent, command, actor, createdAt }: PlannedJob, ended: EndedJob): Promise<boolean> {
      const job = { ...rows.job(id), agent, actor, command: JSON.stringify(command), createdAt, leaseUntil: createdAt };
      return withResult(table, { id, tool: command.tool, expiry: expiry() }, ended, (result) =>
        table.transact([
          { check: rows.site(siteOfJob(id)), condition: IS_NOT_DELETED },
          { put: { ...job, state: ended.state, ...endOf(ended), ...result, ttl: expiry() }, condition: IS_NEW },
        ]),
      );
    },

    /**
     * Those of these jobs that exist and can be read, by their ids, as lists show them but with their messages and, where it
     * is short, with output and result. One whose lease has expired becomes `lost`.
     * @param options.withResults also long results
     */
    async several(ids: readonly JobId[], { withResults = false } = {}): Promise<Map<JobId, Job>> {
      const found = await table.getAll(
        ids.map((id) => rows.job(id)),
        { consistent: true },
      );
      const read = await Promise.all(
        found
          .filter((item) => !hasExpired(item))
          .map((item) => readRow(item).row)
          .filter((row) => row !== null)
          .map(settle),
      );
      const long = withResults ? read.filter(({ resultRow }) => resultRow !== undefined) : [];
      const results = await table.getAll(long.map(({ sk }) => rows.result(sk)));
      const resultOf = new Map(results.map(({ sk, result }) => [sk, result]));
      return new Map(read.map((row) => [row.sk, withOutcome(toJob(row), resultOf.get(row.sk) ?? row.result)]));
    },

    /** Those of these jobs that exist. */
    async among(ids: readonly JobId[]): Promise<Set<JobId>> {
      const found = await table.getAll(ids.map((id) => rows.job(id)));
      return new Set(found.map(({ sk }) => sk));
    },

    /** The unfinished jobs of a token on a site, newest first, in batches; one may be empty, so that the reader can stop. */
    async *underWay(site: SiteId, actor: string): AsyncGenerator<JobId[]> {
      for await (const page of unfinished(site)) {
        const ours = page.filter((row) => row.actor === actor && now().getTime() < row.leaseUntil);
        yield ours.map(({ sk }) => sk);
      }
    },

    /**
     * Ends the unfinished jobs of an agent as `lost`, because it will send no more results.
     * @param isWanted called after jobs were read: those of another agent of its name stay
     */
    async abandon(agent: AgentId, isWanted = async () => true): Promise<void> {
      for await (const page of unfinished(siteOfAgent(agent))) {
        const mine = page.filter((one) => one.agent === agent);
        if (mine.length > 0 && !(await isWanted())) return;
        for (const row of mine) await end(row.sk, 'lost', { reason: 'agent_revoked' });
      }
    },

    /**
     * The jobs of a site, newest first, without message, output, result, and the presence of their agents; and the id after
     * which the next page begins, or null at the end. With a filter a page may be shorter than `limit`, and even empty. Rows
     * that cannot be read count towards the limit, whatever the filter.
     */
    async list(site: SiteId, filter: JobFilter, startAfter: string | undefined, limit: number) {
      const { tool, state, actor, agent, about } = filter;
      const named = about?.toLowerCase().split(',');
      const jobs: ListedJob[] = [];
      const unreadable: Unreadable[] = [];
      const options = { descending: true, limit: 2 * limit, ...(startAfter === undefined ? {} : { startAfter }) };
      let pages = 0;
      let last: JobId | null = null;
      for await (const page of table.query(jobPartition(site), `${site}.`, options)) {
        for (const item of page) {
          if (!JobId.safeParse(item.sk).success) continue; // The sort key of a job is its id.
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
            if (agent !== undefined && job.agent !== agent) continue;
            if (named !== undefined && !isAbout(job.request, named)) continue;
            jobs.push({ job, person: row.person, sourceAddress: row.sourceAddress ?? null });
          }
          if (jobs.length + unreadable.length === limit) return { jobs, unreadable, next: last };
        }
        if (++pages >= MAX_PAGES && last !== null) return { jobs, unreadable, next: last };
      }
      return { jobs, unreadable, next: null };
    },

    /**
     * Claims an Idempotency-Key for a job, for a day.
     * @returns the job that holds the key, another one if the key was used before; null if it was used with another request
     */
    async claimKey(actor: string, key: string, request: string, id: JobId): Promise<JobId | null> {
      const digest = createHash('sha256').update(request).digest('hex');
      const expiresAt = now().getTime() + 24 * 3_600_000;
      const claimed = await table.put(
        { ...idempotencyRowKey(actor, key), job: id, digest, expiresAt, ttl: Math.ceil(expiresAt / 1000) },
        { any: [IS_NEW, { less: { expiresAt: now().getTime() } }] },
      );
      if (claimed) return id;
      const item = await table.get(idempotencyRowKey(actor, key), { consistent: true });
      return item?.digest === digest ? String(item.job) : null;
    },

    /** Releases a key, because its job was never created. */
    async releaseKey(actor: string, key: string, id: JobId): Promise<void> {
      await table.remove(idempotencyRowKey(actor, key), { equals: { job: id } });
    },

    /**
     * The job, or null. A job whose lease has expired, long after its time limit, becomes `lost`.
     * @throws {ServiceError} `not_found` when its row cannot be read
     */
    async find(id: JobId): Promise<Job | null> {
      const item = await table.get(rows.job(id), { consistent: true });
      if (item === null || hasExpired(item)) return null;
      const { row, problem } = readRow(item);
      if (row === null)
        throw new ServiceError('not_found', `The job ${id} cannot be shown: its row cannot be read (${problem})`);
      const settled = await settle(row);
      if (settled.resultRow === undefined) return withOutcome(toJob(settled), settled.result);
      const stored = await table.get(rows.result(id), { consistent: true });
      return withOutcome(toJob(settled), stored?.result ?? null);
    },
  };
}

function isAbout({ tool: _, ...given }: CommandJson, named: readonly string[]): boolean {
  return Object.values(given).some((value) => typeof value === 'string' && named.includes(value.toLowerCase()));
}
