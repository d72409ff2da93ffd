/** Hostile requests for any operation, made from its entry in the tables of `shared/api`. */
import fc from 'fast-check';
import * as z from 'zod';
import { MAX_BODY_BYTES, type Operation } from '../../../shared/api/operation.ts';
import type { Scope } from '../../../shared/identity.ts';
import { type Header, headOf, inChunks, type Wire } from './raw-http.ts';
import type { Expectation } from './verdict.ts';

/** One connection, and what is expected of it. */
export interface Attack extends Expectation {
  name: string;
  wire: Wire;
}

/** What the attacker has got hold of. */
export interface Loot {
  /** Valid for all sites, with every scope. */
  token: string;
  /** Tokens that are worth nothing. */
  badTokens: readonly string[];
  /** For each scope a token that has all the others. */
  tokensWithout: Readonly<Record<Scope, string>>;
  /** Sites for what reads, for what writes, and one without agents for commands. */
  sites: { read: string; write: string; withoutAgents: string };
  /** A command that has ended. */
  job: string;
}

/** Of one request, over one connection. */
const REPETITIONS = 10;
/** Of one request, over as many connections. */
const AT_ONCE = 25;

type Attacks = (operation: Operation, loot: Loot, seed: number) => Attack[];

interface Kind {
  attacks: Attacks;
  /**
   * An operation gets one of so many attacks; which one depends on its place among the operations and on the seed, so
   * that together they get all of them. What is shared by all operations need not be attacked through each of them.
   */
  oneOf?: number;
  /** It is about the body. An operation that takes none gets one of these attacks, to see that it passes the body by. */
  isAboutBody?: boolean;
  /** Connections at once. Default: POLITE. */
  atOnce?: number;
}

/** The kinds of attacks. Every operation gets all of them. */
export const KINDS = {
  'oversized bodies': { attacks: oversizedBodies },
  'deep and wide JSON': { attacks: deepAndWide, oneOf: 2, isAboutBody: true },
  'wrong values': { attacks: wrongValues, oneOf: 3, isAboutBody: true },
  'generated bodies': { attacks: generatedBodies, isAboutBody: true },
  queries: { attacks: queries, oneOf: 3 },
  paths: { attacks: paths, oneOf: 3 },
  methods: { attacks: methods, oneOf: 4 },
  'media types': { attacks: mediaTypes, oneOf: 3, isAboutBody: true },
  headers: { attacks: headers, oneOf: 4 },
  tokens: { attacks: tokens, oneOf: 2 },
  repeated: { attacks: repeated, atOnce: 2 },
  'at once': { attacks: atOnce, atOnce: AT_ONCE },
  'half-sent': { attacks: halfSent, oneOf: 3, atOnce: 20 },
  smuggled: { attacks: smuggled, oneOf: 4 },
} as const satisfies Record<string, Kind>;
export type KindOfAttack = keyof typeof KINDS;

const POLITE = 12;

/** What one operation gets of a kind of attacks. */
export function attacksOn(kind: KindOfAttack, operation: Operation, place: number, loot: Loot, seed: number): Attack[] {
  const { attacks, oneOf = 1, isAboutBody = false }: Kind = KINDS[kind];
  const chosen = attacks(operation, loot, seed).filter((_, i) => (i + place + seed) % oneOf === 0);
  return isAboutBody && operation.body === undefined ? chosen.slice(0, 1) : chosen;
}

export function connectionsAtOnce(kind: KindOfAttack): number {
  const { atOnce = POLITE }: Kind = KINDS[kind];
  return atOnce;
}

/** Marks a site that must never come to be: it is asked for by requests that hide in the bodies of others. */
export const SMUGGLED_SITE = 'smuggled';

interface Changes {
  method?: string;
  path?: string;
  query?: string;
  /** In addition; one of an ordinary request that has the same name is left out. */
  headers?: readonly Header[];
  without?: readonly string[];
  body?: Buffer | string | null;
  keepAlive?: boolean;
}

/** An ordinary request for the operation, and what is changed in it. */
function wireOf(operation: Operation, loot: Loot, changes: Changes = {}): Wire {
  return { pieces: messageOf(operation, loot, changes), isHead: changes.method === 'HEAD' };
}

function messageOf(operation: Operation, loot: Loot, changes: Changes = {}): (string | Buffer)[] {
  const { method = operation.method, path = pathOf(operation, loot), query = '', keepAlive = false } = changes;
  const body = changes.body === undefined ? exampleBody(operation) : changes.body;
  const added = changes.headers ?? [];
  const replaced = [...added.map(([name]) => name.toLowerCase()), ...(changes.without ?? [])];
  const usual: Header[] = [
    ['host', 'localhost'],
    ['authorization', `Bearer ${loot.token}`],
    ...(keepAlive ? [] : [['connection', 'close'] as const]),
    ...(operation.perSite ? [['x-site', siteFor(operation, loot)] as const] : []),
    ...(operation.isCommand ? [['prefer', 'wait=10'] as const] : []),
    ...(body === null
      ? []
      : [['content-type', 'application/json'] as const, ['content-length', String(Buffer.byteLength(body))] as const]),
  ];
  const all = [...usual.filter(([name]) => !replaced.includes(name)), ...added];
  return [Buffer.from(headOf(method, path + query, all), 'latin1'), ...(body === null ? [] : [body])];
}

function siteFor({ isCommand, scope }: Operation, { sites }: Loot): string {
  if (isCommand) return sites.withoutAgents;
  return scope === 'devices:write' ? sites.write : sites.read;
}

function pathOf({ path, example }: Operation, loot: Loot): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    path.startsWith('/jobs/') ? loot.job : (example.params?.[name] ?? name),
  );
}

function exampleBody({ body, example }: Operation): string | null {
  return body === undefined ? null : JSON.stringify(example.body ?? {});
}

/* ---- Bodies ----------------------------------------------------------------------------------------------------- */

function oversizedBodies(operation: Operation, loot: Loot): Attack[] {
  const most = operation.maxBody ?? MAX_BODY_BYTES;
  const body = Buffer.alloc(most + 1, ' ');
  const codes = operation.body === undefined ? {} : { codes: ['payload_too_large'] as const };
  const length = (value: string) => wireOf(operation, loot, { headers: [['content-length', value]], body: '{}' });
  return [
    { name: 'one byte too many, announced', ...codes, wire: wireOf(operation, loot, { body }) },
    {
      name: 'one byte too many, in chunks',
      ...codes,
      wire: wireOf(operation, loot, {
        headers: [['transfer-encoding', 'chunked']],
        without: ['content-length'],
        body: inChunks(body),
      }),
    },
    { name: 'a petabyte is announced', ...codes, wire: length('1000000000000000') },
    { name: 'more is announced than a number holds', isMalformed: true, wire: length('9'.repeat(30)) },
  ];
}

function deepAndWide(operation: Operation, loot: Loot): Attack[] {
  const field = Object.keys(shapeOf(operation))[0] ?? 'field';
  const codes = operation.body === undefined ? {} : { codes: ['validation_failed', 'payload_too_large'] as const };
  const numbers = `[${'1,'.repeat(99_999)}1]`;
  const texts: Record<string, string> = {
    '10,000 lists inside each other': '['.repeat(10_000) + ']'.repeat(10_000),
    '10,000 lists that are not closed': '['.repeat(10_000),
    '10,000 objects inside each other': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    '10,000 lists in a field': `{"${field}":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    '128 levels in a field': `{"${field}":${'['.repeat(128)}${']'.repeat(128)}}`,
    '100,000 numbers': numbers,
    '100,000 numbers in a field': `{"${field}":${numbers}}`,
    '8,000 empty lists in a field': `{"${field}":[${'[],'.repeat(7_999)}[]]}`,
    '5,000 unknown fields': `{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":0`).join(',')}}`,
  };
  return Object.entries(texts).map(([name, body]) => ({
    name,
    ...(name === '5,000 unknown fields' ? {} : codes),
    wire: wireOf(operation, loot, { body }),
  }));
}

/** As JSON text, because not all of them can be written from a value. */
const HOSTILE_VALUES: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'true',
  'minus zero': '-0',
  'a huge number': '1e308',
  'an infinite number': '1e999',
  'a number beyond the exact ones': '9007199254740993',
  'a fraction': '0.1',
  'an empty text': '""',
  'a blank': '" "',
  'a NUL': '"a\\u0000b"',
  'line ends': '"a\\r\\nX-Evil: 1"',
  'a lone surrogate': '"\\ud800"',
  'a right-to-left override': '"\\u202e\\u2066moc.live"',
  'a byte order mark': '"\\ufeff1"',
  'escapes of a terminal': '"\\u001b[2J\\u009b"',
  '60,000 letters': `"${'a'.repeat(60_000)}"`,
  '1 MB of letters': `"${'a'.repeat(1024 * 1024)}"`,
  '20,000 accents': `"${'\u0301'.repeat(20_000)}"`,
  __proto__: '"__proto__"',
  'a path': '"../../../../etc/passwd"',
  'a command': '"$(id);`id`|id"',
  'an option': '"--script=/etc/passwd"',
  'a wildcard topic': '"+/#"',
  'many stars': `"${'*0'.repeat(45)}"`,
  'an address with a zone': '"fe80::1%../../etc"',
  'an empty list': '[]',
  'a list in a list': '[[]]',
  'a list of null': '[null]',
  'an empty object': '{}',
  'an object with a prototype': '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  'an object like a list': '{"length":4294967295,"0":"a"}',
  'an object with methods': '{"toString":1,"valueOf":1,"toJSON":1,"then":1}',
};

function wrongValues(operation: Operation, loot: Loot): Attack[] {
  const fields = Object.keys(shapeOf(operation));
  const example = (operation.example.body ?? {}) as Record<string, unknown>;
  const others = (field: string) =>
    Object.entries(example)
      .filter(([name]) => name !== field)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const bodies: Record<string, string | Buffer> = {
    nothing: '',
    'no JSON': '{',
    null: 'null',
    'a list': '[]',
    'a text': '"text"',
    'a number': '-0',
    'two documents': '{}{}',
    'not a number': '{"a":NaN}',
    'a comma at the end': '{"a":1,}',
    'a byte order mark': '\ufeff{}',
    'UTF-16': Buffer.from('{}', 'utf16le'),
    'invalid UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
    'only NULs': Buffer.alloc(1000),
    'a prototype': '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  };
  for (const field of fields) {
    for (const [name, value] of Object.entries(HOSTILE_VALUES)) {
      bodies[`${field}: ${name}`] = `{${[...others(field), `"${field}":${value}`].join(',')}}`;
    }
    const twice = JSON.stringify(example[field] ?? 'x');
    bodies[`${field}: twice`] = `{${[...others(field), `"${field}":${twice}`, `"${field}":["${field}"]`].join(',')}}`;
    bodies[`${field}: left out`] = `{${others(field).join(',')}}`;
  }
  return Object.entries(bodies).map(([name, body]) => ({ name, wire: wireOf(operation, loot, { body }) }));
}

/** Bodies that have the right fields with any values, and any JSON; the same ones for the same seed. */
function generatedBodies(operation: Operation, loot: Loot, seed: number): Attack[] {
  const fields = Object.keys(shapeOf(operation));
  const text = fc.string({
    unit: fc.oneof(fc.string({ unit: 'binary', maxLength: 3 }), fc.constantFrom('*', ':', '/')),
  });
  const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), text, fc.array(text, { maxLength: 20 }), fc.double());
  const body = fc.oneof(
    fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] }),
    fc.jsonValue(),
  );
  const bodies = fc.sample(body, { seed, numRuns: 10 });
  return bodies.map((one) => {
    const json = JSON.stringify(one);
    return { name: json, wire: wireOf(operation, loot, { body: json }) };
  });
}

function shapeOf({ body, example }: Operation): Record<string, unknown> {
  return body instanceof z.ZodObject ? body.shape : ((example.body ?? {}) as Record<string, unknown>);
}

/* ---- Query, path and method ------------------------------------------------------------------------------------- */

const HOSTILE_IN_URL: Readonly<Record<string, string>> = {
  empty: '',
  'a NUL': '%00',
  'invalid UTF-8': '%ff%fe',
  'an overlong slash': '%c0%af',
  'half an escape': '%',
  'a wrong escape': '%zz',
  'an escaped slash': '%2f',
  'escaped dots': '%2e%2e%2f%2e%2e',
  'line ends': '%0d%0aX-Evil:%201',
  'a lone surrogate': '%ed%a0%80',
  'a right-to-left override': '%e2%80%ae',
  'a huge number': '1e999',
  'a negative number': '-1',
  'many digits': '9'.repeat(400),
  'a prototype': '__proto__',
  'a separator of keys': 'home%23%23a',
  '8,000 letters': 'a'.repeat(8_000),
  'raw bytes': '\u00e9\u00ff',
};

function queries(operation: Operation, loot: Loot): Attack[] {
  const known = [...Object.keys(operation.query?.shape ?? {}), ...(operation.perSite ? ['site'] : [])];
  const texts: Record<string, string> = {
    'a lone question mark': '?',
    'only separators': '?&&==&=;&',
    'an unknown name': '?dryrun=true&unknown=1',
    'a name like a property': '?__proto__[polluted]=1&constructor=2&hasOwnProperty=3&toString=4',
    'a name that cannot be decoded': '?%ff%zz=%',
    '1,000 names': `?${Array.from({ length: 1_000 }, (_, i) => `n${i}=1`).join('&')}`,
    '2,000 times the same name': `?${'a=1&'.repeat(2_000)}`,
    '20 KB': `?a=${'a'.repeat(20_000)}`,
  };
  for (const name of known) {
    texts[`${name}: twice`] = `?${name}=1&${name}=2`;
    texts[`${name}: as a list`] = `?${name}[]=1&${name}[0]=2`;
    for (const [what, value] of Object.entries(HOSTILE_IN_URL)) texts[`${name}: ${what}`] = `?${name}=${value}`;
  }
  return Object.entries(texts).map(([name, query]) => ({
    name,
    isMalformed: name === '20 KB',
    wire: wireOf(operation, loot, { query, without: name.startsWith('site: ') ? ['x-site'] : [] }),
  }));
}

function paths(operation: Operation, loot: Loot): Attack[] {
  const usual = pathOf(operation, loot);
  const segments = operation.path.split('/');
  const texts: Record<string, string> = {
    'two slashes in front': `//evil.example${usual}`,
    'a backslash in front': `/\\evil.example${usual}`,
    'three segments in front': `/a/b/c${usual}`,
    'four segments in front': `/a/b/c/d${usual}`,
    'dots in front': `/x/%2e%2e${usual}`,
    'a parameter of a segment': `/..;${usual}`,
    'an escaped slash behind': `${usual}%2f`,
    'a NUL behind': `${usual}%00.json`,
    'many slashes behind': `${usual}${'/'.repeat(5_000)}`,
    'many segments behind': `${usual}${'/a'.repeat(4_000)}`,
    'in capital letters': usual.toUpperCase(),
    'as an address of another host': `http://evil.example${usual}`,
    'as an address that cannot be read': `http://[::1${usual}`,
    'of another scheme': `file://${usual}`,
    'an asterisk': '*',
    'a fragment': `${usual}#fragment`,
    '20 KB': `${usual}${'a'.repeat(20_000)}`,
    'raw bytes': `${usual}\u00ff\u0080`,
  };
  for (const [i, segment] of segments.entries()) {
    if (!segment.startsWith('{')) continue;
    const filled = usual.split('/');
    for (const [what, value] of Object.entries(HOSTILE_IN_URL)) {
      texts[`${segment}: ${what}`] = filled.with(i, value).join('/');
    }
  }
  const malformed = /^(?:20 KB|an asterisk|of another scheme|as an address that cannot be read)$|raw bytes$/;
  return Object.entries(texts).map(([name, path]) => ({
    name,
    isMalformed: malformed.test(name),
    wire: wireOf(operation, loot, { path }),
  }));
}

function methods(operation: Operation, loot: Loot): Attack[] {
  const others = ['HEAD', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'M-SEARCH'];
  const malformed = ['CONNECT', 'get', 'GETT', 'G\u0000T', '', 'A'.repeat(20_000), 'PRI'];
  const override = { headers: [['x-http-method-override', 'DELETE']] as const };
  return [
    ...others.map((method) => ({ name: method, wire: wireOf(operation, loot, { method }) })),
    ...malformed.map((method) => ({
      name: JSON.stringify(method.slice(0, 20)),
      isMalformed: true,
      wire: wireOf(operation, loot, { method }),
    })),
    { name: 'a method that overrides', wire: wireOf(operation, loot, override) },
  ];
}

/* ---- Headers ---------------------------------------------------------------------------------------------------- */

function mediaTypes(operation: Operation, loot: Loot): Attack[] {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'APPLICATION/JSON',
    '',
    ';',
    '/',
    `application/json;${'a=b;'.repeat(2_000)}`,
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'a'.repeat(1_000)}`,
    'multipart/form-data; boundary="a\\"b"; boundary=c',
    'multipart/mixed; boundary=x',
  ];
  const form = '--x\r\nContent-Disposition: form-data; name="file"; filename="../../a\u0000"\r\n\r\na\r\n--x--\r\n';
  const encodings = ['gzip', 'br', 'gzip, gzip', 'identity, gzip', 'x'.repeat(5_000), ''];
  return [
    ...types.map((type) => ({
      name: type.slice(0, 60),
      wire: wireOf(operation, loot, { headers: [['content-type', type]], body: form }),
    })),
    ...encodings.map((encoding) => ({
      name: `encoded: ${encoding.slice(0, 20)}`,
      wire: wireOf(operation, loot, { headers: [['content-encoding', encoding]], body: '\u001f\u008b' }),
    })),
  ];
}

function headers(operation: Operation, loot: Loot): Attack[] {
  const names = [
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'prefer',
    'idempotency-key',
    'x-site',
    'accept',
    'x-request-id',
    'host',
  ];
  const doubled = names.map((name) => ({
    name: `${name}: twice`,
    isMalformed: name === 'content-length' || name === 'host',
    wire: wireOf(operation, loot, {
      headers: [
        [name, name === 'authorization' ? `Bearer ${loot.token}` : name === 'connection' ? 'close' : '2'],
        [name, '3'],
      ],
      body: '{}',
    }),
  }));
  const single: Record<string, Header> = {
    'accept: 4,000 kinds': ['accept', 'text/event-strea, '.repeat(700)],
    'accept-encoding: many blanks': ['accept-encoding', `gzip${' '.repeat(12_000)};${' '.repeat(2_000)}q`],
    'accept-encoding: many codings': ['accept-encoding', 'gzip;q=0,'.repeat(1_500)],
    'if-none-match: many tags': ['if-none-match', '"a",W/'.repeat(2_000)],
    'if-none-match: blanks': ['if-none-match', `${' '.repeat(6_000)},${' '.repeat(6_000)}x`],
    'prefer: many preferences': ['prefer', 'wait=,;'.repeat(1_800)],
    'prefer: the longest wait': ['prefer', 'wait=999999'],
    'prefer: blanks': ['prefer', `wait${' '.repeat(12_000)}x`],
    'idempotency-key: 5,000 letters': ['idempotency-key', 'k'.repeat(5_000)],
    'idempotency-key: raw bytes': ['idempotency-key', '\u00ff\u00fe'],
    'last-event-id: beyond everything': ['last-event-id', '9'.repeat(9)],
    'last-event-id: many digits': ['last-event-id', '9'.repeat(9_000)],
    'x-site: a path': ['x-site', '../home'],
    'x-site: a prototype': ['x-site', '__proto__'],
    'x-site: 8,000 letters': ['x-site', 'a'.repeat(8_000)],
    'x-request-id: 8,000 letters': ['x-request-id', 'a'.repeat(8_000)],
    'origin: a foreign page': ['origin', 'https://evil.example'],
    'origin: no origin': ['origin', 'null'],
    'host: another name': ['host', 'evil.example:99999'],
    'host: what is no name': ['host', '<script>@[::'],
    'x-forwarded-for: a list': ['x-forwarded-for', '127.0.0.1, '.repeat(1_000)],
    'range: many ranges': ['range', `bytes=${'0-,'.repeat(3_000)}`],
    'expect: to go on': ['expect', '100-continue'],
    'expect: something else': ['expect', 'the-unexpected'],
    'upgrade: h2c': ['upgrade', 'h2c'],
    'upgrade: websocket': ['upgrade', 'websocket'],
    'cookie: 12 KB': ['cookie', 'a=b; '.repeat(2_400)],
    'a method that is asked for': ['access-control-request-method', 'DELETE'],
  };
  const malformed: Record<string, readonly Header[]> = {
    'a header of 20 KB': [['x-large', 'a'.repeat(20_000)]],
    '3,000 headers': Array.from({ length: 3_000 }, (_, i) => [`x-${i}`, '1'] as const),
    'a NUL in a header': [['x-nul', 'a\u0000b']],
    'a name with a blank': [['x blank', '1']],
    'no name': [['', '1']],
  };
  return [
    ...doubled,
    ...Object.entries(single).map(([name, header]) => ({
      name,
      isMalformed: /^(?:expect|host|upgrade)/.test(name),
      wire: wireOf(operation, loot, { headers: [header] }),
    })),
    ...Object.entries(malformed).map(([name, added]) => ({
      name,
      isMalformed: true,
      wire: wireOf(operation, loot, { headers: added }),
    })),
  ];
}

function tokens(operation: Operation, loot: Loot): Attack[] {
  const { scope } = operation;
  const values: Record<string, string | null> = {
    none: null,
    empty: '',
    'only the scheme': 'Bearer',
    'two schemes': `Bearer Bearer ${loot.token}`,
    'another scheme': `Basic ${loot.token}`,
    'no scheme': loot.token,
    'a letter more': `Bearer ${loot.token}x`,
    'a letter less': `Bearer ${loot.token.slice(0, -1)}`,
    'two tokens': `Bearer ${loot.token}, Bearer ${loot.token}`,
    'raw bytes': 'Bearer \u00ff\u00fe\u0080',
    '12,000 letters': `Bearer ${'a'.repeat(12_000)}`,
    'many blanks': `Bearer${' '.repeat(12_000)}`,
    'a prototype': 'Bearer lr___proto__.constructor',
    'a separator of keys': 'Bearer lr_0123456789abcdef#TOKEN.x',
    ...Object.fromEntries(loot.badTokens.map((token, i) => [`worthless ${i}`, `Bearer ${token}`])),
    ...(scope === null || scope === 'any' ? {} : { 'without the scope': `Bearer ${loot.tokensWithout[scope]}` }),
  };
  return Object.entries(values).map(([name, value]) => ({
    name,
    ...(scope === null ? {} : { codes: ['forbidden'] as const }),
    wire: wireOf(operation, loot, {
      without: ['authorization'],
      headers: value === null ? [] : [['authorization', value]],
    }),
  }));
}

/* ---- Again and again ----------------------------------------------------------------------------------------------- */

/** Over one connection, without waiting for the answers. A command has a key, so that it runs once. */
function repeated(operation: Operation, loot: Loot): Attack[] {
  const headers: Header[] = [
    ['x-site', loot.sites.read],
    ['idempotency-key', `again-${operation.path}`],
  ];
  const message = (keepAlive: boolean) =>
    messageOf(operation, loot, operation.isCommand ? { headers, keepAlive } : { keepAlive }).map((part) =>
      Buffer.from(part),
    );
  const most = Buffer.concat(Array.from({ length: REPETITIONS - 1 }, () => message(true)).flat());
  const heads = Buffer.from(headOf('HEAD', '/health', [['host', 'x']]).repeat(100));
  return [
    { name: `${REPETITIONS} times`, count: REPETITIONS, wire: { pieces: [most, ...message(false)] } },
    {
      name: 'rubbish behind a request',
      isMalformed: true,
      wire: { pieces: [...message(true), Buffer.alloc(5_000, 'x')], ending: 'end' },
    },
    {
      name: 'behind 100 others, and away',
      isMalformed: true,
      wire: { pieces: [heads, ...message(true)], ending: 'cut' },
    },
  ];
}

function atOnce(operation: Operation, loot: Loot): Attack[] {
  const changes: Changes = operation.isCommand ? { headers: [['x-site', loot.sites.read]] } : {};
  return Array.from({ length: AT_ONCE }, (_, i) => ({
    name: `one of ${i + 1}`,
    wire: wireOf(operation, loot, changes),
  }));
}

/* ---- Broken messages ------------------------------------------------------------------------------------------------ */

function halfSent(operation: Operation, loot: Loot): Attack[] {
  const message = Buffer.concat(messageOf(operation, loot).map((piece) => Buffer.from(piece)));
  const longer = Buffer.concat(
    messageOf(operation, loot, { headers: [['content-length', '60000']], body: '{"a":"' }).map((piece) =>
      Buffer.from(piece),
    ),
  );
  const chunked = Buffer.from(
    `${headOf(operation.method, pathOf(operation, loot), [
      ['host', 'x'],
      ['authorization', `Bearer ${loot.token}`],
      ['x-site', siteFor(operation, loot)],
      ['transfer-encoding', 'chunked'],
    ])}5\r\n{"a"`,
  );
  const cuts: Record<string, Buffer> = {
    'a request line that is not finished': message.subarray(0, 10),
    'headers that do not end': message.subarray(0, message.indexOf('\r\n\r\n') + 2),
    'a body that stops': longer,
    'a chunk that stops': chunked,
    'nothing but line ends': Buffer.from('\r\n'.repeat(500)),
  };
  const attacks: Attack[] = [];
  for (const [name, piece] of Object.entries(cuts)) {
    attacks.push({ name: `${name}, then the end`, isMalformed: true, wire: { pieces: [piece], ending: 'end' } });
    attacks.push({ name: `${name}, then away`, isMalformed: true, wire: { pieces: [piece], ending: 'cut' } });
  }
  const letters = [...longer.subarray(0, 40)].map((byte) => Buffer.of(byte));
  return [
    ...attacks,
    { name: 'letter by letter, then away', isMalformed: true, wire: { pieces: letters, pauseMs: 5, ending: 'cut' } },
    { name: 'letter by letter, to the end', wire: { pieces: [...message].map((byte) => Buffer.of(byte)) } },
    { name: 'an answer that nobody reads', isMalformed: true, wire: { pieces: [message], ending: 'cut' } },
  ];
}

/** Messages whose end two readers see in different places. Whatever is made of them, the hidden request must not run. */
function smuggled(operation: Operation, loot: Loot): Attack[] {
  const hiddenBody = JSON.stringify({ id: SMUGGLED_SITE });
  const hidden = `${headOf('POST', '/sites', [
    ['host', 'x'],
    ['authorization', `Bearer ${loot.token}`],
    ['content-type', 'application/json'],
    ['content-length', String(hiddenBody.length)],
  ])}${hiddenBody}`;
  const start = [
    `${operation.method} ${pathOf(operation, loot)} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${loot.token}`,
    `X-Site: ${siteFor(operation, loot)}`,
    '',
  ].join('\r\n');
  const chunks = `0\r\n\r\n${hidden}`;
  const messages: Record<string, string> = {
    'both lengths, the shorter one in bytes': `${start}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
    'both lengths, the other way round': `${start}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunks}`,
    'two lengths': `${start}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    'a list of lengths': `${start}Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`,
    'a length with a sign': `${start}Content-Length: +${hidden.length}\r\n\r\n${hidden}`,
    'a negative length': `${start}Content-Length: -1\r\n\r\n${hidden}`,
    'a hexadecimal length': `${start}Content-Length: 0x${hidden.length.toString(16)}\r\n\r\n${hidden}`,
    'an unknown transfer coding': `${start}Transfer-Encoding: xchunked\r\n\r\n${chunks}`,
    'chunked and something behind': `${start}Transfer-Encoding: chunked, identity\r\n\r\n${chunks}`,
    'two transfer codings': `${start}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${chunks}`,
    'a blank before the colon': `${start}Transfer-Encoding : chunked\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    'a tab before the value': `${start}Transfer-Encoding:\tchunked\u000b\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    'a folded header': `${start}X-Folded: a\r\n Content-Length: 5\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    'bare line feeds': `${start}Content-Length: ${hidden.length}\n\n${hidden}`.replaceAll('\r\n', '\n'),
    'a bare carriage return': `${start}X: a\rContent-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    'a chunk with a huge length': `${start}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n${hidden}`,
    'a chunk with a negative length': `${start}Transfer-Encoding: chunked\r\n\r\n-1\r\n${hidden}`,
    'a chunk with a long extension': `${start}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    'a chunk that ends with a line feed': `${start}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n${hidden}`,
    'trailers that change the request': `${start}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 9\r\nHost: y\r\n\r\n`,
    'version 0.9': `${operation.method} ${pathOf(operation, loot)}\r\n\r\n`,
    'version 1.0': start.replace('HTTP/1.1', 'HTTP/1.0').concat('\r\n'),
    'version 2.0': start.replace('HTTP/1.1', 'HTTP/2.0').concat('\r\n'),
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'no Host': `${start.replace('Host: x\r\n', '')}Connection: close\r\n\r\n`,
  };
  return Object.entries(messages).map(([name, text]) => ({
    name,
    isMalformed: true,
    wire: { pieces: [Buffer.from(text, 'latin1')], ending: 'end' },
  }));
}
