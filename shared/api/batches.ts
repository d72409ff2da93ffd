/** `/batches`: one command at many sites at once. The job of each site has the id `<site>.<batch>`. */
import * as z from 'zod';
import { Comparison } from '../comparison.ts';
import { AgentName, BatchId, JobId, SiteId, SiteRef } from '../identity.ts';
import { McpLimit } from '../mcp-tool.ts';
import { matching } from '../text-schemas.ts';
import { CommandJson, Tool } from '../tools/list.ts';
import { ResultSummary } from '../tools/summary.ts';
import { BATCH_REASONS, BATCH_SITE_STATES, BATCH_STATES } from '../words.ts';
import { list } from './list.ts';
import { answer, Cursor, named, type Operations, queryInteger, route, succeeded, Unreadables } from './operation.ts';
import { Time } from './records.ts';

/** The limit of sites of one deployment. */
export const MAX_BATCH_SITES = 5_000;
export const MAX_AT_ONCE = 200;
export const USUAL_AT_ONCE = 50;
/** Batches of one token that run at the same time. */
export const MAX_RUNNING_BATCHES = 10;
/** No site starts later than this after its batch. */
export const BATCH_WITHIN_MS = 6 * 3_600_000;

const BatchSites = z.union([z.literal('*'), list(SiteRef, { min: 1, max: 500 })], {
  error:
    'expected "*" for all sites of the token, or a list of 1 to 500 site ids and tags, such as home or tag:customers',
});

const PERCENT_EXPECTED = 'expected a number of sites, or a percentage such as "10%"';
const Percent = matching(4, /^(?:100|\d{1,2})%$/, PERCENT_EXPECTED);

export const BatchState = z.enum(BATCH_STATES);
export const BatchSiteState = z.enum(BATCH_SITE_STATES);
export type BatchSiteState = z.infer<typeof BatchSiteState>;

const count = z.int().min(0);
const Counts = z
  .object({
    ...{ waiting: count, running: count, succeeded: count, failed: count, cancelled: count },
    ...{ expired: count, interrupted: count, lost: count, skipped: count },
  } satisfies Partial<Record<BatchSiteState, typeof count>>)
  .meta({ id: 'BatchCounts', description: 'Sites by their state; `running`: all that have started and not ended.' });
export type BatchCounts = z.infer<typeof Counts>;

export const Batch = named('Batch', {
  id: BatchId,
  tool: Tool,
  request: CommandJson.describe('The command, as in a job.'),
  sites: BatchSites.describe('The sites as requested, resolved at the start.'),
  agent: AgentName.nullable().describe('The agent of each site; null: any connected one.'),
  total: count.describe('How many sites.'),
  atOnce: z.int().min(1).max(MAX_AT_ONCE),
  maxFailures: count.nullable().describe('When more sites than these fail, no further ones start.'),
  state: BatchState.describe(
    '`stopping`: no further sites start, and some still run. `done`: each site has started and ended. `stopped`: the others were skipped.',
  ),
  reason: z.enum(BATCH_REASONS).nullable().describe('Why it was stopped.'),
  counts: Counts,
  actor: z.string().describe('Id of the token that started it.'),
  createdAt: Time,
  endedAt: Time.nullable(),
});
export type Batch = z.infer<typeof Batch>;

/** One site of a batch. */
export const BatchSite = named('BatchSite', {
  site: SiteId,
  state: BatchSiteState.describe('The state of its job; `waiting` before it has one, `skipped` if it gets none.'),
  reason: z
    .string()
    .nullable()
    .describe(
      'As in a job; of a site without one the error code, such as `agent_offline`, or the reason of the batch.',
    ),
  message: z.string().nullable(),
  job: JobId.nullable().describe('For `GET /jobs/{id}`, which has its output and its result.'),
  agent: z.string().nullable(),
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
  summary: ResultSummary.nullable(),
});
export type BatchSite = z.infer<typeof BatchSite>;

/** Without the schemas of every tool, to keep the tool list of assistants small. */
const McpBatch = Batch.extend({
  success: succeeded,
  request: z.looseObject({}).describe('The tool and its arguments.'),
});

const example: Batch = {
  id: '01934c1e-5f00-7a11-8a22-0123456789ab',
  tool: 'nslookup',
  request: { tool: 'nslookup', query: 'intranet.example.org' },
  sites: ['tag:customers'],
  agent: null,
  total: 2,
  atOnce: USUAL_AT_ONCE,
  maxFailures: null,
  state: 'running',
  reason: null,
  counts: {
    ...{ waiting: 0, running: 1, succeeded: 1, failed: 0, cancelled: 0 },
    ...{ expired: 0, interrupted: 0, lost: 0, skipped: 0 },
  },
  actor: '0123456789abcdef',
  createdAt: '2026-11-01T08:15:00.000Z',
  endedAt: null,
};
const exampleSite: BatchSite = {
  site: 'home',
  state: 'succeeded',
  reason: null,
  message: null,
  job: `home.${example.id}`,
  agent: 'home:main',
  startedAt: '2026-11-01T08:15:00.010Z',
  endedAt: '2026-11-01T08:15:00.240Z',
  summary: { answers: ['192.0.2.7'], answerCount: 1 },
};
const params = z.object({ id: BatchId });
const about = { id: example.id };

export const batches = {
  startBatch: {
    ...route('POST', '/batches', 'nettools:run'),
    audit: null, // The audit of each site shows its job.
    status: 202,
    headers: ['Location'],
    isRepeatable: true,
    summary:
      'Run one tool at many sites. Answers at once; each site gets a job of its own, and none waits for a slow or offline one',
    body: z.strictObject({
      tool: Tool.meta({ 'x-checked-further': true, description: 'It determines the `arguments`.' }),
      arguments: z
        .record(z.string().max(40), z.union([z.string().max(255), z.number(), z.boolean()]))
        .default({})
        .meta({
          'x-checked-further': true,
          description: 'The body of `POST /nettools/<tool>`, such as `{"devLastIP": "192.0.2.7"}`.',
        }),
      sites: BatchSites.meta({ 'x-checked-further': true, description: 'Which sites: `*`, ids, or `tag:<tag>`.' }),
      agent: AgentName.optional().describe(
        'The name of the agent at each site. Default: the service chooses one, as for a single command.',
      ),
      atOnce: z.int().min(1).max(MAX_AT_ONCE).default(USUAL_AT_ONCE).describe('Sites that run it at the same time.'),
      maxFailures: z
        .union([z.int().min(0).max(MAX_BATCH_SITES), Percent], { error: PERCENT_EXPECTED })
        .optional()
        .describe('A number of sites, or a share of them such as `10%`. When more have failed, no further ones start.'),
    }),
    response: Batch.extend({ success: succeeded }),
    errors: ['site_forbidden', 'conflict', 'idempotency_mismatch'],
    mcp: {
      name: 'run_on_sites',
      title: 'Run a command at many sites',
      description:
        'Runs one tool at several sites at once and returns a batch id; get_batch has the results, compare_batch the sites that differ. ' +
        'sites is a list of site ids and tags such as tag:customers, or "*" for all. arguments has the fields of the tool: ' +
        'nslookup and traceroute {"devLastIP"}, nmap {"scan", "mode"}; the others {}. Only networks that the user owns.',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
      result: McpBatch,
    },
    example: {
      body: {
        tool: 'nslookup',
        arguments: { devLastIP: 'intranet.example.org' },
        sites: ['tag:customers'],
        maxFailures: '10%',
      },
      response: { success: true, ...example },
    },
  },
  listBatches: {
    ...route('GET', '/batches', 'nettools:run'),
    summary: 'The batches of the last 30 days, the newest first: your own, and those whose sites you may all use',
    query: z.object({ limit: queryInteger(1, 100).default(20), cursor: Cursor.optional() }),
    response: answer({
      batches: z.array(Batch).describe('A page may be shorter than its limit although more follow.'),
      unreadable: Unreadables,
      nextCursor: z.string().nullable(),
    }),
    example: { response: { success: true, batches: [example], unreadable: [], nextCursor: null } },
  },
  getBatch: {
    ...route('GET', '/batches/{id}', 'nettools:run'),
    summary: 'One batch: its state, and its sites in pages, ordered by id',
    params,
    query: z.object({
      limit: queryInteger(1, 500).default(100),
      cursor: Cursor.optional(),
      state: BatchSiteState.optional().describe(
        'Only sites in this state. A page may be shorter than its limit although more follow.',
      ),
    }),
    response: Batch.extend({
      success: succeeded,
      results: z.array(BatchSite).describe('Without sites that you may not use.'),
      nextCursor: z.string().nullable(),
    }),
    errors: ['not_found'],
    mcp: {
      name: 'get_batch',
      title: 'State of a batch of commands',
      description:
        'Counts and results of a batch that run_on_sites has started, a page of sites at a time: while its state is running, call again after some seconds. ' +
        'get_job with the job of a site has its whole output.',
      arguments: { limit: { schema: McpLimit } },
      result: McpBatch.extend({ results: z.array(BatchSite), nextCursor: z.string().nullable() }),
    },
    example: { params: about, response: { success: true, ...example, results: [exampleSite], nextCursor: 'home' } },
  },
  followBatch: {
    ...route('GET', '/batches/{id}/events', 'nettools:run'),
    summary:
      'The progress of a batch: a stream of the events `site`, for each change of state of a site, and `batch`, with the counts; the last one is `result`. A stream that ends before has the event `end`: reconnect after `retry`, and it repeats each site',
    params,
    response: Batch,
    mediaType: 'text/event-stream',
    errors: ['not_found'],
    example: { params: about, response: example },
  },
  compareBatch: {
    ...route('GET', '/batches/{id}/comparison', 'nettools:run'),
    summary: 'The results of a batch so far, compared: which sites differ, and the spread of numbers',
    params,
    query: z.object({
      limit: queryInteger(1, MAX_BATCH_SITES).default(100).describe('Most sites that each list names.'),
    }),
    response: Comparison.extend({ success: succeeded, id: BatchId, tool: Tool }),
    errors: ['not_found'],
    mcp: {
      name: 'compare_batch',
      title: 'Compare the answers of many sites',
      description:
        'Compares the results of a batch: which sites resolve a name differently, from which a target is reached, which see other open ports, and min, median and max of the measurements.',
      arguments: {
        limit: { schema: z.int().min(1).max(50).default(10).describe('Sites that each list names.') },
      },
    },
    example: {
      params: about,
      response: {
        success: true,
        id: example.id,
        tool: example.tool,
        compared: 3,
        groups: [
          { parts: ['192.0.2.7'], count: 2, sites: ['cabin', 'home'] },
          { parts: ['198.51.100.9'], count: 1, sites: ['office'] },
        ],
        moreGroups: 0,
        differing: [
          { part: '192.0.2.7', count: 2, sites: ['cabin', 'home'], missing: ['office'] },
          { part: '198.51.100.9', count: 1, sites: ['office'], missing: ['cabin', 'home'] },
        ],
        numbers: [],
        failures: [{ reason: 'agent_offline', message: null, count: 1, sites: ['shop'] }],
      },
    },
  },
  cancelBatch: {
    ...route('DELETE', '/batches/{id}', 'nettools:run'),
    audit: 'batch.cancel',
    summary:
      'Stop a batch: running commands are cancelled, sites that have not started are skipped. An ended batch stays as it is',
    params,
    response: Batch.extend({ success: succeeded }),
    errors: ['not_found'],
    mcp: {
      name: 'cancel_batch',
      title: 'Stop a batch of commands',
      description:
        'Stops a batch of run_on_sites: sites that have not started are skipped, running commands cancelled.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      result: McpBatch,
    },
    example: { params: about, response: { success: true, ...example, state: 'stopping', reason: 'cancelled' } },
  },
} as const satisfies Operations;
