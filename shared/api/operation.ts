/**
 * The definition of an API operation. The tables in this folder define the API; everything else is derived from them.
 */
import * as z from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../identity.ts';

export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `{name}` for parameters, as in OpenAPI. */
  path: string;
  /** The scope that a token needs; null for the few operations that need no token. */
  scope: Scope | null;
  /** Whether the operation is about one site, chosen by `?site=` or `X-Site`. */
  perSite?: boolean;
  summary: string;
  params?: z.ZodObject;
  /**
   * What `params` refuses is no path of ours: 404 for everybody, where it would be 400 otherwise. For a parameter that
   * stands where other paths have a word.
   */
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
  /** The JSON body of a successful response. */
  response: z.ZodType;
  /** Media types of a successful response besides application/json. */
  otherMedia?: readonly string[];
  /** It sends a command to an agent: the caller may choose how to wait (Prefer, event stream), and repeat it safely. */
  isCommand?: boolean;
  /** Status of a successful response, if it is not 200. */
  status?: 201 | 202;
  /** Error codes besides invalid input, missing authorization and outages, which all operations have. */
  errors?: readonly ErrorCode[];
  example: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown; response: unknown };
}

/** Largest body of a request, unless the operation has its own limit. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Query of a paginated list. */
export const Page = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().min(1).max(300).optional().meta({ description: '`nextCursor` of the page before.' }),
});

/** An entry that a list cannot show, because its stored form is invalid. */
export const Unreadable = z
  .object({ id: z.string(), problem: z.string().meta({ description: 'Which part cannot be read, and why.' }) })
  .meta({ id: 'Unreadable' });
export type Unreadable = z.infer<typeof Unreadable>;
/** Listed separately, so that an invalid row neither hides the others nor goes unnoticed. */
export const Unreadables = z
  .array(Unreadable)
  .meta({ description: 'Entries that are stored but cannot be read; empty as long as all is well.' });

export type Operations = Record<string, Operation>;

type Part<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/** The input of a handler: the fields of path, query and body in one object. */
export type Input<Op extends Operation> = Part<Op['params']> & Part<Op['query']> & Part<Op['body']>;

/** The result of a handler. */
export type Output<Op extends Operation> = z.output<Op['response']>;
