/** Texts that come from devices, made fit to be told. */
import * as z from 'zod';
import { legible, startOf } from '../text.ts';

/** Characters that no text about a device holds: control characters, and those that turn the order of text around. */
const UNFIT_CHARACTERS = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;
const ALL_UNFIT = new RegExp(UNFIT_CHARACTERS, 'gu');

/** Stands for a text of which nothing can be seen. */
const NOTHING_TO_SEE = '\ufffd';

/** A text of a device as it may be told: not empty, without control characters, and without what nobody sees. */
export const fitText = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !UNFIT_CHARACTERS.test(text), { error: 'expected a text without control characters' })
    // Not refused: who is named so would keep all others of a message from being stored.
    .overwrite((text) => legible(text) || NOTHING_TO_SEE);

/** A text from a device, made fit to be told, and legible; null when nothing is left of it. */
export function fitToTell(text: string, longest: number): string | null {
  // Cut first: a device may answer with a megabyte.
  const seen = legible(text.slice(0, longest * 4).replace(ALL_UNFIT, ' '));
  const fit = legible(startOf(seen.replace(/\s+/g, ' ').trim(), longest)).trim();
  return fit === '' ? null : fit;
}
