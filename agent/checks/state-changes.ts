/** State changes after a run: two failures in a row fail a check, or one if it cannot run; one success recovers it. */
import type { Change } from '../../shared/agent/measurements.ts';
import type { PlannedCheck } from '../../shared/agent/plan.ts';
import { DAY_MS, HOUR_MS } from '../../shared/time.ts';
import type { ReportedState } from '../measurements/reported.ts';
import type { Finding } from './finding.ts';
import { isSamePath, pathOf } from './path.ts';

const FAILS_AFTER = 2;
/** Days before the expiry of a certificate, each of which is reported once. */
const SOON_DAYS = [21, 7, 1];

/** The state of a check in memory, until a restart. */
export interface Memory {
  /** Consecutive failures, and the time of the first (Unix, ms). */
  failures: number;
  failedAt: number;
  /** A new path, which the next trace must confirm. */
  otherPath: string[] | null;
  tracedAt: number;
}

export function nothingRemembered(): Memory {
  return { failures: 0, failedAt: 0, otherPath: null, tracedAt: Number.NEGATIVE_INFINITY };
}

/** Whether to trace the path to a site: when it fails, recovers or may have changed, and once an hour. */
export function wantsPath(ok: boolean, at: number, reported: ReportedState, memory: Memory): boolean {
  if (!ok) return reported.ok !== false && memory.failures === FAILS_AFTER - 1;
  return reported.ok === false || memory.otherPath !== null || Math.abs(at - memory.tracedAt) >= HOUR_MS;
}

/** The changes to report after a run that began at this time. Updates the memory. */
export function changesAfter(
  { id: check, probe }: PlannedCheck,
  finding: Finding,
  at: number,
  reported: ReportedState,
  memory: Memory,
): Change[] {
  const changes: Change[] = [];
  const { fault, reasonCode, certificateEndsAt: endsAt, hops } = finding;
  if (fault === null) {
    memory.failures = 0;
    const up = { check, at, ok: true };
    if (reported.ok !== true && probe.kind !== 'internet') changes.push({ t: 'check', ...up });
    else if (reported.ok !== true) changes.push({ t: 'internet', ...up, gateway: reported.gateway ?? null });
  } else {
    if (memory.failures++ === 0) memory.failedAt = at;
    // A check that cannot run, or whose output is unknown, gains nothing by a second attempt, and must have a reason.
    const isNeverMade = finding.measured === null && reported.ok === undefined;
    if ((memory.failures >= FAILS_AFTER || isNeverMade) && reported.ok !== false) {
      const down = { check, at: memory.failedAt, ok: false };
      if (probe.kind === 'internet') changes.push({ t: 'internet', ...down, gateway: finding.gateway ?? null });
      else changes.push({ t: 'check', ...down, reason: fault, reasonCode });
    }
  }
  if (endsAt !== undefined && isNewsOfCertificate(reported.certificate, endsAt, at)) {
    changes.push({ t: 'certificate', check, at, endsAt, soon: endsAt - at <= (SOON_DAYS[0] ?? 0) * DAY_MS });
  }
  if (hops !== undefined && isNewPath(hops, reported.hops, memory))
    changes.push({ t: 'path', check, at, hops: pathOf(hops) });
  return changes;
}

/** Servers that share an address may have several certificates: a different one is reported once an hour at most. */
function isNewsOfCertificate(reported: ReportedState['certificate'], endsAt: number, at: number): boolean {
  if (reported === undefined) return true;
  if (reported.endsAt !== endsAt) return Math.abs(at - reported.at) >= HOUR_MS;
  return levelOf(endsAt - at) > levelOf(reported.endsAt - reported.at);
}

function levelOf(leftMs: number): number {
  return SOON_DAYS.filter((days) => leftMs <= days * DAY_MS).length;
}

function isNewPath(hops: string[][], known: readonly string[] | undefined, memory: Memory): boolean {
  if (known === undefined) return true;
  const { otherPath } = memory;
  memory.otherPath = null;
  if (isSamePath(known, hops)) return false;
  if (otherPath !== null) return isSamePath(otherPath, hops);
  memory.otherPath = pathOf(hops);
  return false;
}
