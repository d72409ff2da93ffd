/** Requests for one operation of the document, each with what its answer may be. */
import fc from 'fast-check';
import type { Contract, Operation, Parameter, Schema } from './document.ts';
import { EDGE_TEXTS, EDGE_VALUES, fitting } from './values.ts';

/** What the document says of a request. `unknown`: more is checked than it says. */
export type Expected = 'accepted' | 'refused' | 'unknown' | 'unsupported media type' | 'forbidden' | 'wrong method';

export interface Sent {
  kind: string;
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  expected: Expected;
  /** Null for a method that the document does not have. */
  operation: Operation | null;
}

/** How many times as many values are tried as usual: the thorough tests try twice as many. */
const FACTOR = Number(process.env.CONTRACT_RUNS ?? 1);
/** How many of each kind an operation gets. */
const RUNS = { fitting: 3 * FACTOR, edgesOfParameter: 2 * FACTOR, edgesOfField: 2 * FACTOR };

/** The parts of a request; a field that is undefined is not sent. */
interface Parts {
  parameters: Record<string, unknown>;
  body: unknown;
}

export interface Source {
  contract: Contract;
  token: string;
  seed: number;
  /** Values that are right now, by path and name, instead of those of the examples. */
  real: Record<string, Record<string, unknown>>;
}

const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data';
const BOUNDARY = 'x8Zq0';

export function requestsFor(source: Source, operation: Operation): Sent[] {
  return [
    ...fittingRequests(source, operation),
    ...optionalExamples(source, operation),
    ...parameterEdges(source, operation),
    ...bodyEdges(source, operation),
    ...garbage(source, operation),
    ...mediaTypes(source, operation),
    ...forms(source, operation),
    ...tokens(source, operation),
  ];
}

/** Every method that the document does not have for a path. */
export function methodsFor(source: Source, path: string, operations: readonly Operation[]): Sent[] {
  const known = operations.map(({ method }) => method);
  const [first] = operations;
  if (first === undefined) return [];
  return ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']
    .filter((method) => !known.includes(method))
    .map((method) => {
      const { path: url } = build(source, first, base(source, first));
      const headers = { authorization: `Bearer ${source.token}` };
      return { kind: `method on ${path}`, method, path: url, headers, expected: 'wrong method', operation: null };
    });
}

/* ---- What a request is made of ---------------------------------------------------------------------------------- */

/** A request as the examples show it. */
function base({ contract, real }: Source, operation: Operation): Parts {
  const { parameters, body, path } = operation;
  const shown = parameters.filter(({ name, required }) => required || real[path]?.[name] !== undefined);
  const media = body?.content[JSON_TYPE];
  return {
    parameters: Object.fromEntries(
      shown.map(({ name, example, schema }) => [
        name,
        real[path]?.[name] ?? example ?? fc.sample(fitting(contract, schema, undefined), { numRuns: 1, seed: 1 })[0],
      ]),
    ),
    body: media === undefined ? undefined : { ...(media.example as object), ...real[path] },
  };
}

function build({ token }: Source, operation: Operation, parts: Parts, raw?: Pick<Sent, 'body' | 'headers'>) {
  const { parameters, body } = parts;
  const of = (where: Parameter['in']) =>
    operation.parameters.filter(({ name, in: place }) => place === where && parameters[name] !== undefined);
  const path = of('path').reduce(
    (text, { name }) => text.replace(`{${name}}`, encodeURIComponent(String(parameters[name]))),
    operation.path,
  );
  const query = new URLSearchParams(of('query').map(({ name }): [string, string] => [name, String(parameters[name])]));
  const headers = Object.fromEntries(of('header').map(({ name }) => [name.toLowerCase(), String(parameters[name])]));
  const json = operation.body === null || body === undefined ? {} : { body: JSON.stringify(body) };
  return {
    method: operation.method,
    path: query.size === 0 ? path : `${path}?${query}`,
    ...json,
    ...raw,
    headers: {
      authorization: `Bearer ${token}`,
      ...('body' in json ? { 'content-type': JSON_TYPE } : {}),
      ...headers,
      ...raw?.headers,
    },
    operation,
  };
}

/** What the document says of these parts, of which the named ones are not those of an example. */
function judge(source: Source, operation: Operation, parts: Parts, changed: readonly string[]): Expected {
  const { contract } = source;
  let isFurther = false;
  for (const { name, schema, required } of operation.parameters) {
    const value = parts.parameters[name];
    if (value === undefined) {
      if (required) return 'refused';
      continue;
    }
    if (!contract.accepts(schema)(asTyped(contract.resolve(schema), value))) return 'refused';
    isFurther ||= changed.includes(name) && contract.resolve(schema)['x-checked-further'] === true;
  }
  const media = operation.body?.content[JSON_TYPE];
  if (operation.body === null || media === undefined) return isFurther ? 'unknown' : 'accepted';
  if (parts.body === undefined) return operation.body.required ? 'refused' : isFurther ? 'unknown' : 'accepted';
  const sent = JSON.parse(JSON.stringify(parts.body));
  if (!contract.accepts(media.schema)(sent)) return 'refused';
  isFurther ||= changed.includes('') && touchesFurther(contract, media.schema, sent, base(source, operation).body);
  return isFurther ? 'unknown' : 'accepted';
}

/** What a text in a path, a query or a header is for a schema. */
function asTyped({ type }: Schema, value: unknown): unknown {
  const text = String(value);
  return type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;
}

/** Whether a value differs from the example where more is checked than the schema says. */
function touchesFurther(contract: Contract, schema: Schema, value: unknown, example: unknown): boolean {
  if (JSON.stringify(value) === JSON.stringify(example)) return false;
  const known = contract.resolve(schema);
  if (known['x-checked-further']) return true;
  const options = [...(known.anyOf ?? []), ...(known.oneOf ?? [])];
  if (options.some((option) => touchesFurther(contract, option, value, example))) return true;
  if (known.items !== undefined && Array.isArray(value)) {
    return value.some((item) => touchesFurther(contract, known.items ?? {}, item, undefined));
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(known.properties ?? {}).some(([name, property]) => {
    const field = (value as Record<string, unknown>)[name];
    const shown = (example as Record<string, unknown> | undefined)?.[name];
    // What is left out may have been needed.
    if (field === undefined) return shown !== undefined && contract.resolve(property)['x-checked-further'] === true;
    return touchesFurther(contract, property, field, shown);
  });
}

/* ---- Kinds of requests ------------------------------------------------------------------------------------------ */

/** What fits the document: the example first, and then what its schemas describe. */
function fittingRequests(source: Source, operation: Operation): Sent[] {
  const { contract, seed } = source;
  const shown = base(source, operation);
  const fields = operation.parameters
    // The site in two ways is refused when they differ.
    .filter(({ name }) => name !== 'X-Site')
    .map(({ name, schema, required }) => {
      const made = fitting(contract, schema, shown.parameters[name]);
      const usual = fc.constant(shown.parameters[name]);
      return [name, required ? fc.oneof(usual, made) : fc.oneof({ weight: 3, arbitrary: usual }, made)] as const;
    });
  const media = operation.body?.content[JSON_TYPE];
  const body = media === undefined ? fc.constant(undefined) : fitting(contract, media.schema, shown.body);
  const made = fc.sample(fc.record({ parameters: fc.record(Object.fromEntries(fields)), body }), {
    numRuns: RUNS.fitting,
    seed,
  });
  return [shown, ...made]
    .filter(({ parameters }) => areSendable(operation, parameters))
    .map((parts, i) => ({
      kind: i === 0 ? 'the example' : 'fitting',
      ...build(source, operation, parts),
      expected: judge(source, operation, parts, i === 0 ? [] : ['', ...Object.keys(parts.parameters)]),
    }));
}

/** The example with one optional parameter more, as the document shows it. */
function optionalExamples(source: Source, operation: Operation): Sent[] {
  const shown = base(source, operation);
  return operation.parameters
    .filter(({ required, example }) => !required && example !== undefined)
    .map(({ name, example }) => {
      const parts = { ...shown, parameters: { ...shown.parameters, [name]: example } };
      const expected = judge(source, operation, parts, []);
      return { kind: `the example with ${name}`, ...build(source, operation, parts), expected };
    });
}

function parameterEdges(source: Source, operation: Operation): Sent[] {
  const shown = base(source, operation);
  return operation.parameters.flatMap(({ name }, i) =>
    some(EDGE_TEXTS, RUNS.edgesOfParameter, source.seed + i).flatMap((text) => {
      const parts = { ...shown, parameters: { ...shown.parameters, [name]: text } };
      if (!areSendable(operation, parts.parameters)) return [];
      const expected = judge(source, operation, parts, [name]);
      return [{ kind: `${name}=${shorten(text)}`, ...build(source, operation, parts), expected }];
    }),
  );
}

function bodyEdges(source: Source, operation: Operation): Sent[] {
  const shown = base(source, operation);
  const media = operation.body?.content[JSON_TYPE];
  if (media === undefined) return [];
  const example = (shown.body ?? {}) as Record<string, unknown>;
  const { properties = {} } = source.contract.resolve(media.schema);
  const without = (name: string) => Object.fromEntries(Object.entries(example).filter(([key]) => key !== name));
  const bodies: [string, unknown][] = [
    ...Object.keys(properties).flatMap((name, i) =>
      some(EDGE_VALUES, RUNS.edgesOfField, source.seed + i).map((value): [string, unknown] => [
        `${name}: ${shorten(JSON.stringify(value))}`,
        { ...example, [name]: value },
      ]),
    ),
    ...Object.keys(properties).map((name): [string, unknown] => [`without ${name}`, without(name)]),
    ...some(EDGE_VALUES, 6, source.seed).map((value): [string, unknown] => [shorten(JSON.stringify(value)), value]),
    ['an unknown field', { ...example, unheardOf: 1 }],
    [
      'a prototype',
      JSON.parse(`{"__proto__":{"admin":true},${JSON.stringify(example).slice(1).replace(/^}/, '"x":1}')}`),
    ],
  ];
  return bodies.map(([kind, body]) => {
    const parts = { ...shown, body };
    return {
      kind: `body ${kind}`,
      ...build(source, operation, parts),
      expected: judge(source, operation, parts, ['']),
    };
  });
}

function garbage(source: Source, operation: Operation): Sent[] {
  if (operation.body === null) return [];
  const bytes = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 300 }), { numRuns: 2, seed: source.seed });
  const bodies = [
    ...bytes.map((one) => Uint8Array.from([0xff, ...one])),
    '{',
    '{"a":1}{"a":1}',
    '['.repeat(5_000),
    `{"a":${'{"a":'.repeat(200)}1${'}'.repeat(201)}`,
  ];
  return bodies.map((body) => {
    const headers = { 'content-type': JSON_TYPE };
    const request = build(source, operation, base(source, operation), { body, headers });
    return { kind: 'garbage', ...request, expected: 'refused' };
  });
}

function mediaTypes(source: Source, operation: Operation): Sent[] {
  if (operation.body === null) return [];
  const known = Object.keys(operation.body.content);
  return ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', MULTIPART, 'nonsense']
    .filter((type) => !known.includes(type))
    .map((type) => {
      const raw = { body: '{"a":1}', headers: { 'content-type': type } };
      const request = build(source, operation, base(source, operation), raw);
      return { kind: `Content-Type ${type}`, ...request, expected: 'unsupported media type' };
    });
}

function forms(source: Source, operation: Operation): Sent[] {
  const schema = operation.body?.content[MULTIPART]?.schema;
  if (schema === undefined) return [];
  const [field = ''] = schema.required ?? [];
  const part = (name: string, text: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="a.csv"\r\n\r\n${text}\r\n`;
  const end = `--${BOUNDARY}--\r\n`;
  const csv = 'devName,devMAC\r\nnas,00:1E:06:AA:BB:01\r\n';
  const bodies: [string, Expected][] = [
    [part(field, csv) + end, 'accepted'],
    [part('other', csv) + end, 'refused'],
    [part(field, csv), 'refused'],
    [part(field, '"') + end, 'refused'],
    [end, 'refused'],
    ['nonsense', 'refused'],
  ];
  return bodies.map(([body, expected]) => {
    const headers = { 'content-type': `${MULTIPART}; boundary=${BOUNDARY}` };
    return { kind: 'form', ...build(source, operation, base(source, operation), { body, headers }), expected };
  });
}

function tokens(source: Source, operation: Operation): Sent[] {
  if (!operation.needsToken) return [];
  const { headers, ...request } = build(source, operation, base(source, operation));
  const { authorization: _, ...others } = headers as Record<string, string>;
  return ['', 'Bearer lr_0123456789abcdef.wrong', 'Basic YTpi'].map((authorization) => ({
    kind: `Authorization: ${authorization}`,
    ...request,
    headers: authorization === '' ? others : { ...others, authorization },
    expected: 'forbidden',
  }));
}

/* ---- Small things ------------------------------------------------------------------------------------------------ */

/** Whether HTTP can carry the values where they belong, and the URL still has the same path. */
function areSendable({ parameters }: Operation, values: Record<string, unknown>): boolean {
  return parameters.every(({ name, in: where }) => {
    if (values[name] === undefined) return true;
    const text = String(values[name]);
    if (where === 'header') return /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(text);
    if (/\p{Cs}/u.test(text)) return false; // Half a surrogate pair has no UTF-8.
    return where === 'query' || !['', '.', '..'].includes(text);
  });
}

/** So many of the items, or all, chosen by the seed. */
function some<Item>(items: readonly Item[], atMost: number, seed: number): Item[] {
  const count = Math.min(atMost, items.length);
  const [chosen = []] = fc.sample(fc.shuffledSubarray([...items], { minLength: count, maxLength: count }), {
    numRuns: 1,
    seed,
  });
  return chosen;
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
