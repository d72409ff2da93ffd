/** The plan of an agent, on its disk: scheduled commands and recurring checks, which run without the service. */
import * as z from 'zod';
import { CronExpression, TimeZone, Window } from '../schedule-terms.ts';
import { matching } from '../text-schemas.ts';
import { Millis } from '../time.ts';
import { StoredCommand } from '../tools/list.ts';
import { PlannedUpdate } from './release.ts';

/** Names a schedule, a check or a scan within its site. */
export const PlanItemId = matching(12, /^[0-9a-f]{12}$/, 'expected the 12 hexadecimal digits of an id');
export type PlanItemId = z.infer<typeof PlanItemId>;

/** Most of each in one site. */
export const MAX_SCHEDULES = 100;
export const MAX_CHECKS = 1_000;

/** When a schedule runs: see `shared/schedule-turns.ts`. Exactly one of `everySeconds` and `cron` is given. */
export const Timing = z.object({
  /** Runs are at multiples of this since 1970, so that they do not move when an agent restarts. */
  everySeconds: z
    .int()
    .min(1)
    .max(31 * 86_400)
    .optional(),
  cron: CronExpression.optional(),
  /** Only runs within it count, by the clock of the time zone. */
  window: Window.optional(),
  /** Runs from `from` on, and before `until` (Unix, ms). */
  from: Millis,
  until: Millis.optional(),
  /** Each run starts up to so many seconds later, by a hash of schedule, site and run. */
  jitterSeconds: z.int().min(0).max(86_400),
});
export type Timing = z.infer<typeof Timing>;

/** One schedule, for the agent that runs it. */
export const PlannedSchedule = z.object({
  id: PlanItemId,
  timing: Timing,
  /** A run that cannot start within this time is missed. */
  startWithinSeconds: z.int().min(1).max(86_400),
  command: StoredCommand,
});
export type PlannedSchedule = z.infer<typeof PlannedSchedule>;

/** How a check probes its target. Hosts are names or literals; the agent's policy decides on the address. */
const Host = z.string().min(1).max(253);
const Port = z.int().min(1).max(65_535);
export const Probe = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ping'), host: Host }),
  z.object({ kind: z.literal('tcp'), host: Host, port: Port }),
  z.object({
    kind: z.literal('http'),
    url: z.string().max(2_000),
    /** Statuses that count as well, such as `200-399,401`. */
    status: z.string().max(100),
    /** What the first 256 KB of the answer must contain. */
    text: z.string().min(1).max(200).optional(),
  }),
  z.object({
    kind: z.literal('dns'),
    name: z.string().min(1).max(253),
    record: z.enum(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'PTR', 'SRV']),
    /** The server to query; by default the resolver of the agent's host. */
    server: Host.optional(),
    /** One of the answers must be this. */
    expect: z.string().min(1).max(255).optional(),
  }),
  /** Internet access: some hosts of the internet, with the gateway as evidence, and the public address now and then. */
  z.object({ kind: z.literal('internet'), anchors: z.array(Host).min(1).max(4) }),
  /** Another site, by the address at which it can be reached. `site` is its id, for the path and the matrix. */
  z.object({ kind: z.literal('site'), host: Host, site: z.string().max(32) }),
]);
export type Probe = z.infer<typeof Probe>;

export const PlannedCheck = z.object({ id: PlanItemId, everySeconds: z.int().min(60).max(86_400), probe: Probe });
export type PlannedCheck = z.infer<typeof PlannedCheck>;

export const Plan = z.object({
  timeZone: TimeZone,
  schedules: z.array(PlannedSchedule).max(MAX_SCHEDULES),
  checks: z.array(PlannedCheck).max(MAX_CHECKS),
  /** The release to which the agent is to update itself now; absent: none. */
  update: PlannedUpdate.optional(),
});
export type Plan = z.infer<typeof Plan>;

export const EMPTY_PLAN: Plan = { timeZone: 'UTC', schedules: [], checks: [] };

/** The planned run behind a command without a request. The service knows the command from the plan. */
export const PlannedRun = z.object({
  by: z.literal('schedule'),
  id: PlanItemId,
  /** The time of the run (Unix, ms), without jitter: also the time in the id of the job. */
  turn: Millis,
});
export type PlannedRun = z.infer<typeof PlannedRun>;
