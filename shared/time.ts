import * as z from 'zod';

/** A time (Unix, ms) within the range of `Date` (ECMA-262, 21.4.1.1). */
export const Millis = z.int().positive().max(8.64e15);
