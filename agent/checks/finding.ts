/** What one run of a check has found. */
import { MAX_REASON_CHARACTERS } from '../../shared/agent/measurements.ts';
import { legible, oneLine, startOf } from '../../shared/text.ts';
import type { Measured } from '../measurements/measured.ts';

export interface Finding {
  /** Why the check has failed, for a person; null when all is as it should be. */
  fault: string | null;
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
}

/** The finding of something that is asked once, and answers after so many milliseconds. */
export function answered(rttMs: number): Finding {
  return { fault: null, measured: { rttMs, sent: 1, lost: 0, jitterMs: null } };
}

/** An answer that is not as it should be counts as none. */
export function unanswered(fault: string): Finding {
  return { fault: reasonFrom(fault), measured: { rttMs: null, sent: 1, lost: 1, jitterMs: null } };
}

export function notSent(fault: string): Finding {
  return { fault: reasonFrom(fault), measured: null };
}

/** A reason may quote what a server has said. */
function reasonFrom(text: string): string {
  return startOf(legible(oneLine(text)), MAX_REASON_CHARACTERS);
}
