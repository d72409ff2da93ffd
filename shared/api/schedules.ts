/** `/schedules`: commands that the agents of a site run periodically, also while they cannot reach the service. */
import * as z from 'zod';
import { JobState, Reason } from '../agent/messages.ts';
import { PlanItemId } from '../agent/plan.ts';
import { AgentName, JobId, SiteId } from '../identity.ts';
import { CronExpression, TimeZone, Window } from '../schedule-terms.ts';
import { CommandJson, Tool } from '../tools/list.ts';
import { only } from './list.ts';
import { answer, named, type Operations, onSite, succeeded, Unreadables } from './operation.ts';
import { Label, Origin, Time } from './records.ts';

const EverySeconds = z.int().min(300).max(2_678_400); // 31 days
const Jitter = z.int().min(0).max(86_400);
const StartWithin = z.int().min(60).max(86_400);

export const Schedule = named('Schedule', {
  id: PlanItemId,
  site: SiteId,
  name: Label,
  tool: Tool,
  request: CommandJson.describe('The command, as in a job.'),
  everySeconds: EverySeconds.nullable().describe('Runs are at multiples of this since 1970 (UTC).'),
  cron: CronExpression.nullable().describe('Five fields, in the time zone `timeZone`.'),
  timeZone: TimeZone,
  window: Window.nullable().describe('Runs outside of it are skipped.'),
  jitterSeconds: Jitter.describe(
    'A run starts up to this many seconds later; the delay derives from schedule, site and time.',
  ),
  startWithinSeconds: StartWithin.describe(
    'A run that could not start within this time is missed: it is reported, and does not run later.',
  ),
  until: Time.nullable().describe('No runs from this time on.'),
  agent: AgentName.nullable().describe('The agent that runs it; null: any connected one.'),
  enabled: z.boolean(),
  createdAt: Time,
  createdBy: z.string(),
  origin: Origin,
  nextAt: Time.nullable().describe('When the next run starts, with its jitter; null: never again.'),
  last: named('ScheduleRun', { turn: Time, job: JobId, state: JobState, reason: Reason.nullable(), endedAt: Time })
    .nullable()
    .describe('The last run with a known result.'),
  missed: z
    .object({ count: z.int(), lastAt: Time })
    .nullable()
    .describe('How many runs were missed, and the time of the last of them.'),
});
export type Schedule = z.infer<typeof Schedule>;

const timing = {
  everySeconds: EverySeconds.optional(),
  cron: CronExpression.optional(),
  window: Window.nullable().optional(),
  jitterSeconds: Jitter.optional().describe('Default: 60, so that many sites do not start at once.'),
  startWithinSeconds: StartWithin.optional().describe('Default: 600.'),
  until: Time.nullable().optional(),
  agent: AgentName.nullable().optional(),
  enabled: z.boolean().optional(),
};

/** The fields of a new schedule. */
export const scheduleFields = {
  name: Label,
  tool: Tool,
  arguments: z
    .record(z.string().max(40), z.union([z.string().max(255), z.number(), z.boolean()]))
    .default({})
    .meta({
      'x-checked-further': true,
      description:
        'The fields of the body of `POST /nettools/<tool>`, such as `{"scan": "192.168.1.0/24", "mode": "fast"}`.',
    }),
  ...timing,
};

export const DeclaredSchedule = only(scheduleFields).refine(
  ({ everySeconds, cron }) => (everySeconds === undefined) !== (cron === undefined),
  { error: 'expected exactly one of everySeconds and cron', path: ['cron'] },
);
export type DeclaredSchedule = z.output<typeof DeclaredSchedule>;
export const SchedulePart = DeclaredSchedule.meta({ id: 'SchedulePart' });

const Shown = Schedule.extend({ success: succeeded });

const example = {
  id: '5f0c2a9b1d34',
  site: 'home',
  name: 'ports, every night',
  tool: 'nmap' as const,
  request: { tool: 'nmap' as const, target: '192.168.1.0/24', mode: 'fast' as const },
  everySeconds: null,
  cron: '0 2 * * *',
  timeZone: 'Europe/Berlin',
  window: null,
  jitterSeconds: 60,
  startWithinSeconds: 600,
  until: null,
  agent: null,
  enabled: true,
  createdAt: '2026-11-01T08:15:00.000Z',
  createdBy: '0123456789abcdef',
  nextAt: '2026-11-02T01:00:21.000Z',
  last: null,
  missed: null,
};
const params = z.object({ schedule: PlanItemId });
const about = { schedule: example.id };

export const schedules = {
  listSchedules: {
    ...onSite('GET', '/schedules', 'devices:read'),
    summary: 'The schedules of a site',
    response: answer({ schedules: z.array(Schedule), unreadable: Unreadables }),
    mcp: {
      name: 'list_schedules',
      title: 'List schedules',
      description:
        'The commands that the agents of a site run periodically: the tool with its arguments, when, when next, and the last result. ' +
        'The runs themselves are jobs with the actor schedule:<id>.',
    },
    example: { response: { success: true, schedules: [example], unreadable: [] } },
  },
  addSchedule: {
    ...onSite('POST', '/schedules', 'nettools:run'),
    audit: 'schedule.add',
    status: 201,
    summary:
      'Run a tool periodically at a site, by an interval or a cron expression. Each run is a job with the actor `schedule:<id>`',
    body: SchedulePart,
    response: Shown,
    errors: ['conflict'],
    mcp: {
      name: 'add_schedule',
      title: 'Run a tool periodically',
      description:
        'Makes the agents of a site run a tool by a cron expression in the time zone of the site, or at an interval in seconds. ' +
        'The arguments are those of the tool, such as {"scan": "192.168.1.0/24", "mode": "fast"} for nmap.',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    },
    example: {
      body: {
        name: example.name,
        tool: 'nmap',
        arguments: { scan: '192.168.1.0/24', mode: 'fast' },
        cron: '0 2 * * *',
      },
      response: { success: true, ...example },
    },
  },
  getSchedule: {
    ...onSite('GET', '/schedules/{schedule}', 'devices:read'),
    summary: 'One schedule',
    params,
    response: Shown,
    errors: ['not_found'],
    example: { params: about, response: { success: true, ...example } },
  },
  changeSchedule: {
    ...onSite('PATCH', '/schedules/{schedule}', 'nettools:run'),
    audit: 'schedule.change',
    summary: 'Change a schedule; omitted fields stay as they are, and the command always does',
    params,
    body: z
      .strictObject({ name: Label.optional(), ...timing })
      .refine((wanted) => Object.keys(wanted).length > 0, { error: 'expected a field to change' })
      .refine(({ everySeconds, cron }) => everySeconds === undefined || cron === undefined, {
        error: 'expected at most one of everySeconds and cron',
        path: ['cron'],
      }),
    response: Shown,
    errors: ['not_found', 'conflict'],
    example: {
      params: about,
      body: { enabled: false },
      response: { success: true, ...example, enabled: false, nextAt: null },
    },
  },
  removeSchedule: {
    ...onSite('DELETE', '/schedules/{schedule}', 'nettools:run'),
    audit: 'schedule.remove',
    summary: 'Remove a schedule; its jobs stay',
    params,
    response: answer({}),
    errors: ['not_found'],
    mcp: {
      name: 'remove_schedule',
      title: 'Remove a schedule',
      description: 'Removes a schedule, by its id from list_schedules. Its runs stay in the list of jobs.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    example: { params: about, response: { success: true } },
  },
} as const satisfies Operations;
