/** Sanitizes texts that come from devices. */
import * as z from 'zod';
import { legible, startOf } from '../text.ts';

/** Characters that no text of a device may contain: control characters, and bidirectional controls. */
const UNFIT_CHARACTERS = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;
const ALL_UNFIT = new RegExp(UNFIT_CHARACTERS, 'gu');

/** Replaces a text that is invisible as a whole. */
const NOTHING_TO_SEE = '\ufffd';

/** A text of a device: not empty, without control and invisible characters. */
export const fitText = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !UNFIT_CHARACTERS.test(text), { error: 'expected a text without control characters' })
    // Invisible characters are removed, not rejected: one such name would keep the rest of its message from being stored.
    .overwrite((text) => legible(text) || NOTHING_TO_SEE);

/** A text from a device, sanitized and legible; null when nothing is left of it. */
export function fitToReport(text: string, longest: number): string | null {
  // Cut first: a device may answer with a megabyte.
  const seen = legible(text.slice(0, longest * 4).replace(ALL_UNFIT, ' '));
  const fit = legible(startOf(seen.replace(/\s+/g, ' ').trim(), longest)).trim();
  return fit === '' ? null : fit;
}
