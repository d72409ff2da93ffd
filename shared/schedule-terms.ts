/** The terms of schedules: cron expressions, time zones, windows of the day, and the times of digests. */
import * as z from 'zod';
import { matching } from './text-schemas.ts';
import { REPORT_LANGUAGES, WEEKDAYS } from './words.ts';

export { WEEKDAYS } from './words.ts';

/** Five fields (crontab(5)): minute, hour, day of the month, month, day of the week. Evaluated by `schedule-turns.ts`. */
export const CronExpression = z
  .string()
  .max(100, { abort: true })
  .regex(/^\S+( \S+){4}$/, {
    error: 'expected five fields: minute, hour, day of the month, month, day of the week, such as "0 2 * * *"',
  });

/** A name of the IANA time zone database, such as `Europe/Berlin`, or `UTC`. */
export const TimeZone = z
  .string()
  .max(64, { abort: true })
  .refine(isTimeZone, { error: 'expected a time zone such as Europe/Berlin or UTC' })
  .describe('A name of the IANA time zone database, such as `Europe/Berlin`.');

function isTimeZone(name: string): boolean {
  // ECMA-402 also accepts offsets such as `+02:00`, which have no summer time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const TimeOfDay = matching(5, /^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time of day such as 22:00');

/** A part of each day, by the clock of the time zone; `from` after `to` spans midnight. */
export const Window = z
  .strictObject({ from: TimeOfDay, to: TimeOfDay })
  .refine(({ from, to }) => from !== to, { error: 'expected a window that ends at another time than it begins' })
  .meta({
    id: 'TimeWindow',
    'x-checked-further': true, // In responses too, so that it is one component.
    description: 'A part of each day in the time zone of the site; may span midnight.',
  });
export type Window = z.infer<typeof Window>;

/** When a digest is sent, by the clock of the site's time zone. */
export const Digest = z
  .discriminatedUnion('every', [
    z.strictObject({ every: z.literal('day'), at: TimeOfDay }),
    z.strictObject({ every: z.literal('week'), weekday: z.enum(WEEKDAYS), at: TimeOfDay }),
  ])
  .meta({ id: 'DigestTime' });
export type Digest = z.infer<typeof Digest>;

/** When a report is sent by e-mail, and how. */
export const ReportTime = z
  .strictObject({
    every: z.enum(['week', 'month']).describe('On Monday for the week before, or on the first for the month before.'),
    at: TimeOfDay,
    language: z.enum(REPORT_LANGUAGES),
    timeZone: TimeZone.optional().meta({
      description: 'Of the reader. Default: that of the site.',
      'x-checked-further': true, // In responses too, so that it is one component.
    }),
  })
  .meta({ id: 'ReportTime' });
export type ReportTime = z.infer<typeof ReportTime>;
