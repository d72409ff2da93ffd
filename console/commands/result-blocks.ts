/**
 * The parsed result of any tool as lists of facts and tables. Nothing here knows a tool: an array of objects becomes a
 * table, a long list of ports is folded, everything else is a fact.
 */

/** The lines of a value; empty when there is none. */
export type Lines = readonly string[];
export type Block =
  | { kind: 'facts'; facts: { name: string; lines: Lines }[] }
  /** A list of numbers that says little by itself: how many they are, and the list for whoever wants it. */
  | { kind: 'ports'; count: number; text: string }
  | { kind: 'table'; title: string | null; headings: string[]; rows: Lines[][] };

interface Words {
  yes: string;
  no: string;
}

type Properties = Record<string, unknown>;

export function blocksOf(result: unknown, words: Words): Block[] {
  if (isTable(result)) return [tableOf(null, result, words)];
  if (!isProperties(result)) return [{ kind: 'facts', facts: [{ name: '', lines: linesOf(result, words) }] }];
  const ports = result[LONG_PORTS];
  const isFolded = typeof ports === 'string' && PORTS.test(ports);
  const entries = Object.entries(result).filter(([name]) => !(isFolded && name === LONG_PORTS));
  const facts = entries
    .filter(([, value]) => !isTable(value))
    .map(([name, value]) => ({ name: headingOf(name), lines: linesOf(value, words) }));
  const tables = entries.flatMap(([name, value]) => (isTable(value) ? [tableOf(headingOf(name), value, words)] : []));
  return [
    ...(facts.length === 0 ? [] : [{ kind: 'facts' as const, facts }]),
    ...tables,
    ...(isFolded ? [{ kind: 'ports' as const, count: countOf(ports), text: ports }] : []),
  ];
}

/** A field with up to thousands of ports, such as `22,80-90`. */
const LONG_PORTS = 'triedTcpPorts';
const PORTS = /^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/;

function countOf(ports: string): number {
  return ports
    .split(',')
    .map((range) => range.split('-').map(Number))
    .reduce((sum, [from = 0, to = from]) => sum + Math.max(0, to - from) + 1, 0);
}

/** A table as a tool declares it, whose first row has the headings. */
export function declaredTable([headings = [], ...rows]: readonly (readonly string[])[]): Block {
  return {
    kind: 'table',
    title: null,
    headings: headings.map((heading) => headingOf(heading.toLowerCase())),
    rows: rows.map((row) => row.map((cell) => (cell === '-' ? [] : [cell]))),
  };
}

/** Columns in which no row has anything are left out. */
function tableOf(title: string | null, items: readonly Properties[], words: Words): Block {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const columns = names
    .map((name) => ({ name, cells: items.map((item) => linesOf(item[name], words)) }))
    .filter(({ cells }) => cells.some((lines) => lines.length > 0));
  return {
    kind: 'table',
    title,
    headings: columns.map(({ name }) => headingOf(name)),
    rows: items.map((_, i) => columns.map(({ cells }) => cells[i] ?? [])),
  };
}

function linesOf(value: unknown, words: Words): Lines {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value)) return value.map((item) => lineOf(item, words)).filter((line) => line !== '');
  if (isProperties(value)) {
    return Object.entries(value)
      .map(([name, item]) => [headingOf(name), lineOf(item, words)])
      .filter(([, line]) => line !== '')
      .map(([name, line]) => `${name}: ${line}`);
  }
  return [lineOf(value, words)];
}

/** `22 · tcp · open · ssh`, `192.168.1.1 · 0.3 ms`: what an object says, without the names but for their units. */
function lineOf(value: unknown, words: Words): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, part]) => {
      if (typeof part === 'object' && part !== null) return JSON.stringify(part);
      const unit = typeof part === 'number' ? unitOf(wordsOf(name)) : undefined;
      return unit === undefined ? lineOf(part, words) : `${part} ${unit}`;
    })
    .filter((part) => part !== '')
    .join(' · ');
}

function isProperties(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTable(value: unknown): value is Properties[] {
  return Array.isArray(value) && value.length > 0 && value.every(isProperties);
}

const ACRONYMS = new Set(['dns', 'id', 'ip', 'ipv4', 'ipv6', 'mac', 'mtu', 'os', 'tcp', 'udp', 'url']);
/** Units at the end of a name. */
const UNITS: Readonly<Record<string, string>> = { ms: 'ms', mbps: 'Mbit/s', bytes: 'bytes', seconds: 's' };

/** `triedTcpPorts` → `Tried TCP ports`, `rttMs` → `Rtt (ms)`. */
export function headingOf(name: string): string {
  const words = wordsOf(name);
  const unit = unitOf(words);
  const text = (unit === undefined ? words : words.slice(0, -1))
    .map((word) => (ACRONYMS.has(word) ? word.toUpperCase().replace('IPV', 'IPv') : word))
    .join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${unit === undefined ? '' : ` (${unit})`}`;
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_]+/)
    .map((word) => word.toLowerCase());
}

function unitOf(words: readonly string[]): string | undefined {
  return words.length > 1 ? UNITS[words.at(-1) ?? ''] : undefined;
}
