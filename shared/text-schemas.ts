/** Schemas of texts from outside. Both check the length first. */
import * as z from 'zod';

/** A text of limited length that matches a pattern; one message for both. */
export const matching = (longest: number, pattern: RegExp, expected: string) =>
  z.string().max(longest, { error: expected, abort: true }).regex(pattern, { error: expected });

/** The value that `parse` makes of a text; null rejects it with the message `expected`. */
export const parsedText = <Value>(longest: number, expected: string, parse: (text: string) => Value | null) =>
  z
    .string()
    .max(longest, { abort: true })
    .transform((text, context): Value => {
      const value = parse(text);
      if (value !== null) return value;
      context.addIssue({ code: 'custom', message: expected });
      return z.NEVER;
    });
