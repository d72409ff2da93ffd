/** How the kinds of source read what their products answer. */
import * as z from 'zod';
import { parseJson } from '../../shared/json.ts';
import { parseMac } from '../../shared/network.ts';
import { listOf } from '../host/json-items.ts';
import {
  LOCKOUT_MS,
  MAX_ROWS,
  SourceFailure,
  type SourceHttpAnswer,
  type SourceHttpRequest,
  type SourceObservation,
  type SourceRequest,
} from './source.ts';

/** A text, or a number as text. Absent, or of another type: undefined, so that the rest of its row stays. */
export const Text = z
  .union([z.string(), z.number().transform(String)])
  .optional()
  .catch(undefined);
/** Undefined for anything but a number. */
export const Count = z.number().optional().catch(undefined);
export const Flag = z.boolean().optional().catch(undefined);
/** In seconds; milliseconds after parsing. */
export const UnixTime = Count.transform((seconds) => (seconds === undefined ? undefined : seconds * 1_000));

/** A secret that goes into a header as it is. */
export const HeaderText = z.string().regex(/^[\x21-\x7e]+$/, 'expected ASCII characters without blanks');

type Words<Names extends string> = Names extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Names;

/** Fields of one schema, by their names with blanks between them. */
export function fields<Names extends string, Schema extends z.ZodType>(names: Names, schema: Schema) {
  return Object.fromEntries(names.split(' ').map((name) => [name, schema])) as Record<Words<Names>, Schema>;
}

export function texts<Names extends string>(names: Names) {
  return fields(names, Text);
}

/** The valid rows of a list, and how many it has. Invalid are a list without a valid row, and anything but a list. */
export function countedRows<Row extends z.ZodType>(row: Row) {
  const validRows = listOf(row);
  return z.array(z.unknown()).transform((all, context) => {
    const rows = validRows.parse(all);
    if (rows.length === 0 && all.length > 0) context.addIssue({ code: 'custom', message: 'expected a valid row' });
    return { count: all.length, rows };
  });
}

/** The valid rows of a list, as {@link countedRows}. */
export function rowsOf<Row extends z.ZodType>(row: Row) {
  return countedRows(row).transform(({ rows }) => rows);
}

/** The URL of a path below the address of the product, which may have a path of its own. */
export function below(address: string, path: string): URL {
  const base = new URL(address);
  base.pathname = `${base.pathname.replace(/\/+$/, '')}/`;
  return new URL(path, base);
}

export const JSON_BODY = { 'content-type': 'application/json' };

/** The JSON of an answer with status 200. @throws {SourceFailure} for another status or shape */
export function parseAnswer<Schema extends z.ZodType>(
  answer: SourceHttpAnswer,
  url: string | URL,
  schema: Schema,
): z.output<Schema> {
  if (answer.status !== 200) throw new StatusFailure(answer.status, url);
  return parsed(schema, parseJson(answer.body), placeOf(url));
}

/** @throws {SourceFailure} for a value that the schema rejects */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw new SourceFailure(`${what} did not answer as expected`);
  return result.data;
}

/** Sends one request and reads its JSON. @throws {SourceFailure} */
export async function requestJson<Schema extends z.ZodType>(
  request: SourceRequest,
  options: SourceHttpRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  return parseAnswer(await request.http(options), options.url, schema);
}

/** The product answered with a status that is no success. */
export class StatusFailure extends SourceFailure {
  readonly status: number;

  constructor(status: number, url: string | URL) {
    const hint = HINTS[status] ?? '';
    super(`${placeOf(url)} answered with status ${status}${hint}`, { waitMs: hint === '' ? 0 : LOCKOUT_MS });
    this.status = status;
  }
}

const HINTS: Readonly<Record<number, string>> = {
  401: ': it rejects these credentials',
  403: ': the rights of this account or key do not suffice',
};

export function rejectedLogin(url: string, hint = ''): SourceFailure {
  return new SourceFailure(`${new URL(url).host} rejects these credentials${hint}`, { waitMs: LOCKOUT_MS });
}

/** Without the query, which may hold a session. */
function placeOf(url: string | URL): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}

interface Page<Row> {
  rows: readonly Row[];
  /** How many rows the answer had, invalid ones included. */
  count: number;
  /** How many rows there are on all pages. */
  total: number;
}

/** The rows of all pages. A product that never comes to an end is left after MAX_ROWS rows, valid or not. */
export async function* allPages<Row>(page: (offset: number) => Promise<Page<Row>>): AsyncGenerator<Row> {
  let offset = 0;
  while (offset <= MAX_ROWS) {
    const { rows, count, total } = await page(offset);
    yield* rows;
    offset += count;
    if (count === 0 || offset >= total) return;
  }
}

interface Row extends Omit<SourceObservation, 'mac' | 'addresses'> {
  mac: string | undefined;
  addresses?: readonly (string | undefined)[] | undefined;
}

/** The host of a row, in an array of one; none when the row has no MAC. */
export function observed({ mac: text = '', addresses = [], ...row }: Row): SourceObservation[] {
  const mac = parseMac(text);
  return mac === null ? [] : [{ ...row, mac, addresses: addresses.filter((each) => each !== undefined) }];
}
