/** The definition of an API operation. The tables in this folder define the API; everything else is derived from them. */
import * as z from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../identity.ts';
import type { McpTool } from '../mcp-tool.ts';
import { parsedText } from '../text-schemas.ts';

interface Described {
  /** With `{name}` for parameters, as in OpenAPI. */
  path: string;
  /** The scope that a token needs; `any`: every valid token may call it; null: it needs no token. */
  scope: Scope | 'any' | null;
  /** Whether the operation is about one site, chosen by `?site=` or `X-Site`. */
  perSite?: boolean;
  summary: string;
  params?: z.ZodObject;
  /** Paths that `params` rejects do not exist: 404 for every caller, not 400. For parameters where other paths have words. */
  onlyKnownPaths?: boolean;
  query?: z.ZodObject;
  /** The JSON body. */
  body?: z.ZodType<Record<string, unknown>>;
  /** Whether the body may be omitted; then every field of it must be optional. */
  bodyOptional?: boolean;
  /** Largest body in bytes. Default: MAX_BODY_BYTES. */
  maxBody?: number;
  /** Name of the multipart field in which the body can be sent as a file instead of JSON. */
  upload?: string;
  /** The body of a successful response: JSON, or of the type `mediaType`. */
  response: z.ZodType;
  /** Success is this type or one of `otherMedia`, never JSON: a text, a file, or events, the last with `response`. */
  mediaType?: 'text/event-stream' | 'text/plain' | 'text/csv' | 'application/x-tar';
  /** A successful response has an ETag, and is 304 without a body when If-None-Match names it. */
  hasEtag?: boolean;
  /** The response is 202, with the same body, when the work is not complete: how the caller proceeds. */
  incomplete?: string;
  /** Headers of a successful response, besides those that follow from the rest of this entry. */
  headers?: readonly AnswerHeader[];
  /** Further media types of a successful response. */
  otherMedia?: readonly string[];
  /** It sends a command to an agent: the caller may choose how to wait (Prefer, event stream), and retry it safely. */
  isCommand?: boolean;
  /** Idempotent by its Idempotency-Key. Commands always are. */
  isRepeatable?: boolean;
  /** Status of a successful response, if it is not 200. */
  status?: 201 | 202;
  /** Its MCP tool. */
  mcp?: McpTool;
  /** Error codes besides invalid input, missing authorization and outages, which all operations have. */
  errors?: readonly ErrorCode[];
  example: {
    params?: Record<string, string>;
    query?: Record<string, string>;
    body?: unknown;
    response: unknown;
    /** One line of the file, for an operation that can respond with JSON on each line. */
    line?: unknown;
  };
}

/** An operation of the API. All but GET declare their audit action. */
export type Operation = Described &
  (
    | { method: 'GET'; audit?: null }
    | {
        method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
        /** The action of the entry that its handler writes; null for reads, and for commands, whose jobs the audit shows. */
        audit: AuditAction | null;
      }
  );

/** The object and the action of an entry of the audit. */
export type AuditAction = `${string}.${string}`;

/** Headers of successful responses of some operations, with their descriptions. */
export const ANSWER_HEADERS = {
  'Content-Disposition': 'Of a file: `attachment` and its name, such as `filename=devices.csv`.',
  Location: 'The URL of the job or of the batch, without the host.',
  'LanReach-Stale-Since':
    'Since when no agent of the site has been connected, so that its devices keep their last status; `none` otherwise.',
} as const;
type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** Largest body of a request, unless the operation has its own limit. */
export const MAX_BODY_BYTES = 64 * 1024;

export const succeeded = z.literal(true);
/** The body of a successful response, with these fields. */
export const answer = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ success: succeeded }).extend(shape);

/** An object that is a component of the OpenAPI document. */
export const named = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.object(shape).meta({ id });

/** A whole number in a query, in decimal digits: `1e2`, `0x10`, `5.0` and an empty text are rejected. */
export function queryInteger(min: number, max: number) {
  const error = `expected a whole number from ${min} to ${max}`;
  return z
    .string()
    .max(9, { error, abort: true })
    .regex(/^\d+$/, { error, abort: true })
    .transform(Number)
    .pipe(z.int().min(min, { error }).max(max, { error }));
}

/** A boolean in a query; false by default. */
export const queryFlag = z
  .enum(['true', 'false'], { error: 'expected true or false' })
  .default('false')
  .transform((text) => text === 'true');

/** A time in a query. */
export const queryTime = parsedText(40, 'expected a time such as 2026-11-01T08:15:00Z', (text) =>
  z.iso.datetime({ offset: true }).safeParse(text).success ? new Date(text) : null,
);

/** Opaque to clients. */
export const Cursor = z
  .string()
  .min(1)
  .max(300)
  .meta({ description: '`nextCursor` of the previous page.', 'x-checked-further': true });

/** A filter by words, one or several, separated by commas. */
export const FilterWords = z.string().min(1).max(300).optional();

/** Query of a paginated list. */
export const Page = z.object({ limit: queryInteger(1, 500).default(50), cursor: Cursor.optional() });

/** An entry whose stored form is invalid. */
export const Unreadable = named('Unreadable', {
  id: z.string(),
  problem: z.string().describe('Which part is invalid, and why.'),
});
export type Unreadable = z.infer<typeof Unreadable>;
/** A list of its own, so that an invalid row neither hides the others nor goes unnoticed. */
export const Unreadables = z.array(Unreadable).describe('Stored entries that are invalid; normally empty.');

export type Operations = Record<string, Operation>;

/** Where an operation is, and the scope that it needs. */
export const route = <const Method, const Path extends string, const Needed>(
  method: Method,
  path: Path,
  scope: Needed,
) => ({ method, path, scope });
/** The same of an operation about one site. */
export const onSite = <const Method, const Path extends string, const Needed>(
  ...given: [method: Method, path: Path, scope: Needed]
) => ({ ...route(...given), perSite: true as const });

type Part<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/** The input of a handler: the fields of path, query and body in one object. */
export type Input<Op extends Operation> = Part<Op['params']> & Part<Op['query']> & Part<Op['body']>;

/** The result of a handler. */
export type Output<Op extends Operation> = z.output<Op['response']>;
