/** What the cloud has been told last of each check: what is still so is not told again. */
import * as z from 'zod';
import type { Change } from '../../shared/agent/measurements.ts';
import { PlanItemId } from '../../shared/agent/plan.ts';
import { Millis } from '../../shared/time.ts';

const ToldOfCheck = z.object({
  ok: z.boolean().optional(),
  /** Of the internet, when it was lost last: whether the gateway answered. */
  gateway: z.boolean().nullable().optional(),
  /** When it ends, and when that was told. */
  certificate: z.object({ endsAt: Millis, at: Millis }).optional(),
  hops: z.array(z.string()).optional(),
});
export type ToldOfCheck = Readonly<z.infer<typeof ToldOfCheck>>;

export const Told = z.object({
  checks: z.record(PlanItemId, ToldOfCheck),
  /** The public address. */
  address: z.string().nullable(),
});
export type Told = z.infer<typeof Told>;

/** Takes down what a change says. */
export function takeDown(told: Told, change: Change): void {
  if (change.t === 'address') told.address = change.address;
  if ('check' in change) told.checks[change.check] = { ...told.checks[change.check], ...newsIn(change) };
}

function newsIn(change: Extract<Change, { check: PlanItemId }>): ToldOfCheck {
  switch (change.t) {
    case 'check':
      return { ok: change.ok };
    case 'internet':
      return { ok: change.ok, ...(change.ok ? {} : { gateway: change.gateway }) };
    case 'certificate':
      return { certificate: { endsAt: change.endsAt, at: change.at } };
    case 'path':
      return { hops: change.hops };
  }
}

/** What a change is about: a later one about the same makes an earlier one dispensable. */
export function subjectOf(change: Change): string {
  if ('check' in change) return `${change.t} ${change.check}`;
  return change.t === 'missed' ? `missed ${change.schedule}` : change.t;
}
