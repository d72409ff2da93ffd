/** Which devices a deletion selects: exact MACs, and patterns in which `*` stands for any characters. */
import { MAX_MAC_PATTERNS } from '../../shared/api/device-deletion.ts';
import { MAX_FAULTS } from '../../shared/api/list.ts';
import { parseDeviceMac } from '../../shared/device.ts';
import type { FieldError } from '../../shared/errors.ts';
import { invalid, validationError } from '../http/errors.ts';
import { inSlices } from '../table/slices.ts';

/** Characters of the longest notation of a MAC, `00:1E:06:AA:BB:CC`. A longer pattern matches no device. */
const MAC_CHARACTERS = 17;

/** A byte without its leading zero, as macOS prints MACs: it would match no stored MAC. */
const DIGIT_ALONE = /(?<=^|[:-])([0-9A-F])(?=[:-]|$)/g;

/**
 * Returns a predicate for the MAC of a device, in canonical form or empty. A pattern is compared in its own notation, in
 * any letter case; only `*` is special, and an empty MAC matches only a pattern of stars.
 * @throws {ServiceError} `validation_failed` for an entry that is neither a MAC nor a pattern, for a pattern longer than
 *   any MAC, and for too many different patterns
 */
export async function macMatcher(entries: readonly string[]): Promise<(mac: string) => boolean> {
  const exact = new Set<string>();
  const patterns = new Set<string>();
  const faults: FieldError[] = [];
  let wrong = 0;
  let i = 0;
  for await (const slice of inSlices(entries)) {
    for (const entry of slice) {
      const fault = addTo(exact, patterns, entry);
      if (fault !== null && ++wrong <= MAX_FAULTS) faults.push({ path: `macs.${i}`, message: fault });
      i++;
    }
  }
  if (wrong > 0) throw validationError(faults, wrong - faults.length);
  if (patterns.size > MAX_MAC_PATTERNS)
    throw invalid('macs', `expected at most ${MAX_MAC_PATTERNS} different patterns with *, got ${patterns.size}`);
  const notations = groupByNotation(patterns);
  return (mac) => {
    if (exact.has(mac)) return true;
    const canonical = mac.toUpperCase();
    return notations.some(({ write, tests }) => {
      const written = write(canonical);
      return tests.some((test) => test(written));
    });
  };
}

/** Adds an entry to the MACs or to the patterns. @returns the reason when it is invalid, otherwise null */
function addTo(exact: Set<string>, patterns: Set<string>, entry: string): string | null {
  if (entry.includes('*')) {
    const pattern = entry.toUpperCase().replace(/\*+/g, '*');
    if (pattern.replaceAll('*', '').length > MAC_CHARACTERS)
      return `expected a pattern with at most ${MAC_CHARACTERS} characters besides *, the length of a MAC address`;
    patterns.add(pattern.replace(DIGIT_ALONE, '0$1'));
    return null;
  }
  const mac = parseDeviceMac(entry);
  if (mac === null) return 'expected a MAC address, or a pattern with * in it';
  exact.add(mac);
  return null;
}

interface Notation {
  write(mac: string): string;
  tests: ((written: string) => boolean)[];
}

/** Each MAC is converted once per notation, however many patterns there are. */
function groupByNotation(patterns: Iterable<string>): Notation[] {
  const groups = new Map<Notation['write'], Notation>();
  for (const pattern of patterns) {
    const write = notationOf(pattern);
    const group = groups.get(write) ?? { write, tests: [] };
    group.tests.push(globTest(pattern));
    groups.set(write, group);
  }
  return [...groups.values()];
}

const asItIs: Notation['write'] = (mac) => mac;
const withDashes: Notation['write'] = (mac) => mac.replaceAll(':', '-');
const bare: Notation['write'] = (mac) => mac.replaceAll(':', '');
const withDots: Notation['write'] = (mac) => {
  const digits = bare(mac);
  return [digits.slice(0, 4), digits.slice(4, 8), digits.slice(8)].filter((part) => part !== '').join('.');
};

function notationOf(pattern: string): Notation['write'] {
  if (pattern.includes(':')) return asItIs;
  if (pattern.includes('-')) return withDashes;
  return pattern.includes('.') ? withDots : bare;
}

/** Matches whole texts: `*` is any characters. Each part is searched for after the previous one, so no text is compared twice. */
export function globTest(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - at >= last.length && text.endsWith(last);
  };
}
