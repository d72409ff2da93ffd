/** Whether the disk of the embedded database has room. */
import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import { DISK_IS_FULL } from '../functions/table/outage.ts';
import { ServiceError } from '../shared/errors.ts';

/** With less than this the next write of many devices may find no room. */
const LEAST_FREE_BYTES = 8 * 1024 * 1024;
const WARN_BELOW = 0.05;
const LOOK_EVERY_MS = 60_000;
const MB = 1024 * 1024;

export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
}

/** Needs no file descriptor, so it works also when there is none left. */
export async function spaceAt(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail, bfree } = await statfs(folder);
  const free = process.getuid?.() === 0 ? bfree : bavail; // A part of the disk may be reserved for root.
  return { freeBytes: free * bsize, totalBytes: blocks * bsize };
}

/** @throws {ServiceError} `unavailable` when there is no room for more writes */
export function requireRoom({ freeBytes }: DiskSpace): void {
  if (freeBytes >= LEAST_FREE_BYTES) return;
  throw new ServiceError('unavailable', `${DISK_IS_FULL}: ${(freeBytes / MB).toFixed(1)} MB are free`);
}

/** Warns in the log when little of the disk is free, once each time that it comes to that. @returns ends that */
export function watchDiskSpace(folder: string, log: Pick<Logger, 'warn'>, look = spaceAt): () => void {
  let isLow = false;
  async function check(): Promise<void> {
    const { freeBytes, totalBytes } = await look(folder);
    const wasLow = isLow;
    isLow = freeBytes < totalBytes * WARN_BELOW;
    if (!isLow || wasLow) return;
    const free = `${Math.floor(freeBytes / MB)} MB`;
    log.warn({ folder, freeBytes, totalBytes }, `the disk of the database is nearly full: ${free} are free`);
  }
  const checkQuietly = () => void check().catch(() => {}); // The folder is gone: the database says more of that.
  checkQuietly();
  const timer = setInterval(checkQuietly, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
