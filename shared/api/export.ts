/** What the exports of lists that grow with time have in common. */
import * as z from 'zod';
import { queryFlag, queryTime } from './operation.ts';

export const Bom = queryFlag.meta({
  description: '`true`: a CSV file begins with a byte order mark, by which Excel on Windows knows it as UTF-8.',
});

export const ExportFormat = z.enum(['csv', 'ndjson']);
export type ExportFormat = z.infer<typeof ExportFormat>;

export const ExportQuery = z.object({
  format: ExportFormat.default('csv').meta({
    description: '`csv`, or `ndjson`: a JSON object on each line, as the list has it.',
  }),
  bom: Bom,
  since: queryTime
    .optional()
    .meta({ description: 'Only what was done at this time (ISO 8601, with `Z` or an offset) or later.' }),
  until: queryTime
    .optional()
    .meta({ description: 'Only what was done before this time; not earlier than `since`.', 'x-checked-further': true }),
});

/** The same of every export: see `StreamedFile`. */
export const EXPORT = {
  method: 'GET',
  perSite: true,
  mediaType: 'text/csv',
  otherMedia: ['application/x-ndjson'],
  headers: ['Content-Disposition'],
} as const;

export const EXPORT_DESCRIPTION =
  'The newest first. An entry that cannot be read is a row, or a line, of its `id` and its `problem`. A file that the service cannot complete is broken off, so that the transfer fails.';
