import { MAX_BODY_BYTES, type Operation } from '../../../shared/api/operation.ts';
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
  /** For what revokes the token of its own request, or all others would be refused from then on. */
  expendable: string;
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
  /** An operation gets one of so many attacks, by its place and the seed: together they get all of them. */
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
  headers: { attacks: headers, oneOf: 4 },
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

function messageOf(operation: Operation, loot: Loot, changes: Changes = {}): Buffer[] {
  const { method = operation.method, path = pathOf(operation, loot), query = '', keepAlive = false } = changes;
  const body = changes.body === undefined ? exampleBody(operation) : changes.body;
  const added = changes.headers ?? [];
  const replaced = [...added.map(([name]) => name.toLowerCase()), ...(changes.without ?? [])];
  const usual: Header[] = [
    ['host', 'localhost'],
    ['authorization', `Bearer ${tokenFor(operation, loot)}`],
    ...(keepAlive ? [] : [['connection', 'close'] as const]),
    ...(operation.perSite ? [['x-site', siteFor(operation, loot)] as const] : []),
    ...(operation.isCommand ? [['prefer', 'wait=10'] as const] : []),
    ...(body === null
      ? []
      : [['content-type', 'application/json'] as const, ['content-length', String(Buffer.byteLength(body))] as const]),
  ];
  const all = [...usual.filter(([name]) => !replaced.includes(name)), ...added];
  const head = Buffer.from(headOf(method, path + query, all), 'latin1');
  return body === null ? [head] : [head, typeof body === 'string' ? Buffer.from(body) : body];
}

function siteFor({ isCommand, scope }: Operation, { sites }: Loot): string {
  if (isCommand) return sites.withoutAgents;
  return scope === 'devices:write' ? sites.write : sites.read;
}

function tokenFor({ path }: Operation, { token, expendable }: Loot): string {
  return path === '/tokens/self' ? expendable : token;
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
  const field = Object.keys(operation.example.body ?? {})[0] ?? 'field';
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

/* ---- Headers ---------------------------------------------------------------------------------------------------- */

function headers(operation: Operation, loot: Loot): Attack[] {
  const names =
    'authorization connection content-length content-type prefer idempotency-key x-site accept x-request-id host';
  const first: Record<string, string> = { authorization: `Bearer ${tokenFor(operation, loot)}`, connection: 'close' };
  const doubled = names.split(' ').map((name): Attack => {
    const twice: Header[] = [
      [name, first[name] ?? '2'],
      [name, '3'],
    ];
    const isMalformed = name === 'content-length' || name === 'host';
    return { name: `${name}: twice`, isMalformed, wire: wireOf(operation, loot, { headers: twice, body: '{}' }) };
  });
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
  const attack = (name: string, added: readonly Header[], isMalformed: boolean): Attack => {
    return { name, isMalformed, wire: wireOf(operation, loot, { headers: added }) };
  };
  return [
    ...doubled,
    ...Object.entries(single).map(([name, header]) => attack(name, [header], /^(?:expect|host|upgrade)/.test(name))),
    ...Object.entries(malformed).map(([name, added]) => attack(name, added, true)),
  ];
}

/* ---- Again and again ----------------------------------------------------------------------------------------------- */

/** Over one connection, without waiting for the answers. A command has a key, so that it runs once. */
function repeated(operation: Operation, loot: Loot): Attack[] {
  const headers: Header[] = [
    ['x-site', loot.sites.read],
    ['idempotency-key', `again-${operation.path}`],
  ];
  const message = (keepAlive: boolean) =>
    messageOf(operation, loot, operation.isCommand ? { headers, keepAlive } : { keepAlive });
  const most = Buffer.concat(Array.from({ length: REPETITIONS - 1 }, () => message(true)).flat());
  const heads = Buffer.from(headOf('HEAD', '/health', [['host', 'x']]).repeat(100));
  return [
    { name: `${REPETITIONS} times`, count: REPETITIONS, wire: { pieces: [most, ...message(false)] } },
    broken('rubbish behind a request', [...message(true), Buffer.alloc(5_000, 'x')], 'end'),
    broken('behind 100 others, and away', [heads, ...message(true)], 'cut'),
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

function broken(name: string, pieces: Wire['pieces'], ending: 'end' | 'cut', pauseMs = 0): Attack {
  return { name, isMalformed: true, wire: { pieces, ending, pauseMs } };
}

function halfSent(operation: Operation, loot: Loot): Attack[] {
  const message = Buffer.concat(messageOf(operation, loot));
  const headers: Header[] = [['content-length', '60000']];
  const longer = Buffer.concat(messageOf(operation, loot, { headers, body: '{"a":"' }));
  const inPieces: Changes = { headers: [['transfer-encoding', 'chunked']], without: ['content-length'] };
  const chunked = Buffer.concat(messageOf(operation, loot, { ...inPieces, body: '5\r\n{"a"' }));
  const cuts: Record<string, Buffer> = {
    'a request line that is not finished': message.subarray(0, 10),
    'headers that do not end': message.subarray(0, message.indexOf('\r\n\r\n') + 2),
    'a body that stops': longer,
    'a chunk that stops': chunked,
    'nothing but line ends': Buffer.from('\r\n'.repeat(500)),
  };
  const letters = [...longer.subarray(0, 40)].map((byte) => Buffer.of(byte));
  return [
    ...Object.entries(cuts).flatMap(([name, piece]) => [
      broken(`${name}, then the end`, [piece], 'end'),
      broken(`${name}, then away`, [piece], 'cut'),
    ]),
    broken('letter by letter, then away', letters, 'cut', 5),
    { name: 'letter by letter, to the end', wire: { pieces: [...message].map((byte) => Buffer.of(byte)) } },
    broken('an answer that is not read', [message], 'cut'),
  ];
}

/** Messages whose end two readers see in different places. Whatever is made of them, the hidden request must not run. */
function smuggled(operation: Operation, loot: Loot): Attack[] {
  const hiddenBody = JSON.stringify({ id: SMUGGLED_SITE });
  const hidden = `${headOf('POST', '/sites', [
    ['host', 'x'],
    ['authorization', `Bearer ${tokenFor(operation, loot)}`],
    ['content-type', 'application/json'],
    ['content-length', String(hiddenBody.length)],
  ])}${hiddenBody}`;
  const start = [
    `${operation.method} ${pathOf(operation, loot)} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${tokenFor(operation, loot)}`,
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
  return Object.entries(messages).map(([name, text]) => broken(name, [Buffer.from(text, 'latin1')], 'end'));
}
