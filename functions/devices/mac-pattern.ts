/** Which devices a delete request names: exact MACs, and patterns in which `*` stands for any run of characters. */
import { INTERNET } from '../../shared/device.ts';
import { parseMac } from '../../shared/network.ts';
import { validationError } from '../http/errors.ts';

/** Each pattern is compared with every device; exact MACs are looked up. */
const MAX_PATTERNS = 100;

/**
 * A test for the MAC of a device, in canonical form or empty. Patterns are compared in the notation they are written
 * in, in any letter case; nothing but `*` is special, and an empty MAC matches a pattern of stars alone.
 * @throws {ServiceError} `validation_failed` for an entry that is neither a MAC nor a pattern
 */
export function macMatcher(entries: readonly string[]): (mac: string) => boolean {
  const exact = new Set<string>();
  const patterns: ((mac: string) => boolean)[] = [];
  for (const [i, entry] of entries.entries()) {
    if (entry.includes('*')) {
      patterns.push(patternTest(entry));
      continue;
    }
    const mac = entry.toLowerCase() === INTERNET.toLowerCase() ? INTERNET : parseMac(entry);
    if (mac === null) {
      throw validationError([{ path: `macs.${i}`, message: 'expected a MAC address, or a pattern with * in it' }]);
    }
    exact.add(mac);
  }
  if (patterns.length > MAX_PATTERNS) {
    throw validationError([{ path: 'macs', message: `expected at most ${MAX_PATTERNS} patterns with *` }]);
  }
  return (mac) => exact.has(mac) || patterns.some((test) => test(mac));
}

function patternTest(pattern: string): (mac: string) => boolean {
  const wanted = pattern.toUpperCase();
  const write = notationOf(wanted);
  return (mac) => globMatches(wanted, write(mac.toUpperCase()));
}

/** How to write a canonical MAC in the notation of a pattern. */
function notationOf(pattern: string): (mac: string) => string {
  if (pattern.includes(':')) return (mac) => mac;
  if (pattern.includes('-')) return (mac) => mac.replaceAll(':', '-');
  if (pattern.includes('.')) return (mac) => mac.replaceAll(':', '').replace(/(....)(?!$)/g, '$1.');
  return (mac) => mac.replaceAll(':', '');
}

/** `*` matches any run of characters, everything else itself. In time proportional to the product of both lengths. */
export function globMatches(pattern: string, text: string): boolean {
  let p = 0;
  let star = -1;
  let resume = 0;
  for (let t = 0; t < text.length; ) {
    if (pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
