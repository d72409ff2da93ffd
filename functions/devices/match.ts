/** How well a device matches a person's query: for the search over all sites. */
import { parseMac } from '../../shared/addresses.ts';
import type { SearchedField } from '../../shared/api/search.ts';
import { calledBy } from '../../shared/called.ts';
import { UNKNOWN_NAMES } from '../../shared/words.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import type { PortProtocol } from './collection/merge-ports.ts';
import { SEPARATOR } from './search-index.ts';

export interface Wanted {
  /** Folded, without ports; empty when the query is a port alone. */
  phrase: string;
  words: readonly string[];
  port: { number: number; protocol: PortProtocol | null } | null;
}

/** A smaller quality is a better match. */
export interface Match {
  field: SearchedField;
  quality: number;
}

const PORT = /^(?:port)?:(\d{1,5})(?:\/(tcp|udp|sctp))?$/;
/** A MAC, or part of one, in another notation than the stored one. */
const OTHER_NOTATION = /^(?:(?:[0-9a-f]{2}-)+[0-9a-f]{0,2}|[0-9a-f]{4}\.[0-9a-f]{1,4}(?:\.[0-9a-f]{0,4})?)$/;
/** Two letters such as `ad` are in many MACs by chance. */
const LIKE_A_MAC = /^[0-9a-f]{4,12}$|^[0-9a-f]{0,2}(?::[0-9a-f]{0,2})+$/;
/** Added for a match of single words, which is worse than one of the whole phrase. */
const BY_WORDS = 4;

/** Letter case and accents do not matter: `Küche` is found by `kuche` and `KÜCHE`. */
const foldAccents = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Null for a query that cannot match: two ports, an invalid port, or the separator of the index. */
export function wantedOf(query: string): Wanted | null {
  const all = foldAccents(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  const ports = all.filter((word) => PORT.test(word));
  const words = all.filter((word) => !ports.includes(word));
  const [, number = '', protocol] = PORT.exec(ports[0] ?? '') ?? [];
  const isPort = ports.length === 1 && Number(number) <= 65_535;
  if (query.includes(SEPARATOR) || all.length === 0 || (ports.length > 0 && !isPort)) return null;
  const port = isPort ? { number: Number(number), protocol: (protocol as PortProtocol | undefined) ?? null } : null;
  return { phrase: words.join(' '), words, port };
}

/** Texts of which every matching device has one in {@link textsOf}; null when any device may match. */
export function mustStandIn({ words }: Wanted): readonly [string, string] | null {
  const longest = [...words].sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? null : [longest, bareMac(longest)];
}

export function textsOf(device: StoredDevice): string[] {
  return fieldsOf(device).flatMap(([, texts]) => texts.map(foldAccents));
}

export function matchOf(device: StoredDevice, { phrase, words, port }: Wanted): Match | null {
  if (words.length === 0) return port === null ? null : { field: 'port', quality: 0 };
  const fields = fieldsOf(device).map(([field, texts]) => [field, texts.map(foldAccents)] as const);
  const whole = bestOf(fields, phrase);
  if (whole !== null || words.length === 1) return whole;
  const each = words.map((word) => bestOf(fields, word));
  let quality = BY_WORDS;
  for (const one of each) {
    if (one === null) return null;
    quality += one.quality;
  }
  const [first] = each;
  return first ? { field: first.field, quality } : null;
}

function bestOf(fields: readonly (readonly [SearchedField, readonly string[]])[], word: string): Match | null {
  let best: Match | null = null;
  for (const [field, texts] of fields) {
    const wanted = field === 'mac' ? macPart(word) : word;
    if (wanted === null) continue;
    for (const text of texts) {
      const quality = qualityOf(text, wanted);
      if (quality !== null && (best === null || quality < best.quality)) best = { field, quality };
    }
  }
  return best;
}

/** 0 for the whole text, 1 at its beginning, 2 at the beginning of a word, 3 inside one. */
function qualityOf(text: string, word: string): number | null {
  const at = text.indexOf(word);
  if (at === -1) return null;
  if (at === 0) return text.length === word.length ? 0 : 1;
  for (let next = at; next !== -1; next = text.indexOf(word, next + 1)) {
    if (!/[\p{L}\p{N}]/u.test(text[next - 1] ?? '')) return 2;
  }
  return 3;
}

function bareMac(word: string): string {
  return OTHER_NOTATION.test(word) ? word.replace(/[.-]/g, '') : (parseMac(word)?.toLowerCase() ?? word);
}

/** Null for a word that is not meant as a MAC. */
function macPart(word: string): string | null {
  const bare = bareMac(word);
  return bare !== word || LIKE_A_MAC.test(word) ? bare : null;
}

function fieldsOf({ record, joined = {} }: StoredDevice): [SearchedField, string[]][] {
  const { devMac, devLastIP, devAddresses, devPrimaryIPv4, devPrimaryIPv6 } = record;
  const macs = [...new Set([devMac, ...Object.keys(joined)])];
  const addresses = new Set([devLastIP, ...devAddresses.split(','), devPrimaryIPv4, devPrimaryIPv6]);
  const fields: [SearchedField, string[]][] = [
    ['name', [record.devName, ...(UNKNOWN_NAMES.includes(record.devName) ? [calledBy(record)] : [])]],
    ['ip', [...addresses]],
    // As stored, and without colons, which serves every other notation.
    ['mac', macs.flatMap((mac) => [mac, mac.replaceAll(':', '')])],
    ['dnsName', [record.devFQDN]],
    ['vendor', [record.devVendor]],
    ['model', [record.devModel]],
    ['type', [record.devType]],
    ['owner', [record.devOwner]],
    ['group', [record.devGroup]],
    ['location', [record.devLocation]],
    ['comment', [record.devComments]],
  ];
  return fields
    .map(([field, texts]): [SearchedField, string[]] => [field, texts.filter((text) => text !== '')])
    .filter(([, texts]) => texts.length > 0);
}
