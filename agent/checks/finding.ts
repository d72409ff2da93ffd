/** What one run of a check has found. */
import { MAX_REASON_CHARACTERS } from '../../shared/agent/measurements.ts';
import { reasonSentence } from '../../shared/reason-text.ts';
import { Reason } from '../../shared/reasons.ts';
import { legible, oneLine, startOf } from '../../shared/text.ts';
import type { Measured } from '../measurements/measured.ts';

export interface Finding {
  /** Why the check has failed, for a person; null when all is as it should be. */
  fault: string | null;
  /** The same as a code, where it has one. */
  reasonCode?: Reason;
  /** Null when nothing was sent: then the series has a gap, and no loss. */
  measured: Measured | null;
  /** When the certificate of the server ends (Unix, ms). */
  certificateEndsAt?: number;
  /** Of a lost internet: whether the gateway answers; null when there is none. */
  gateway?: boolean | null;
  /** The addresses that answered at each hop of the way to another site. */
  hops?: string[][];
}

/** Why nothing was sent: the policy of this host refuses it, or it cannot be done here. */
export class NotSent extends Error {
  override name = 'NotSent';
}

/** That what was asked has not answered as it should. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reasonSentence(reason));
    this.reason = reason;
  }
}

/** The finding of something that is asked once, and answers after so many milliseconds. */
export function answered(rttMs: number): Finding {
  return { fault: null, measured: { rttMs, sent: 1, lost: 0, jitterMs: null } };
}

/** An answer that is not as it should be counts as none. */
export function unanswered(fault: Reason | string): Finding {
  return { ...faultOf(fault), measured: { rttMs: null, sent: 1, lost: 1, jitterMs: null } };
}

export function notSent(fault: Reason | string): Finding {
  return { ...faultOf(fault), measured: null };
}

/** A fault may quote what a server has said. */
export function faultOf(fault: Reason | string): Pick<Finding, 'fault' | 'reasonCode'> {
  const text = typeof fault === 'string' ? fault : reasonSentence(fault);
  const said = { fault: startOf(legible(oneLine(text)), MAX_REASON_CHARACTERS) };
  return typeof fault === 'string' ? said : { ...said, reasonCode: Reason.parse(fault) };
}
