/**
 * What a run of a check changes in what is known of it: two failures in a row make it fail, one success makes it well. A
 * check that cannot be made says so after its first run.
 */
import type { Change } from '../../shared/agent/measurements.ts';
import type { PlannedCheck } from '../../shared/agent/plan.ts';
import type { ToldOfCheck } from '../measurements/told.ts';
import type { Finding } from './finding.ts';
import { isSamePath, pathOf } from './path.ts';

const FAILS_AFTER = 2;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A certificate that ends within so many days is told of, once for each. */
const SOON_DAYS = [21, 7, 1];

/** What is remembered of the runs of a check, until a restart. */
export interface Memory {
  /** Failures in a row, and the time of the first (Unix, ms). */
  failures: number;
  failedAt: number;
  /** Another path than the one that is known, which the next trace has to confirm. */
  otherPath: string[] | null;
  tracedAt: number;
}

export function nothingRemembered(): Memory {
  return { failures: 0, failedAt: 0, otherPath: null, tracedAt: Number.NEGATIVE_INFINITY };
}

/** Whether the way to a site is to be traced: when it fails, is back or seems to have changed, and once an hour. */
export function wantsPath(ok: boolean, at: number, told: ToldOfCheck, memory: Memory): boolean {
  if (!ok) return told.ok !== false && memory.failures === FAILS_AFTER - 1;
  return told.ok === false || memory.otherPath !== null || Math.abs(at - memory.tracedAt) >= HOUR_MS;
}

/** What is to be told after a run that began at this time. Changes what is remembered. */
export function changesAfter(
  { id: check, probe }: PlannedCheck,
  finding: Finding,
  at: number,
  told: ToldOfCheck,
  memory: Memory,
): Change[] {
  const changes: Change[] = [];
  const { fault, reasonCode, certificateEndsAt: endsAt, hops } = finding;
  if (fault === null) {
    memory.failures = 0;
    if (told.ok !== true) {
      const gateway = told.gateway ?? null;
      changes.push(
        probe.kind === 'internet'
          ? { t: 'internet', check, at, ok: true, gateway }
          : { t: 'check', check, at, ok: true },
      );
    }
  } else {
    if (memory.failures++ === 0) memory.failedAt = at;
    // What cannot be made, or not be read, has no second try to wait for, and must not stay unknown without a reason.
    const isNeverMade = finding.measured === null && told.ok === undefined;
    if ((memory.failures >= FAILS_AFTER || isNeverMade) && told.ok !== false) {
      const failing = { check, at: memory.failedAt, ok: false };
      changes.push(
        probe.kind === 'internet'
          ? { t: 'internet', ...failing, gateway: finding.gateway ?? null }
          : { t: 'check', ...failing, reason: fault, reasonCode },
      );
    }
  }
  if (endsAt !== undefined && isNewsOfCertificate(told.certificate, endsAt, at)) {
    changes.push({ t: 'certificate', check, at, endsAt, soon: endsAt - at <= (SOON_DAYS[0] ?? 0) * DAY_MS });
  }
  if (hops !== undefined && isNewPath(hops, told.hops, memory))
    changes.push({ t: 'path', check, at, hops: pathOf(hops) });
  return changes;
}

/** Servers that share an address may have several certificates: another one is told once an hour at most. */
function isNewsOfCertificate(told: ToldOfCheck['certificate'], endsAt: number, at: number): boolean {
  if (told === undefined) return true;
  if (told.endsAt !== endsAt) return Math.abs(at - told.at) >= HOUR_MS;
  return levelOf(endsAt - at) > levelOf(told.endsAt - told.at);
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
