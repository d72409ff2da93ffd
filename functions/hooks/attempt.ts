/** The progress of a hook after an attempt to deliver a message. */

import { type Delivery, MAX_DELIVERIES } from '../../shared/api/hooks.ts';
import type { Progress, StoredHook } from './hook-store.ts';
import type { SentEvent } from './mail.ts';
import { DROP_AFTER_MS, pauseMs } from './retry-schedule.ts';
import type { SendOutcome } from './send.ts';

export interface Message {
  id: string;
  event: SentEvent;
}

/** `stopped`: the process was stopped in order, and the result of the attempt is unknown. */
type Outcome = SendOutcome | 'too late' | 'broken off' | 'stopped';

const GONE = 410;
/** Attempts of a message that may be broken off. The message may be what crashes the process. */
const MAX_BROKEN_OFF = 5;

export function progressAfter(
  { id: hook, ...before }: StoredHook,
  message: Message,
  outcome: Outcome,
  now: Date,
): Progress {
  const { id, event } = message;
  const at = now.getTime();
  const isTest = event.type === 'test';
  const others = before.deliveries.filter((one) => one.id !== id && (isTest || one.state !== 'pending'));
  const attempts = before.deliveries.find((one) => one.id === id)?.attempts ?? 0;
  const device = event.device?.name ?? null;
  const about = { id, webhookId: `${hook}_${id}`, event: event.type, device, at: event.at };
  const withDelivery = (one: Omit<Delivery, keyof typeof about>) =>
    [{ ...about, ...one }, ...others].slice(0, MAX_DELIVERIES);
  const ended = { nextAttemptAt: null, endedAt: now.toISOString() };

  if (outcome === 'stopped') {
    const next = { state: 'pending', nextAttemptAt: now.toISOString(), endedAt: null } as const;
    const deliveries = withDelivery({ ...next, status: null, reason: null, attempts: attempts + 1 });
    return { ...before, leasedUntil: null, deliveries };
  }
  if (outcome === 'too late') {
    const reason = `all deliveries have failed since ${new Date(before.failingSince ?? at).toISOString()}`;
    const deliveries = withDelivery({ state: 'dead', attempts, status: null, reason, ...ended });
    return { ...before, brokenOff: 0, pausedUntil: null, leasedUntil: null, deliveries };
  }
  if (outcome !== 'broken off' && outcome.isDelivered) {
    const { status } = outcome;
    const deliveries = withDelivery({ state: 'delivered', attempts: attempts + 1, status, reason: null, ...ended });
    const healthy = { failingSince: null, pausedUntil: null, brokenOff: 0, leasedUntil: null };
    return { ...before, ...healthy, deliveredAt: at, deliveries };
  }
  const isBrokenOff = outcome === 'broken off';
  const { status, reason, retryAfterMs } = isBrokenOff
    ? { status: null, reason: 'the attempt was broken off before its end', retryAfterMs: null }
    : outcome;
  const failingSince = before.failingSince ?? at;
  const brokenOff = before.brokenOff + (isBrokenOff ? 1 : 0);
  const pausedUntil = at + pauseMs(failingSince, at, retryAfterMs);
  const since = Math.max(Date.parse(event.recordedAt), failingSince);
  const isFinal = !isBrokenOff && outcome.isFinal === true;
  const isOver =
    isTest || isFinal || status === GONE || brokenOff >= MAX_BROKEN_OFF || pausedUntil - since > DROP_AFTER_MS;
  const next = isOver
    ? ({ state: 'dead', ...ended } as const)
    : ({ state: 'pending', nextAttemptAt: new Date(pausedUntil).toISOString(), endedAt: null } as const);
  return {
    ...before,
    ...{ failingSince, pausedUntil: isTest ? before.pausedUntil : pausedUntil, leasedUntil: null },
    brokenOff: isOver ? 0 : brokenOff,
    problem: status === GONE ? 'its receiver answered 410 (Gone)' : before.problem,
    deliveries: withDelivery({ ...next, attempts: attempts + 1, status, reason }),
  };
}
