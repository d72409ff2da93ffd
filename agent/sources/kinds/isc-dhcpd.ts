/** The file of leases of ISC dhcpd: blocks in a language of its own, of which the last of an address counts. */
import * as z from 'zod';
import { defineSource, type SourceObservation } from '../source.ts';
import { macOfDuid, seenByRenewal } from './leases.ts';

export const iscDhcpd = defineSource({
  kind: 'isc-dhcpd',
  title: 'ISC dhcpd',
  settings: z.object({
    file: z.string().min(1).default('/var/lib/dhcp/dhcpd.leases').describe('its leases'),
    file6: z.string().min(1).optional().describe('its leases of IPv6: /var/lib/dhcp/dhcpd6.leases'),
  }),
  secrets: [],
  rights: 'The user of the agent may read the files, as everybody may by default.',
  async *read({ file, file6 }, request) {
    yield* iscLeasesIn(await request.readFile(file), request.now());
    if (file6 !== undefined) yield* iscLeasesIn(await request.readFile(file6), request.now());
  },
});

export function* iscLeasesIn(text: string, now: number): Generator<SourceObservation> {
  const last = new Map<string, SourceObservation | null>();
  for (const { words, body } of statementsIn(text)) {
    const [kind, name = ''] = words;
    if (kind === 'lease' && body !== null)
      last.set(name, hostOf(name, wordAfter(body, 'hardware', 'ethernet'), body, now));
    if (kind !== 'ia-na' || body === null) continue;
    // Four bytes of IAID precede the DUID.
    const mac = macOfDuid(bytesOf(name).subarray(4));
    for (const each of body) {
      const [type, address = ''] = each.words;
      if (type === 'iaaddr' && each.body !== null) last.set(address, hostOf(address, mac, each.body, now));
    }
  }
  for (const host of last.values()) if (host !== null) yield host;
}

function hostOf(
  address: string,
  mac: string | null,
  body: readonly Statement[],
  now: number,
): SourceObservation | null {
  const [starts, ends, requested] = ['starts', 'ends', 'cltt'].map((word) => timeIn(body, word));
  const isOver = typeof ends === 'number' && ends * 1000 < now;
  if (mac === null || wordAfter(body, 'binding', 'state') !== 'active' || isOver) return null;
  const areTimes = typeof starts === 'number' && typeof ends === 'number' && typeof requested === 'number';
  const vendorClass = textOf(wordAfter(body, 'set', 'vendor-class-identifier', '='));
  return {
    mac,
    addresses: [address],
    hostName: textOf(wordAfter(body, 'client-hostname')),
    dhcp: vendorClass === undefined ? undefined : { vendorClass },
    lastSeen: areTimes ? seenByRenewal(requested, ends - starts) : undefined,
  };
}

interface Statement {
  words: string[];
  /** Null for a statement that ends with a semicolon. */
  body: Statement[] | null;
}

const TOKEN = /["{};]|#[^\n]*|[^\s{};"#]+/g;

/** Words, and the marks between them; ends at a text without an end. */
function* tokensIn(text: string): Generator<{ word?: string; mark?: string }> {
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    if (token === '"') {
      const [from, end] = [TOKEN.lastIndex, endOfText(text, TOKEN.lastIndex)];
      if (end < 0) return;
      yield { word: text.slice(from, end) };
      TOKEN.lastIndex = end + 1;
    } else if (/^[{};]$/.test(token)) yield { mark: token };
    else if (!token.startsWith('#')) yield { word: token };
  }
}

/** Where the quotation mark is that ends a text; -1 without one. */
function endOfText(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (end - escapes > from && text[end - escapes - 1] === '\\') escapes++;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}

/** The statements that have ended: the server may be writing the last one. */
function statementsIn(text: string): Statement[] {
  const all: Statement[] = [];
  /** The blocks that have not ended, the outermost first. */
  const open: { words: string[]; body: Statement[] }[] = [];
  let words: string[] = [];
  for (const { word, mark } of tokensIn(text)) {
    if (word !== undefined) words.push(word);
    if (mark === undefined) continue;
    const ended = mark === '}' ? open.pop() : { words, body: null };
    if (mark === '{') open.push({ words, body: [] });
    else if (ended !== undefined) (open.at(-1)?.body ?? all).push(ended);
    words = [];
  }
  return all;
}

/** The word after these; null without such a statement. */
function wordAfter(body: readonly Statement[], ...names: string[]): string | null {
  const found = body.find(({ words }) => names.every((name, i) => words[i] === name));
  return found?.words[names.length] ?? null;
}

/** `5 2026/11/27 10:00:00` in UTC, `epoch 1764237600`, or `never`, in seconds; null for any other text. */
function timeIn(body: readonly Statement[], name: string): number | 'never' | null {
  const [, first, second = '', third = ''] = body.find(({ words }) => words[0] === name)?.words ?? [];
  if (first === 'never') return 'never';
  const seconds = first === 'epoch' ? Number(second) : Date.parse(`${second.replaceAll('/', '-')}T${third}Z`) / 1000;
  return Number.isFinite(seconds) ? seconds : null;
}

/** The bytes of a text with octal escapes: `\001\"`. */
function bytesOf(quoted: string): Buffer {
  const bytes = quoted.replace(/\\([0-7]{3}|[\s\S])/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 255) : code,
  );
  return Buffer.from(bytes, 'latin1');
}

const textOf = (quoted: string | null) => (quoted === null ? undefined : bytesOf(quoted).toString('utf8'));
