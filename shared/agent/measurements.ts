/** Measurements that agents report: points of series, and changes. */
import * as z from 'zod';
import { AgentName } from '../identity.ts';
import { ReasonCode } from '../reasons.ts';
import { Millis } from '../time.ts';
import { MAX_CHECKS, PlanItemId } from './plan.ts';

/** The period of a batch of points, and the smallest bucket of the roll-ups. */
export const BATCH_MS = 5 * 60_000;

/** One run of a check. The first value is in seconds since the start of the batch. */
export const Point = z.tuple([
  z
    .int()
    .min(0)
    .max(BATCH_MS / 1000),
  /** Milliseconds until the answer, on average over the packets of the run; null without an answer. */
  z.number().min(0).max(3_600_000).nullable(),
  /** Packets sent, and how many of them were lost. Always one for checks other than ping. */
  z.int().min(1).max(100),
  z.int().min(0).max(100),
  /** Mean difference between successive packets, in milliseconds; null with fewer than two answers. */
  z.number().min(0).max(3_600_000).nullable(),
]);
export type Point = z.infer<typeof Point>;

/** Longest text about a check, such as why it failed. */
export const MAX_REASON_CHARACTERS = 300;
const Reason = z.string().max(MAX_REASON_CHARACTERS);
const Address = z.string().max(64);

/** A difference from what the agent reported before; it does not report what stays the same. */
export const Change = z.discriminatedUnion('t', [
  /** A check has failed twice in a row, or works again. `at`: the first of the failures, or the first success. */
  z.object({
    t: z.literal('check'),
    check: PlanItemId,
    at: Millis,
    ok: z.boolean(),
    reason: Reason.optional(),
    reasonCode: ReasonCode,
  }),
  /** The certificate of an HTTPS check is another one, or ends within 21, 7 or 1 days for the first time. */
  z.object({ t: z.literal('certificate'), check: PlanItemId, at: Millis, endsAt: Millis, soon: z.boolean() }),
  /** The route to another site changed: the addresses of the hops, empty for one that does not answer. */
  z.object({ t: z.literal('path'), check: PlanItemId, at: Millis, hops: z.array(Address).max(30) }),
  /** The internet was lost (often reported only once it is back), or is back. `gateway`: whether that answered; null without one. */
  z.object({
    t: z.literal('internet'),
    check: PlanItemId,
    at: Millis,
    ok: z.boolean(),
    gateway: z.boolean().nullable(),
  }),
  /** The public address of the site, with the provider that the lookup service names. */
  z.object({ t: z.literal('address'), at: Millis, address: Address, provider: z.string().max(200).nullable() }),
  /** Missed runs of a schedule: how many, the first and the last, and what the agent did at their time. */
  z.object({
    t: z.literal('missed'),
    schedule: PlanItemId,
    count: z.int().min(1).max(1_000_000),
    first: Millis,
    last: Millis,
    why: z.enum(['agent-away', 'agent-busy', 'still-running']),
  }),
]);
export type Change = z.infer<typeof Change>;

export const MAX_CHANGES = 200;
/** Most runs of one check in a batch: twice as many as there are minutes. */
export const MAX_RUNS = 10;

/** The body of a message. Numbered by `n` and sent in order, each after the one before is stored. */
export const MeasurementsBody = z.object({
  /** Names the message: a counter that starts at the time of the agent's first one (Unix, ms). */
  n: Millis,
  changes: z.array(Change).max(MAX_CHANGES),
  /** A batch of points that has ended; a message may have none. */
  points: z
    .object({
      /** The beginning of the batch (Unix, ms), a multiple of BATCH_MS. */
      from: Millis.refine((from) => from % BATCH_MS === 0, { error: 'expected a multiple of five minutes' }),
      /** The batch that this agent reported before: the time between had no points. */
      before: Millis.nullable(),
      checks: z
        .array(z.tuple([PlanItemId, z.array(Point).max(MAX_RUNS)]))
        .max(MAX_CHECKS)
        .refine((checks) => new Set(checks.map(([id]) => id)).size === checks.length, {
          error: 'expected each check once',
        }),
    })
    .nullable(),
});
export type MeasurementsBody = z.infer<typeof MeasurementsBody>;

/** The agent from which something was measured. */
export const From = AgentName;
