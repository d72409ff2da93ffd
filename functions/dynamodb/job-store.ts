/** Commands and how they ended: one row for each, kept for thirty days. */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  type Chunk,
  Command,
  type FinalState,
  isFinal,
  JobState,
  Reason,
  Result,
  RUN_LIMIT_MS,
  START_WITHIN_MS,
  type Tool,
} from '../../shared/agent/messages.ts';
import type { Job } from '../../shared/api/jobs.ts';
import { AgentId, type JobId, type SiteId, siteOfAgent, siteOfJob } from '../../shared/identity.ts';
import type { Item, Table } from './table.ts';

export interface NewJob {
  id: JobId;
  agent: AgentId;
  command: Command;
  /** Token id of who asked. */
  actor: string;
}

/** What became of a result: `stored` now, `known` because the job had ended before, or `foreign` to the job's agent. */
export type Stored = 'stored' | 'known' | 'foreign';

/** What a list of jobs can be narrowed to. */
export interface JobFilter {
  tool?: Tool | undefined;
  state?: JobState | undefined;
  actor?: string | undefined;
}

export interface JobStore {
  /**
   * The jobs of a site, the newest first, without output and result, and the id behind which the next page begins:
   * null at the end. A page may be shorter than `limit`, and even empty, when a filter leaves little.
   */
  list(
    site: SiteId,
    filter: JobFilter,
    behind: string | undefined,
    limit: number,
  ): Promise<{ jobs: Job[]; next: JobId | null }>;
  /**
   * Claims an Idempotency-Key for a job, for a day. @returns the job that has it, which is another one when the key
   * was used before; null when it was used with another request
   */
  claimKey(actor: string, key: string, request: string, id: JobId): Promise<JobId | null>;
  /** Gives a key back, because its job never came to be. */
  releaseKey(actor: string, key: string, id: JobId): Promise<void>;
  /**
   * Takes one chunk of a message of the job's agent. @returns the compressed whole once every chunk is there; null
   * before, and for a chunk of an agent that the job was not given to
   */
  addChunk(agent: AgentId, chunk: Chunk): Promise<Buffer | null>;
  /** Writes the job down as queued. */
  create(job: NewJob): Promise<void>;
  /** The job is with the agent. Does nothing when it has got further already. */
  accepted(id: JobId, state: 'accepted' | 'running'): Promise<void>;
  /** Stores how the job ended; only its own agent may say so, and only once. */
  finish(agent: AgentId, result: Result): Promise<Stored>;
  /**
   * Jobs that a token has started on a site and that have come to no end, the newest first, as they are found. What
   * is found at one time comes together, perhaps nothing, so that whoever reads can stop in between.
   */
  underWay(site: SiteId, actor: string): AsyncGenerator<JobId[]>;
  /** Ends what is under way at an agent as `lost`, because nothing will be heard of it any more. */
  abandon(agent: AgentId): Promise<void>;
  /** The job as it is now, or null. A job of which nothing was heard until long after its time limit becomes `lost`. */
  find(id: JobId): Promise<Job | null>;
}

const KEEP_DAYS = 30;
/** What an agent may take, beyond the tool's own limit, to deliver a result. */
const LEASE_MARGIN_MS = 120_000;
/** No job is under way for longer. */
const LONGEST_LEASE_MS = START_WITHIN_MS + Math.max(...Object.values(RUN_LIMIT_MS)) + LEASE_MARGIN_MS;
/** DynamoDB takes items of up to 400 KB; what is larger goes into items of its own. */
const INLINE_BYTES = 350_000;

const jobKey = (id: JobId) => ({ pk: `J#${siteOfJob(id)}`, sk: id });
const chunkKey = (id: JobId, i: number) => ({
  pk: `J#${siteOfJob(id)}`,
  sk: `${id}#CHUNK#${String(i).padStart(4, '0')}`,
});

/** Stands for the start of a command that never started. */
const NEVER = 0;
const KEY_VALID_MS = 24 * 3600_000;
/** Chunks of results that never became whole. */
const PART_VALID_MS = 24 * 3600_000;
/** How often a message that is sent again is put together again: each time all of it is read. */
const MOST_AGAIN = 100;
/** Pages that one list reads at the most, so that a filter that matches nothing ends. */
const MAX_PAGES = 20;

const partPrefix = ({ id, sha }: Chunk) => `${id}#PART#${sha.slice(0, 16)}#`;
const keyKey = (actor: string, key: string) => ({
  pk: `K#${actor}`,
  sk: createHash('sha256').update(key).digest('hex'),
});

export function openJobStore(table: Table, now: () => Date): JobStore {
  const expiry = () => Math.ceil(now().getTime() / 1000) + KEEP_DAYS * 86_400;

  async function storeResult(result: Result): Promise<Record<string, string | number | Uint8Array>> {
    const packed = gzipSync(JSON.stringify(result));
    if (packed.length <= INLINE_BYTES) return { ':result': packed };
    const chunks = Math.ceil(packed.length / INLINE_BYTES);
    for (let i = 0; i < chunks; i++) {
      const d = packed.subarray(i * INLINE_BYTES, (i + 1) * INLINE_BYTES);
      await table.put({ ...chunkKey(result.id, i), d, ttl: expiry() });
    }
    return { ':result': chunks };
  }

  async function loadResult(id: JobId, stored: unknown): Promise<Result | null> {
    if (stored instanceof Uint8Array) return unpack(stored);
    if (typeof stored !== 'number') return null;
    const pieces: Uint8Array[] = [];
    for (let i = 0; i < stored; i++) {
      const item = await table.get(chunkKey(id, i), { consistent: true });
      if (!(item?.d instanceof Uint8Array)) throw new Error(`a part of the result of ${id} is missing`);
      pieces.push(item.d);
    }
    return unpack(Buffer.concat(pieces));
  }

  /** @returns false when the job had ended before */
  function end(id: JobId, state: FinalState, values: Record<string, string | number | Uint8Array>): Promise<boolean> {
    return table.update(jobKey(id), {
      update: `SET #state = :state, #ended = :ended, #reason = :reason${':started' in values ? ', #started = :started' : ''}${':result' in values ? ', #result = :result' : ''}`,
      condition: 'attribute_exists(pk) AND #state IN (:queued, :accepted, :running)',
      names: {
        '#state': 'state',
        '#ended': 'endedAt',
        '#reason': 'reason',
        ...(':started' in values ? { '#started': 'startedAt' } : {}),
        ...(':result' in values ? { '#result': 'result' } : {}),
      },
      values: {
        ':state': state,
        ':ended': now().getTime(),
        ':queued': 'queued',
        ':accepted': 'accepted',
        ':running': 'running',
        ...values,
      },
    });
  }

  /** The row as it is, or as it is once a job of which nothing was heard for too long has been ended as lost. */
  async function settle(item: Item): Promise<Item> {
    if (isFinal(JobState.parse(item.state)) || now().getTime() < Number(item.leaseUntil)) return item;
    await end(item.sk, 'lost', { ':reason': 'lease_expired' });
    // Whoever came first has the last word: a result may have arrived just now.
    return (await table.get({ pk: item.pk, sk: item.sk }, { consistent: true })) ?? item;
  }

  /** The rows of a site's jobs that have come to no end, page by page, the newest first. */
  async function* unfinished(site: SiteId): AsyncGenerator<Item[]> {
    const since = now().getTime() - LONGEST_LEASE_MS;
    for await (const page of table.query(`J#${site}`, `${site}.`, { consistent: true, descending: true })) {
      const jobs = page.filter(({ sk }) => !sk.includes('#'));
      yield jobs.filter(({ state, createdAt }) => Number(createdAt) >= since && !isFinal(JobState.parse(state)));
      if (jobs.some(({ createdAt }) => Number(createdAt) < since)) return;
    }
  }

  /** Counts one chunk more. @returns whether that makes all of them */
  async function countsAll(pk: string, sk: string, n: number, ttl: number): Promise<boolean> {
    await table.update(
      { pk, sk },
      {
        update: 'SET #ttl = :ttl ADD #count :one',
        names: { '#ttl': 'ttl', '#count': 'count' },
        values: { ':ttl': ttl, ':one': 1 },
      },
    );
    return Number((await table.get({ pk, sk }, { consistent: true }))?.count) >= n;
  }

  /** Whether a message whose chunks are all there may be put together once more. */
  async function mayBeReadAgain(pk: string, sk: string, ttl: number): Promise<boolean> {
    return table.update(
      { pk, sk },
      {
        update: 'SET #ttl = :ttl ADD #again :one',
        condition: 'attribute_not_exists(#again) OR #again < :most',
        names: { '#ttl': 'ttl', '#again': 'again' },
        values: { ':ttl': ttl, ':one': 1, ':most': MOST_AGAIN },
      },
    );
  }

  return {
    async create({ id, agent, command, actor }) {
      const createdAt = now().getTime();
      await table.put(
        {
          ...jobKey(id),
          state: 'queued',
          agent,
          actor,
          command: JSON.stringify(command),
          createdAt,
          leaseUntil: createdAt + START_WITHIN_MS + RUN_LIMIT_MS[command.tool] + LEASE_MARGIN_MS,
          ttl: expiry(),
        },
        { condition: 'attribute_not_exists(pk)' },
      );
    },

    async accepted(id, state) {
      const isRunning = state === 'running';
      await table.update(jobKey(id), {
        update: `SET #state = :state${isRunning ? ', #started = if_not_exists(#started, :now)' : ''}`,
        condition: '#state IN (:queued, :accepted)',
        names: { '#state': 'state', ...(isRunning ? { '#started': 'startedAt' } : {}) },
        values: {
          ':state': state,
          ':queued': 'queued',
          ':accepted': 'accepted',
          ...(isRunning ? { ':now': now().getTime() } : {}),
        },
      });
    },

    async finish(agent, result) {
      const item = await table.get(jobKey(result.id), { consistent: true });
      if (item?.agent !== agent) return 'foreign';
      if (isFinal(JobState.parse(item.state))) return 'known';
      const values = {
        ...(await storeResult(result)),
        ':reason': result.reason ?? '',
        ':started': result.startedAt ?? NEVER,
        ':ended': result.endedAt,
      };
      return (await end(result.id, result.state, values)) ? 'stored' : 'known';
    },

    async *underWay(site, actor) {
      for await (const page of unfinished(site)) {
        const ours = page.filter((item) => item.actor === actor && now().getTime() < Number(item.leaseUntil));
        yield ours.map(({ sk }) => sk);
      }
    },

    async abandon(agent) {
      for await (const page of unfinished(siteOfAgent(agent))) {
        for (const { sk } of page.filter((item) => item.agent === agent)) {
          await end(sk, 'lost', { ':reason': 'agent_revoked' });
        }
      }
    },

    async list(site, { tool, state, actor }, behind, limit) {
      const jobs: Job[] = [];
      const options = { descending: true, limit: 2 * limit, ...(behind === undefined ? {} : { behind }) };
      let pages = 0;
      let last: string | null = null;
      for await (const page of table.query(`J#${site}`, `${site}.`, options)) {
        for (const item of page) {
          last = item.sk;
          if (item.sk.includes('#') || Number(item.ttl) * 1000 < now().getTime()) continue;
          const job = toJob(await settle(item));
          if (tool !== undefined && job.tool !== tool) continue;
          if (state !== undefined && job.state !== state) continue;
          if (actor !== undefined && job.actor !== actor) continue;
          jobs.push(job);
          if (jobs.length === limit) return { jobs, next: job.id };
        }
        if (++pages === MAX_PAGES && last !== null) return { jobs, next: last.split('#')[0] ?? null };
      }
      return { jobs, next: null };
    },

    async claimKey(actor, key, request, id) {
      const digest = createHash('sha256').update(request).digest('hex');
      const expiresAt = now().getTime() + KEY_VALID_MS;
      const claimed = await table.put(
        { ...keyKey(actor, key), job: id, digest, expiresAt, ttl: Math.ceil(expiresAt / 1000) },
        {
          condition: 'attribute_not_exists(pk) OR #expires < :now',
          names: { '#expires': 'expiresAt' },
          values: { ':now': now().getTime() },
        },
      );
      if (claimed) return id;
      const item = await table.get(keyKey(actor, key), { consistent: true });
      return item?.digest === digest ? String(item.job) : null;
    },

    async releaseKey(actor, key, id) {
      await table.remove(keyKey(actor, key), {
        condition: '#job = :id',
        names: { '#job': 'job' },
        values: { ':id': id },
      });
    },

    async addChunk(agent, chunk) {
      const { id, i, n, len, sha, d } = chunk;
      const job = await table.get(jobKey(id), { consistent: true });
      if (job?.agent !== agent) return null;
      const prefix = partPrefix(chunk);
      const ttl = Math.ceil((now().getTime() + PART_VALID_MS) / 1000);
      const piece = Buffer.from(d, 'base64');
      const isNew = await table.put(
        { pk: `J#${siteOfJob(id)}`, sk: `${prefix}${String(i).padStart(4, '0')}`, n, len, sha, d: piece, ttl },
        { condition: 'attribute_not_exists(pk)' },
      );
      // Counted, so that the others are read once and not for each chunk. When a message comes again, its last chunk
      // decides: whoever stored one may have died before it was counted.
      const count: [pk: string, sk: string] = [`J#${siteOfJob(id)}`, `${prefix}COUNT`];
      const mayBeWhole = isNew
        ? await countsAll(...count, n, ttl)
        : i === n - 1 && (await mayBeReadAgain(...count, ttl));
      if (!mayBeWhole) return null;
      const parts: Item[] = [];
      for await (const page of table.query(`J#${siteOfJob(id)}`, prefix, { consistent: true })) {
        parts.push(...page.filter((part) => part.d !== undefined));
      }
      const fitting = parts.filter((part) => part.n === n && part.len === len && part.sha === sha);
      if (fitting.length < n) return null;
      return Buffer.concat(fitting.map((part) => part.d as Uint8Array));
    },

    async find(id) {
      const item = await table.get(jobKey(id), { consistent: true });
      if (item === null || Number(item.ttl) * 1000 < now().getTime()) return null;
      const settled = await settle(item);
      const job = toJob(settled);
      return isFinal(job.state) ? withResult(job, await loadResult(id, settled.result)) : job;
    },
  };
}

function unpack(packed: Uint8Array): Result {
  return Result.parse(JSON.parse(gunzipSync(packed).toString('utf8')));
}

function toJob(item: Item): Job {
  const command = Command.parse(JSON.parse(String(item.command)));
  const state = JobState.parse(item.state);
  return {
    id: item.sk,
    site: siteOfJob(item.sk),
    agent: AgentId.parse(item.agent),
    tool: command.tool,
    request: command,
    state,
    reason: Reason.safeParse(item.reason).data ?? null,
    actor: String(item.actor),
    createdAt: timeOf(item.createdAt) ?? '',
    startedAt: timeOf(item.startedAt),
    endedAt: timeOf(item.endedAt),
    output: null,
    result: null,
    truncated: false,
  };
}

function withResult(job: Job, result: Result | null): Job {
  if (result === null) return job;
  return {
    ...job,
    reason: result.reason,
    startedAt: timeOf(result.startedAt),
    endedAt: timeOf(result.endedAt),
    output: result.output,
    result: result.data ?? null,
    truncated: result.truncated,
  };
}

function timeOf(millis: unknown): string | null {
  return typeof millis === 'number' && millis !== NEVER ? new Date(millis).toISOString() : null;
}
