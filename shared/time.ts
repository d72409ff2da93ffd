import * as z from 'zod';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A time (Unix, ms) as the API has it. */
export const timeOf = (ms: number): string => new Date(ms).toISOString();
export const secondOf = (time: Date): number => Math.floor(time.getTime() / 1000);

/** A time (Unix, ms) within the range of `Date` (ECMA-262, 21.4.1.1). */
export const Millis = z.int().positive().max(8.64e15);
