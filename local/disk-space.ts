/** The free space on the disk of the embedded database. */
import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import { DISK_IS_FULL } from '../functions/table/outage.ts';
import { ServiceError } from '../shared/errors.ts';
import { MINUTE_MS } from '../shared/time.ts';

/** With less, the next write of many devices may fail. */
const LEAST_FREE_BYTES = 8 * 1024 * 1024;
const WARN_BELOW = 0.05;
const MB = 1024 * 1024;

export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
}

/** Needs no file descriptor, so it works even when none is left. */
export async function spaceAt(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail, bfree } = await statfs(folder);
  const free = process.getuid?.() === 0 ? bfree : bavail; // A part of the disk may be reserved for root.
  return { freeBytes: free * bsize, totalBytes: blocks * bsize };
}

/** @throws {ServiceError} `unavailable` without room for more writes */
export function requireRoom({ freeBytes }: DiskSpace): void {
  if (freeBytes >= LEAST_FREE_BYTES) return;
  throw new ServiceError('unavailable', `${DISK_IS_FULL}: ${(freeBytes / MB).toFixed(1)} MB are free`);
}

/** Warns in the log each time that free space becomes low. @returns stops it */
export function watchDiskSpace(folder: string, log: Pick<Logger, 'warn'>, measure = spaceAt): () => void {
  let isLow = false;
  async function check(): Promise<void> {
    const { freeBytes, totalBytes } = await measure(folder);
    const wasLow = isLow;
    isLow = freeBytes < totalBytes * WARN_BELOW;
    if (!isLow || wasLow) return;
    const free = `${Math.floor(freeBytes / MB)} MB`;
    log.warn({ folder, freeBytes, totalBytes }, `the disk of the database is nearly full: ${free} are free`);
  }
  const checkQuietly = () => void check().catch(() => {}); // The folder is missing, which the database reports.
  checkQuietly();
  const timer = setInterval(checkQuietly, MINUTE_MS).unref();
  return () => clearInterval(timer);
}
