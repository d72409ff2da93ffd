/** Import of devices from a CSV file. */
import * as z from 'zod';
import { MAX_EXTRA_COLUMNS, MAX_EXTRA_LENGTH, MAX_EXTRA_VALUE, MAX_LENGTHS } from '../device.ts';
import { NamedLine } from '../errors.ts';
import { thousands } from '../text.ts';
import { Changed, Count, DryRun, exampleChange } from './device-terms.ts';
import { answer, type Operations, onSite, queryFlag } from './operation.ts';

/** Rows of an import, without the header; a longer file is rejected with 413. */
export const MAX_IMPORT_ROWS = 200_000;
/** Listed lines of an import; the others are counted. */
export const MAX_NAMED_LINES = 1_000;
/** Largest import, as a form or as JSON. In the cloud, the limits of the gateway and the function are lower. */
const MAX_IMPORT_BYTES = 10 * 1024 * 1024;

const Lines = z.array(NamedLine).max(MAX_NAMED_LINES);

export const deviceImport = {
  importDevices: {
    ...onSite('POST', '/devices/import', 'devices:write'),
    audit: 'devices.import',
    summary: `Add and update devices from CSV, at most ${thousands(MAX_IMPORT_ROWS)} rows; nothing changes if the file is not valid CSV`,
    maxBody: MAX_IMPORT_BYTES,
    query: z.object({
      mode: z
        .enum(['merge', 'replace'])
        .default('merge')
        .describe(
          '`replace` also removes the devices that the file does not name: not if a row is invalid (409), and ' +
            'never if the file names no device.',
        ),
      allowSkipped: queryFlag.describe(
        '`true` lets `mode=replace` remove devices although invalid rows may name them.',
      ),
      dryRun: DryRun,
    }),
    body: z.strictObject({
      content: z
        .string()
        .max(MAX_IMPORT_BYTES)
        .optional()
        .meta({ 'x-checked-further': true, description: 'The CSV file, UTF-8, in base64.' }),
    }),
    bodyOptional: true,
    upload: 'file',
    response: answer({
      inserted: Count.describe('Imported rows, of new and known devices.'),
      updated: Count.describe('How many of them are of known devices.'),
      deleted: Count.describe('Devices that `mode=replace` removed.'),
      change: Changed,
      skipped_lines: z
        .array(NamedLine.shape.line)
        .max(MAX_NAMED_LINES)
        .describe(`The first ${thousands(MAX_NAMED_LINES)} skipped lines.`),
      skipped: Lines.describe('The same lines, with reasons.'),
      skipped_count: Count.describe('The number of all skipped lines.'),
      adjusted: Lines.describe(
        `The first ${thousands(MAX_NAMED_LINES)} lines that were imported with a change: a text truncated to ` +
          `${thousands(MAX_LENGTHS.text)} characters; an invalid flag, time, status or parent, a short text of more than ` +
          `${MAX_LENGTHS.label} or an encoded one of more than ${thousands(MAX_LENGTHS.encoded)} characters, whose fields ` +
          `kept their values; an omitted value of an extra column with more than ${thousands(MAX_EXTRA_VALUE)} characters, or beyond ` +
          `${thousands(MAX_EXTRA_LENGTH)} in total of one device.`,
      ),
      adjusted_count: Count.describe('The number of all lines imported with a change.'),
      ignored_columns: z
        .array(z.string().max(100))
        .max(100)
        .describe(
          'The first 100 names in the header that cannot be stored. Stored are the fields and, as extra columns, all ' +
            'names of letters, digits, `_` and `-` that begin with a letter and have at most 100 characters, up to ' +
            `${MAX_EXTRA_COLUMNS} different ones in a site, case-sensitive.`,
        ),
    }),
    errors: ['missing_file', 'malformed_csv', 'payload_too_large', 'conflict', 'replace_refused'],
    example: {
      body: { content: 'ZGV2TmFtZSxkZXZNQUMKbmFzLDAwOjFFOjA2OkFBOkJCOjAxCg==' },
      response: {
        success: true,
        inserted: 1,
        updated: 0,
        deleted: 0,
        change: exampleChange,
        skipped_lines: [],
        skipped: [],
        skipped_count: 0,
        adjusted: [],
        adjusted_count: 0,
        ignored_columns: [],
      },
    },
  },
} as const satisfies Operations;
