/** The common parts of the exports of jobs and the audit. */
import * as z from 'zod';
import { queryFlag, queryTime } from './operation.ts';

export const Bom = queryFlag.describe(
  '`true`: a CSV file begins with a byte order mark, by which Excel on Windows detects UTF-8.',
);

export const ExportFormat = z.enum(['csv', 'ndjson']);
export type ExportFormat = z.infer<typeof ExportFormat>;

export const ExportQuery = z.object({
  format: ExportFormat.default('csv').describe('`csv`, or `ndjson`: a JSON object on each line, as in the list.'),
  bom: Bom,
  since: queryTime.optional().describe('Only entries of this time (ISO 8601, with `Z` or an offset) or later.'),
  until: queryTime
    .optional()
    .meta({ description: 'Only entries before this time; not earlier than `since`.', 'x-checked-further': true }),
});

/** See `StreamedFile`. */
export const EXPORT = {
  method: 'GET',
  perSite: true,
  mediaType: 'text/csv',
  otherMedia: ['application/x-ndjson'],
  headers: ['Content-Disposition'],
} as const;

export const EXPORT_DESCRIPTION =
  'The newest first. An invalid entry is a row, or a line, of its `id` and its `problem`. If the service cannot complete a file, it aborts the transfer.';
