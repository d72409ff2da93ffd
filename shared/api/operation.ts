/** What an operation of the API is. The tables beside this file are the API; everything else is derived from them. */
import * as z from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../identity.ts';

export interface Operation {
  method: 'GET' | 'POST' | 'DELETE';
  /** With `{name}` for parameters, as in OpenAPI. */
  path: string;
  /** What a token must be allowed to do; null for the few operations that need no token. */
  scope: Scope | null;
  /** Whether the operation is about one site, chosen by `?site=` or `X-Site`. */
  perSite?: boolean;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** The JSON body. */
  body?: z.ZodType<Record<string, unknown>>;
  /** The body may be left out; then every field of it must be optional. */
  bodyOptional?: boolean;
  /** Largest body in bytes. Default: MAX_BODY_BYTES. */
  maxBody?: number;
  /** Name of the multipart field with which the body can come as a file instead of JSON. */
  upload?: string;
  /** The JSON body of a success. */
  response: z.ZodType;
  /** Media types of a success beside application/json. */
  otherMedia?: readonly string[];
  /** It hands a command to an agent: the caller may choose how to wait (Prefer, event stream), and repeat it safely. */
  isCommand?: boolean;
  /** Status of a success where it is not 200. */
  status?: 201;
  /** What can go wrong beyond bad input, a missing token and an outage, which every operation shares. */
  errors?: readonly ErrorCode[];
  example: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown; response: unknown };
}

/** Largest body of a request, where the operation does not say otherwise. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Query of a list that comes in pages. */
export const Page = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().min(1).max(300).optional().meta({ description: '`nextCursor` of the page before.' }),
});

/** What a list cannot show, because what is stored is not what it should be. */
export const Unreadable = z
  .object({ id: z.string(), problem: z.string().meta({ description: 'Which part cannot be read, and why.' }) })
  .meta({ id: 'Unreadable' });
export type Unreadable = z.infer<typeof Unreadable>;
/** In the answer of a list: so that a broken row neither hides the others nor goes unnoticed. */
export const Unreadables = z
  .array(Unreadable)
  .meta({ description: 'Entries that are stored but cannot be read; empty as long as all is well.' });

export type Operations = Record<string, Operation>;

type Part<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/** What a handler gets: the fields of path, query and body in one object. */
export type Input<Op extends Operation> = Part<Op['params']> & Part<Op['query']> & Part<Op['body']>;

/** What a handler answers. */
export type Output<Op extends Operation> = z.output<Op['response']>;
