/** How far a scan in shards has come. Pure: the row is written by `scan-store.ts`. */
import { MAX_SHARD_ATTEMPTS } from '../../../shared/agent/plan.ts';
import type { Scan } from '../../../shared/api/scans.ts';

export interface Shard {
  /** Attempts that have ended without a result. */
  failed: number;
  /** How many hosts have answered, in the attempt after those; null as long as there is no result. */
  hosts: number | null;
}

export interface ScanProgress {
  state: Scan['state'];
  /** By their numbers. */
  shards: readonly Shard[];
  /** Why the last attempt that failed did so. */
  problem: string | null;
  /** Unix, ms. */
  endedAt: number | null;
}

/** How an attempt has ended. */
export interface ShardEnd {
  shard: number;
  /** Counted from 1. */
  attempt: number;
  /** Null without a result. */
  hosts: number | null;
  problem: string | null;
  /** Another attempt would end in the same way. */
  isFinal: boolean;
  /** Unix, ms. */
  at: number;
}

export const isDone = ({ hosts }: Shard): boolean => hosts !== null;
export const isFailed = ({ failed, hosts }: Shard): boolean => hosts === null && failed >= MAX_SHARD_ATTEMPTS;
export const isOpen = (shard: Shard): boolean => !isDone(shard) && !isFailed(shard);

/**
 * How many attempts of each shard without a result have ended, at least; Infinity when all have one. Further attempts are
 * planned when that grows: one plan for all that have failed.
 */
export function passesOf({ shards }: Pick<ScanProgress, 'shards'>): number {
  return Math.min(...shards.filter(isOpen).map(({ failed }) => failed));
}

export function beginProgress(count: number): ScanProgress {
  const shards = Array.from({ length: count }, (): Shard => ({ failed: 0, hosts: null }));
  return { state: 'running', shards, problem: null, endedAt: null };
}

/** @returns null when that changes nothing: it was noted before, or the scan has ended */
export function noteShard(before: ScanProgress, { shard, attempt, hosts, ...end }: ShardEnd): ScanProgress | null {
  const known = before.shards[shard];
  if (before.state !== 'running' || known === undefined || !isOpen(known) || attempt !== known.failed + 1) return null;
  const after: Shard =
    hosts === null ? { failed: end.isFinal ? MAX_SHARD_ATTEMPTS : attempt, hosts } : { ...known, hosts };
  return ended({ ...before, shards: before.shards.with(shard, after), problem: end.problem ?? before.problem }, end.at);
}

/** What becomes of a scan that nobody waits for any longer: shards without a result have failed. */
export function giveUp(before: ScanProgress, at: number): ScanProgress | null {
  if (before.state !== 'running') return null;
  const shards = before.shards.map((shard) => (isOpen(shard) ? { ...shard, failed: MAX_SHARD_ATTEMPTS } : shard));
  return ended({ ...before, shards, problem: before.problem ?? 'It did not come to its end in a week' }, at);
}

export function cancel(before: ScanProgress, at: number): ScanProgress | null {
  return before.state === 'running' ? { ...before, state: 'cancelled', endedAt: at } : null;
}

function ended(progress: ScanProgress, at: number): ScanProgress {
  if (progress.shards.some(isOpen)) return progress;
  return { ...progress, state: progress.shards.some(isDone) ? 'done' : 'failed', endedAt: at };
}
