/** `/jobs`: every accepted command, and its outcome. */
import * as z from 'zod';
import { type EndedJob, JobState, Reason } from '../agent/messages.ts';
import { AgentId, JobId, SiteId } from '../identity.ts';
import { timeOf } from '../time.ts';
import { type DeclaredTool, summaryOf, Tool, tools } from '../tools/list.ts';
import { ResultSummary } from '../tools/summary.ts';
import { EXPORT, ExportQuery } from './export.ts';
import { answer, FilterWords, type Operations, onSite, Page, queryInteger, route, Unreadables } from './operation.ts';
import { Time } from './records.ts';

const shape = {
  id: JobId,
  site: SiteId,
  agent: z.string(),
  agentOfflineSince: Time.nullable().describe(
    'Of a command that has not ended: since when its agent is unreachable, so that `state` is the last known one, and the result arrives when the agent is back. null while it is reachable, and for an ended command.',
  ),
  state: JobState,
  reason: Reason.nullable(),
  message: z
    .string()
    .nullable()
    .describe('Why it failed, in one sentence; null while it runs, after a success, and in lists.'),
  actor: z.string().describe('Id of the token that started it; `schedule:<id>` for a run of a schedule.'),
  createdAt: Time,
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
  summary: ResultSummary.nullable().describe('The result in a few values, also in lists; null without a result.'),
  /** The output of the tool, from the beginning; null in lists. */
  output: z.string().nullable(),
  truncated: z.boolean().describe('Whether the end of `output`, or `result`, is missing because it was too long.'),
};

type JobOf<T, More> = T extends DeclaredTool
  ? z.ZodObject<
      typeof shape & {
        tool: z.ZodLiteral<T['name']>;
        request: T['commandJson'];
        result: z.ZodNullable<T['result']>;
      } & More
    >
  : never;

/** A job of any tool; the tool determines the schemas of its request and its result. */
function anyJob<More extends z.core.$ZodShape>(more: More) {
  const options = Object.values(tools).map(({ name, commandJson, result }) =>
    z.object({ ...shape, tool: z.literal(name), request: commandJson, result: result.nullable(), ...more }),
  );
  type Option = JobOf<DeclaredTool, More>;
  return z.discriminatedUnion('tool', options as unknown as [Option, ...Option[]]);
}

export const Job = anyJob({}).meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;

/** The job with its outcome. */
export function endedAs(job: Job, { startedAt, endedAt, ...outcome }: EndedJob): Job {
  const times = { startedAt: startedAt === null ? null : timeOf(startedAt), endedAt: timeOf(endedAt) };
  // The result was parsed by the schema of the job's tool, which the compiler cannot know.
  const summary = summaryOf(job.tool, outcome.result);
  return { ...job, ...outcome, ...times, summary, agentOfflineSince: null } as Job;
}

const id = 'home.01934c1e-5f00-7a11-8a22-0123456789ab';
export const exampleJob = {
  id,
  site: 'home',
  agent: 'home:main',
  agentOfflineSince: null,
  tool: 'traceroute',
  request: { tool: 'traceroute', target: '192.168.1.1' },
  state: 'succeeded',
  reason: null,
  message: null,
  actor: '0123456789abcdef',
  createdAt: '2026-11-01T08:15:00.000Z',
  startedAt: '2026-11-01T08:15:00.010Z',
  endedAt: '2026-11-01T08:15:00.240Z',
  output: ' 1  192.168.1.1  0.3 ms  0.2 ms  0.2 ms\n',
  summary: { hops: 1, reached: true, rttMs: 0.2 },
  result: null,
  truncated: false,
};
const params = z.object({ id: JobId });
const JobFilter = z.object({
  tool: Tool.optional(),
  state: JobState.optional(),
  actor: z.string().min(1).max(100).optional(),
  agent: AgentId.optional(),
  about: FilterWords.describe(
    'Only commands whose arguments name one of these addresses, ranges, names or MAC addresses, separated by commas, in any letter case.',
  ),
});
export type JobFilter = z.infer<typeof JobFilter>;
/** Without the schemas of every tool, to keep the tool list of assistants small. */
export const McpJob = z.object({
  ...shape,
  tool: Tool,
  request: z.looseObject({}).describe('The tool and its arguments.'),
  result: z.looseObject({}).nullable().describe('The parsed output; null while there is none.'),
});
/** The answer about one job. */
export const OneJob = anyJob({ success: z.literal(true) }).meta({ id: 'JobAnswer' });

export const jobs = {
  listJobs: {
    ...onSite('GET', '/jobs', 'nettools:run'),
    summary: 'The commands of a site, the newest first, without their output',
    query: Page.extend(JobFilter.shape),
    response: answer({ jobs: z.array(Job), unreadable: Unreadables, nextCursor: z.string().nullable() }),
    example: { response: { success: true, jobs: [{ ...exampleJob, output: null }], unreadable: [], nextCursor: null } },
  },
  exportJobs: {
    ...EXPORT,
    path: '/jobs/export',
    scope: 'nettools:run',
    summary: 'The commands of a site in a span of time, as a file: the entries of `GET /jobs`, without their output',
    query: ExportQuery.extend(JobFilter.shape),
    response: z.string(),
    example: {
      query: { since: '2026-11-01T00:00:00Z', until: '2026-12-01T00:00:00Z' },
      response:
        'id,site,agent,tool,request,state,reason,actor,createdAt,startedAt,endedAt,problem\r\n' +
        `${id},home,home:main,traceroute,"{""tool"":""traceroute"",""target"":""192.168.1.1""}",succeeded,,0123456789abcdef,2026-11-01T08:15:00.000Z,2026-11-01T08:15:00.010Z,2026-11-01T08:15:00.240Z,\r\n`,
      line: { ...exampleJob, output: null },
    },
  },
  getJob: {
    ...route('GET', '/jobs/{id}', 'nettools:run'),
    summary: 'One command: its state, its output so far, and its result once it has ended',
    params,
    query: z.object({
      from: queryInteger(0, 999_999_999).default(0).describe('Characters to leave out at the beginning of `output`.'),
      wait: queryInteger(0, 300)
        .default(0)
        .describe(
          'Seconds to wait for the end of the command. The answer may come earlier: the service has a limit of its own, and answers at once while too many requests wait.',
        ),
    }),
    response: OneJob,
    hasEtag: true,
    errors: ['not_found'],
    mcp: {
      name: 'get_job',
      title: 'State and output of a command',
      description:
        'A command, by its job id: its state, its output so far, and its result once it has ended. ' +
        'While its state is queued, accepted or running, call again with wait, such as 20.',
      result: McpJob.extend({ success: z.literal(true) }),
    },
    example: { params: { id }, response: { success: true, ...exampleJob } },
  },
  followJob: {
    ...route('GET', '/jobs/{id}/events', 'nettools:run'),
    summary:
      'The progress of a command: a stream of the events accepted, output, progress and result. A stream that ends before has the event end: reconnect after `retry` to continue behind its id; one that fails ends with the event error',
    params,
    response: Job,
    mediaType: 'text/event-stream',
    errors: ['not_found'],
    example: { params: { id }, response: exampleJob },
  },
  cancelJob: {
    ...route('DELETE', '/jobs/{id}', 'nettools:run'),
    audit: 'job.cancel',
    summary: 'Stop a command; the answer comes when the agent has stopped it',
    params,
    response: OneJob,
    errors: ['not_found', 'conflict', 'agent_offline', 'agent_silent'],
    mcp: {
      name: 'cancel_job',
      title: 'Stop a command',
      description: 'Stops a running command, by its job id. Its output so far is kept.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      result: McpJob.extend({ success: z.literal(true) }),
    },
    example: { params: { id }, response: { success: true, ...exampleJob, state: 'cancelled', reason: 'cancelled' } },
  },
} as const satisfies Operations;
