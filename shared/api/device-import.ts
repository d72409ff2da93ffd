/** Devices from a CSV file. */
import * as z from 'zod';
import { MAX_EXTRA_COLUMNS, MAX_EXTRA_LENGTH, MAX_EXTRA_VALUE, MAX_LENGTHS } from '../device.ts';
import { NamedLine } from '../errors.ts';
import { thousands } from '../text.ts';
import { Changed, Count, DryRun, exampleChange, succeeded } from './device-terms.ts';
import { type Operations, queryFlag } from './operation.ts';

/** Limit of rows in an import, without the header; a longer file is refused with 413. */
export const MAX_IMPORT_ROWS = 200_000;
/** Most lines of an import that are named one by one; the others are counted. */
export const MAX_NAMED_LINES = 1_000;
/** Largest import, as a form or as JSON. In the cloud, the limits of the gateway and the function are lower. */
const MAX_IMPORT_BYTES = 10 * 1024 * 1024;

const Lines = z.array(NamedLine).max(MAX_NAMED_LINES);

export const deviceImport = {
  importDevices: {
    method: 'POST',
    path: '/devices/import',
    scope: 'devices:write',
    audit: 'devices.import',
    perSite: true,
    summary: `Add and update devices from CSV, at most ${thousands(MAX_IMPORT_ROWS)} rows; nothing is changed when the file cannot be read as CSV`,
    maxBody: MAX_IMPORT_BYTES,
    query: z.object({
      mode: z
        .enum(['merge', 'replace'])
        .default('merge')
        .meta({
          description:
            '`replace` also removes the devices that the file does not name: not while a row cannot be read (409), and ' +
            'never when the file names no device.',
        }),
      allowSkipped: queryFlag.meta({
        description: '`true` lets `mode=replace` remove devices although rows cannot be read, which may name them.',
      }),
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
    response: z.object({
      success: succeeded,
      inserted: Count.meta({ description: 'Rows taken over, new or known.' }),
      updated: Count.meta({ description: 'How many of them were known before.' }),
      deleted: Count.meta({ description: 'Devices that `mode=replace` removed.' }),
      change: Changed,
      skipped_lines: z
        .array(NamedLine.shape.line)
        .max(MAX_NAMED_LINES)
        .meta({ description: `The first ${thousands(MAX_NAMED_LINES)} lines that were not taken over.` }),
      skipped: Lines.meta({ description: 'The same lines, each with the reason.' }),
      skipped_count: Count.meta({ description: 'How many lines were not taken over, named or not.' }),
      adjusted: Lines.meta({
        description:
          `The first ${thousands(MAX_NAMED_LINES)} lines that were taken over with a change: a text that was cut at ` +
          `${thousands(MAX_LENGTHS.text)} characters; a flag, a time, a status or a parent that cannot be read, a short ` +
          `text of more than ${MAX_LENGTHS.label} or an encoded one of more than ${thousands(MAX_LENGTHS.encoded)} ` +
          `characters, which were left as they were; a value of an extra column with more than ${thousands(MAX_EXTRA_VALUE)} characters, or beyond ` +
          `${thousands(MAX_EXTRA_LENGTH)} in all of one device, which was left out.`,
      }),
      adjusted_count: Count.meta({ description: 'How many lines were taken over with a change, named or not.' }),
      ignored_columns: z
        .array(z.string().max(100))
        .max(100)
        .meta({
          description:
            'Names in the header that cannot be kept, as they are written: the first 100 of them. Kept are the fields, ' +
            'and beside them as extra columns all names of letters, digits, `_` and `-` that begin with a letter and ' +
            `have at most 100 characters, up to ${MAX_EXTRA_COLUMNS} different ones in a site. Letter case counts ` +
            'in them.',
        }),
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
