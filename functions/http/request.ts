/** Parses a request into the input of an operation, or reports the invalid fields. */
import type { HonoRequest } from 'hono';
import type * as z from 'zod';
import { OMITTED } from '../../shared/api/list.ts';
import { MAX_BODY_BYTES, type Operation } from '../../shared/api/operation.ts';
import { type FieldError, ServiceError } from '../../shared/errors.ts';
import { invalid, validationError } from './errors.ts';
import { parseJson } from './json.ts';
import { readFormField } from './multipart.ts';

interface RequestInput {
  /** Validated fields of path, query and body. */
  input: Record<string, unknown>;
  /** The uploaded file, if there is one. */
  upload: Uint8Array | null;
}

export async function readInput(operation: Operation, request: HonoRequest): Promise<RequestInput> {
  const given = queryOf(operation, request);
  const params = operation.params ? check(operation.params, request.param(), 'path') : {};
  const query = operation.query ? check(operation.query, given, 'query') : {};
  if (operation.body === undefined) return { input: { ...query, ...params }, upload: null };
  const { json, upload } = await readBody(operation, request);
  const body = check(operation.body, json, '');
  // A name that occurs more than once means the same thing, and the path takes precedence.
  return { input: { ...query, ...body, ...params }, upload };
}

/**
 * The query parameters. Unknown ones are rejected, because ignoring a misspelt one could do damage: `?dryrun=true` would
 * delete. Nor may one be given twice, or the site in two ways that differ.
 */
function queryOf(operation: Operation, request: HonoRequest): Record<string, string | undefined> {
  if (!request.url.includes('?')) return {};
  const all = Object.entries(request.queries());
  const known = [...(operation.perSite ? ['site'] : []), ...Object.keys(operation.query?.shape ?? {})];
  for (const [name, values] of all) {
    if (values.length > 1 && known.includes(name)) throw invalid(`query.${name}`, 'expected at most one value');
    if (operation.method !== 'GET' && !known.includes(name)) {
      const message =
        known.length === 0 ? 'this operation has no query parameters' : `expected one of ${known.join(', ')}`;
      throw invalid(`query.${name.slice(0, 40)}`, message);
    }
  }
  const query = Object.fromEntries(all.map(([name, [value]]) => [name, value]));
  const inHeader = request.header('x-site');
  if (operation.perSite && query.site !== undefined && inHeader !== undefined && query.site !== inHeader)
    throw invalid('query.site', 'differs from the header X-Site');
  return query;
}

function check(schema: z.ZodType, value: unknown, part: 'path' | 'query' | ''): Record<string, unknown> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data as Record<string, unknown>;
  const { issues } = parsed.error;
  const described = issues.filter((issue) => omittedIn(issue) === 0);
  const more = issues.reduce((sum, issue) => sum + omittedIn(issue), 0);
  const faults = described.map((issue) => fieldError(issue, part));
  throw validationError(faults, more);
}

/** How many further invalid items of a list an issue represents; 0 for an issue about a single fault. */
function omittedIn(issue: z.core.$ZodIssue): number {
  return issue.code === 'custom' ? Number(issue.params?.[OMITTED] ?? 0) : 0;
}

function fieldError(issue: z.core.$ZodIssue, part: string): FieldError {
  const path = [...(part === '' ? [] : [part]), ...issue.path.map(String)].join('.');
  return { path, message: issue.message.replace(/^Invalid input: /, '') };
}

async function readBody(
  operation: Operation,
  request: HonoRequest,
): Promise<{ json: unknown; upload: Uint8Array | null }> {
  const declared = isDeclared(request);
  if (declared) checkMediaType(operation, request);
  const bytes = await readBytes(request.raw, operation.maxBody ?? MAX_BODY_BYTES);
  if (bytes.length === 0) {
    if (operation.bodyOptional) return { json: {}, upload: null };
    throw invalid('', 'expected a JSON body');
  }
  if (!declared) checkMediaType(operation, request);
  if (mediaTypeOf(request) !== MULTIPART) return { json: await parseJson(bytes), upload: null };
  const type = request.header('content-type') ?? '';
  return { json: {}, upload: readFormField(bytes, type, operation.upload ?? '') };
}

/** Whether the body may exceed MAX_BODY_BYTES: by its announced length, or because that is unknown. */
export function mayBeLarge({ maxBody = MAX_BODY_BYTES }: Operation, request: HonoRequest): boolean {
  const announced = request.header('content-length');
  if (announced === undefined) return maxBody > MAX_BODY_BYTES && request.header('transfer-encoding') !== undefined;
  return Number(announced) > MAX_BODY_BYTES && Number(announced) <= maxBody;
}

/** By the headers that announce a body (RFC 9110 section 8.6), because clients also send Content-Type without one. */
function isDeclared(request: HonoRequest): boolean {
  return Number(request.header('content-length') ?? 0) > 0 || request.header('transfer-encoding') !== undefined;
}

const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data';

function mediaTypeOf(request: HonoRequest): string {
  return (request.header('content-type') ?? JSON_TYPE).split(';')[0]!.trim().toLowerCase();
}

function checkMediaType(operation: Operation, request: HonoRequest): void {
  const accepted = [JSON_TYPE, ...(operation.upload === undefined ? [] : [MULTIPART])];
  const given = mediaTypeOf(request);
  const encoding = request.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    const message = `Send the body without a Content-Encoding, not with ${printable(encoding)}`;
    throw new ServiceError('unsupported_media_type', message);
  }
  if (accepted.includes(given)) return;
  const message = `Expected the Content-Type ${accepted.join(' or ')}, not ${printable(given)}`;
  throw new ServiceError('unsupported_media_type', message);
}

/** @throws {ServiceError} `payload_too_large`, or `validation_failed` for a body that ends before it is complete */
export async function readBytes(request: Request, most: number): Promise<Uint8Array> {
  const tooLarge = () => new ServiceError('payload_too_large', `The body is larger than ${sizeInWords(most)}`);
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > most) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // The server enforces the announced length, and buffers the body much faster than a stream can be read.
    if (announced !== null) return new Uint8Array(await request.arrayBuffer());
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      if (size > most) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalid('', 'the body ended before it was complete');
  }
  return Buffer.concat(chunks);
}

const sizeInWords = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KB` : `${bytes / 1024 / 1024} MB`;

const printable = (text: string): string => JSON.stringify(text.slice(0, 100));
