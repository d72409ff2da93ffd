/** The OpenAPI 3.1 document of the HTTP API, generated from the tables of operations. */
import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import { ERRORS, refusalBody } from '../../functions/http/errors.ts';
import { OneJob } from '../../shared/api/jobs.ts';
import { MAX_BODY_BYTES, type Operation, type Operations } from '../../shared/api/operation.ts';
import { tables } from '../../shared/api/tables.ts';
import { ERROR_MEANINGS, ErrorBody, type ErrorCode, Problem } from '../../shared/errors.ts';
import { tools } from '../../shared/tools/list.ts';
import { DESCRIPTION, HEADERS, type HeaderName, PARAMETERS, type ParameterName } from './components.ts';
import { type JsonSchema, SchemaComponents } from './json-schema.ts';
import { describe, EVENT_STREAM, otherContent } from './operation-text.ts';

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';
const REQUEST_ID = '6f1c1f0e-3b0a-4d59-9f6e-0a4b8c2d7e11';

/** An object of the OpenAPI document. */
type Node = Record<string, unknown>;

/** @throws {Error} if two operations share a name */
export function openApiDocument(version: string): Node {
  const maker = new DocumentMaker();
  const paths: Record<string, Node> = {};
  const sorted = Object.entries<Operations>(tables).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [tag, operations] of sorted) {
    for (const [name, operation] of Object.entries(operations)) {
      const item = { [operation.method.toLowerCase()]: maker.operation(name, tag, operation) };
      paths[operation.path] = { ...paths[operation.path], ...item };
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'LanReach',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of the service' },
    },
    // Relative to the URL of this document, for any path prefix.
    servers: [{ url: '.', description: 'The service of this document' }],
    tags: sorted.map(([name, operations]) => ({ name, description: tagDescription(Object.values(operations)) })),
    paths: sortedByKey(paths),
    components: maker.components(),
  };
}

function tagDescription(operations: readonly Operation[]): string {
  const roots = new Set(operations.map(({ path }) => `\`/${path.split('/')[1]}\``));
  return `Operations on ${[...roots].join(', ')}.`;
}

class DocumentMaker {
  readonly #schemas = new SchemaComponents();
  readonly #names = new Set<string>();
  readonly #responses: Record<string, Node> = {};
  readonly #codes = new Set<ErrorCode>();
  readonly #headers = new Set<HeaderName>();
  readonly #parameters: Record<string, Node> = {};

  constructor() {
    // A result is in the answer of its tool and in jobs.
    for (const [id, { result }] of Object.entries(tools)) {
      if (z.globalRegistry.get(result)?.id === undefined) z.globalRegistry.add(result, { id: `${pascal(id)}Result` });
    }
    this.#schemas.of(ErrorBody, 'output');
    this.#schemas.of(Problem, 'output');
  }

  components(): Node {
    return {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API token. The list names the required scope; an empty list means that every valid token is accepted.',
        },
      },
      parameters: sortedByKey(this.#parameters),
      headers: Object.fromEntries(
        [...this.#headers].sort().map((name) => [name, { description: HEADERS[name], schema: { type: 'string' } }]),
      ),
      responses: sortedByKey(this.#responses),
      examples: Object.fromEntries([...this.#codes].sort().map((code) => [code, errorExample(code)])),
      schemas: sortedByKey(this.#schemas.schemas),
    };
  }

  operation(operationId: string, tag: string, operation: Operation): Node {
    if (this.#names.has(operationId)) throw new Error(`Two operations are called ${operationId}`);
    this.#names.add(operationId);
    const { summary, scope } = operation;
    const parameters = this.#parametersOf(operation);
    return {
      operationId,
      summary,
      description: describe(operation),
      tags: [tag],
      security: scope === null ? [] : [{ token: scope === 'any' ? [] : [scope] }],
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(operation.body === undefined ? {} : { requestBody: this.#requestBody(operationId, operation) }),
      responses: { ...this.#successes(operationId, operation), ...this.#failures(operation) },
    };
  }

  #parametersOf(operation: Operation): Node[] {
    const { params, query, example, perSite, isCommand, isRepeatable, hasEtag, otherMedia = [] } = operation;
    const { mediaType, errors = [] } = operation;
    const streams = mediaType === EVENT_STREAM || (otherMedia.includes(EVENT_STREAM) && !isCommand);
    const headers: ParameterName[] = [
      ...(perSite ? (['Site', 'XSite'] as const) : []),
      ...(isCommand ? (['Prefer'] as const) : []),
      ...(isCommand || isRepeatable ? (['IdempotencyKey'] as const) : []),
      ...(hasEtag && operation.method === 'GET' ? (['IfNoneMatch'] as const) : []),
      ...(errors.includes('precondition_failed') ? (['IfMatch'] as const) : []),
      ...(streams ? (['LastEventId'] as const) : []),
    ];
    return [
      ...this.#fields('path', params, example.params),
      ...this.#fields('query', query, example.query),
      ...headers.map((name) => {
        this.#parameters[name] = PARAMETERS[name];
        return { $ref: `#/components/parameters/${name}` };
      }),
    ];
  }

  /** The fields of an object as parameters, which are components. */
  #fields(where: 'path' | 'query', schema: z.ZodObject | undefined, example: Record<string, string> = {}): Node[] {
    if (schema === undefined) return [];
    const { properties = {}, required = [] } = this.#schemas.of(schema, 'input');
    return Object.entries(properties).map(([name, property]) => {
      const { description, ...rest } = property as JsonSchema;
      const shown = example[name];
      const parameter = {
        name,
        in: where,
        ...(description === undefined ? {} : { description }),
        ...(where === 'path' || required.includes(name) ? { required: true } : {}),
        schema: rest,
        ...(shown === undefined ? {} : { example: rest.type === 'integer' ? Number(shown) : shown }),
      };
      return { $ref: `#/components/parameters/${this.#shared(pascal(name), parameter)}` };
    });
  }

  /** The name of a parameter among the components: with a number if others have the same name. */
  #shared(base: string, parameter: Node): string {
    for (let i = 1; ; i++) {
      const name = i === 1 ? base : `${base}${i}`;
      if (name in PARAMETERS) continue;
      this.#parameters[name] ??= parameter;
      if (JSON.stringify(this.#parameters[name]) === JSON.stringify(parameter)) return name;
    }
  }

  #requestBody(operationId: string, { body, bodyOptional = false, upload, example, maxBody }: Operation): Node {
    const schema = this.#schemas.named(`${pascal(operationId)}Request`, body ?? z.object({}), 'input');
    const most = maxBody ?? MAX_BODY_BYTES;
    return {
      description: `At most ${most < 1024 * 1024 ? `${most / 1024} KB` : `${most / 1024 / 1024} MB`}.`,
      required: !bodyOptional,
      content: {
        [JSON_TYPE]: { schema, example: example.body ?? {} },
        ...(upload === undefined
          ? {}
          : {
              'multipart/form-data': {
                schema: {
                  type: 'object',
                  properties: { [upload]: { type: 'string', format: 'binary', description: 'The file.' } },
                  required: [upload],
                },
              },
            }),
      },
    };
  }

  #successes(operationId: string, operation: Operation): Node {
    const { response, example, mediaType, otherMedia = [], status = 200 } = operation;
    const { hasEtag, query, isCommand, incomplete } = operation;
    const schema = () => this.#schemas.named(`${pascal(operationId)}Answer`, response, 'output');
    const next: HeaderName[] = query !== undefined && 'cursor' in query.shape ? ['Link'] : [];
    const headers = [...(operation.headers ?? []), ...next];
    const limit: HeaderName[] =
      operation.scope === null ? [] : ['RateLimit-Policy', 'RateLimit', 'LanReach-Token-Expires'];
    const withHeaders = (...names: readonly HeaderName[]) => this.#headersOf(['X-Request-Id', ...limit, ...names]);
    const etag: HeaderName[] = hasEtag ? ['ETag'] : [];
    const json = mediaType === undefined ? { [JSON_TYPE]: { schema: schema(), example: example.response } } : {};
    const media = mediaType === undefined ? otherMedia : [mediaType, ...otherMedia];
    const job = () => this.#schemas.of(OneJob, 'output');
    return {
      [status]: {
        description: STATUS_CODES[status],
        headers: withHeaders(...etag, ...headers),
        content: { ...json, ...Object.fromEntries(media.map((type) => [type, otherContent(type, operation)])) },
      },
      ...(isCommand
        ? {
            202: {
              description: 'Accepted: the command continues, and this is its job.',
              headers: withHeaders('Location', 'Retry-After', 'Preference-Applied'),
              content: { [JSON_TYPE]: { schema: job() } },
            },
          }
        : {}),
      ...(incomplete === undefined
        ? {}
        : {
            202: {
              description: `Not complete. ${incomplete}`,
              headers: withHeaders('Retry-After'),
              content: { [JSON_TYPE]: { schema: schema() } },
            },
          }),
      ...(hasEtag && operation.method === 'GET'
        ? {
            304: { description: 'The content has not changed.', headers: withHeaders('ETag', ...headers) },
          }
        : {}),
    };
  }

  /** By status: a component for each combination of codes that one status can have. */
  #failures(operation: Operation): Node {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of errorsOf(operation)) {
      const [status] = ERRORS[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    return Object.fromEntries(
      [...byStatus].map(([status, codes]) => [
        status,
        { $ref: `#/components/responses/${this.#failure(status, codes)}` },
      ]),
    );
  }

  #failure(status: number, codes: readonly ErrorCode[]): string {
    const name = codes.map(pascal).join('Or');
    for (const code of codes) this.#codes.add(code);
    this.#responses[name] ??= {
      description: codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code].cause}`).join(' '),
      headers: this.#headersOf([
        'X-Request-Id',
        ...(codes.includes('forbidden') ? (['WWW-Authenticate'] as const) : []),
        ...(status === 429 ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
        ...([409, 429, 503].includes(status) ? (['Retry-After'] as const) : []),
      ]),
      content: {
        [JSON_TYPE]: {
          schema: {
            allOf: [{ $ref: '#/components/schemas/Error' }, { type: 'object', properties: { code: { enum: codes } } }],
          },
          examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
        // By request. It has these members and those above.
        [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } },
      },
    };
    return name;
  }

  #headersOf(names: readonly HeaderName[]): Node {
    for (const name of names) this.#headers.add(name);
    return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  }
}

/** Every error code of an operation, without those for an unknown path and a wrong method. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const { scope, perSite, body, errors = [] } = operation;
  const all = new Set<ErrorCode>([
    'validation_failed',
    ...(scope === null ? [] : (['forbidden'] as const)),
    ...(perSite ? (['site_forbidden'] as const) : []),
    ...(body === undefined ? [] : (['payload_too_large', 'unsupported_media_type'] as const)),
    'request_timeout',
    'too_many_requests',
    'internal_error',
    'busy',
    'unavailable',
    ...errors,
  ]);
  const order = Object.keys(ERRORS);
  return [...all].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

function errorExample(code: ErrorCode): Node {
  const { example, cause, cure } = ERROR_MEANINGS[code];
  const body = refusalBody(code, example, REQUEST_ID);
  const [, path = '', message = ''] = /^(\w+): (.*)$/.exec(example) ?? [];
  return {
    summary: cause,
    description: cure,
    value: code === 'validation_failed' ? { ...body, errors: [{ path, message }] } : body,
  };
}

function pascal(name: string): string {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase());
}

function sortedByKey<Value>(record: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
