/** The result of one run of a check. */
import { MAX_REASON_CHARACTERS } from '../../shared/agent/measurements.ts';
import { reasonSentence } from '../../shared/reason-text.ts';
import { Reason } from '../../shared/reasons.ts';
import { legible, oneLine, startOf } from '../../shared/text.ts';
import type { Measured } from '../measurements/measured.ts';

/** The deadline of a name server, and of a TCP port. */
export const ANSWER_WITHIN_MS = 5_000;

export interface Finding {
  /** Why the check failed, for a person; null when it succeeded. */
  fault: string | null;
  /** The same as a code, where it has one. */
  reasonCode?: Reason;
  /** Null when nothing was sent: then the series has a gap, and no loss. */
  measured: Measured | null;
  /** When the server's certificate expires (Unix, ms). */
  certificateEndsAt?: number;
  /** In an internet outage: whether the gateway answers; null without a gateway. */
  gateway?: boolean | null;
  /** The addresses that answered at each hop of the path to another site. */
  hops?: string[][];
}

/** Nothing was sent: the policy of this host denies it, or it is impossible here. */
export class NotSent extends Error {
  override name = 'NotSent';
}

/** The target did not give a valid answer. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reasonSentence(reason));
    this.reason = reason;
  }
}

/** The finding of a single request and its round trip. */
export function answered(rttMs: number): Finding {
  return { fault: null, measured: { rttMs, sent: 1, lost: 0, jitterMs: null } };
}

/** An invalid answer counts as none. */
export function unanswered(fault: Reason | string): Finding {
  return { ...faultOf(fault), measured: { rttMs: null, sent: 1, lost: 1, jitterMs: null } };
}

export function notSent(fault: Reason | string): Finding {
  return { ...faultOf(fault), measured: null };
}

/** Sanitizes: a reason may quote a server. */
export function faultOf(fault: Reason | string): Pick<Finding, 'fault' | 'reasonCode'> {
  const text = typeof fault === 'string' ? fault : reasonSentence(fault);
  const reason = { fault: startOf(legible(oneLine(text)), MAX_REASON_CHARACTERS) };
  return typeof fault === 'string' ? reason : { ...reason, reasonCode: Reason.parse(fault) };
}
