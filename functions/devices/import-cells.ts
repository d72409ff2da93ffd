/** Reads the cells of imported files, also as spreadsheets and data frames have rewritten them. */
import { isIPv4 } from 'node:net';
import { type DeviceFields, type FieldKind, type MAX_LENGTHS, parseDeviceMac } from '../../shared/device.ts';
import { formatIp, parseIp, parseRange, withoutHostBits } from '../../shared/network.ts';
import { formatTime, readTime } from './time.ts';

type CellKind = Exclude<FieldKind, keyof typeof MAX_LENGTHS>;

/** Converts a cell to a value; null when it is invalid. */
export const READ: Record<CellKind, (cell: string) => string | number | null> = {
  mac: (cell) => {
    const text = cell.trim();
    return text === '' || text.toLowerCase() === 'null' ? '' : parseDeviceMac(text);
  },
  parent: (cell) => {
    const text = valueIn(cell);
    return text === '' ? '' : parseDeviceMac(text);
  },
  address: (cell) => {
    const text = valueIn(cell);
    if (text === '' || isIPv4(text)) return text; // Node.js accepts only the canonical form, and is ten times as fast.
    const ip = parseIp(text);
    return ip === null ? hostIn(text) : formatIp(ip);
  },
  flag: (cell) => {
    const text = valueIn(cell).toLowerCase();
    const [, digit] = /^([01])(?:[.,]0+)?$/.exec(text) ?? [];
    if (digit !== undefined) return Number(digit);
    return text === '' || NO.has(text) ? 0 : YES.has(text) ? 1 : null;
  },
  time: (cell) => {
    const text = valueIn(cell);
    return text === '' || text.toLowerCase() === 'never' ? '' : timeIn(text);
  },
};

export function faultOf(kind: CellKind, cell: string): string {
  if (kind === 'time' && /^\s*\d{1,2}[-/.]\d{1,2}[-/.]\d/.test(cell))
    return `${quote(cell)} is no time, or may have the day or the month first; write it as 2026-11-01 08:15:00`;
  return `${quote(cell)} is ${EXPECTED[kind]}`;
}

const EXPECTED: Record<CellKind, string> = {
  mac: 'no MAC address',
  parent: 'no MAC address',
  address: 'no IP address',
  flag: 'neither 0 nor 1',
  time: 'not a time such as 2026-11-01 08:15:00',
};

export const quote = (cell: string): string => JSON.stringify(cell.length > 40 ? `${cell.slice(0, 40)}…` : cell);

/** What inventories, databases and data frames write for a missing value. */
const NOTHING = /^(?:[([<]?(?:null|none|nil|nan|n\/?a|unknown|undefined|dhcp)[)\]>]?|#n\/a|\\n|[-–—?]+)$/i;

function valueIn(cell: string): string {
  const text = cell.trim();
  return NOTHING.test(text) ? '' : text;
}

/** Flags as spreadsheets in several languages and data frames write them. */
const words = (text: string) => new Set(text.split(' '));
const YES = words('true t yes y on x ✓ wahr ja j vrai oui verdadero sí si vero sì verdadeiro sim waar истина да');
const NO = words('false f no n off falsch nein faux non falso não nao onwaar nee ложь нет');

/** The address in `192.0.2.10/24` or `192.0.2.10/255.255.255.0`; null for a network. */
function hostIn(text: string): string | null {
  const [, host, mask] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (host === undefined || mask === undefined) return null;
  const bits = parseIp(mask)?.value.toString(2) ?? '';
  const range = parseRange(`${host}/${/^1+0*$/.test(bits) && bits.length === 32 ? bits.lastIndexOf('1') + 1 : mask}`);
  if (range === null) return null;
  const hostBits = (range.address.family === 4 ? 32 : 128) - range.prefix;
  const isNetwork = hostBits > 1 && withoutHostBits(range).address.value === range.address.value;
  return isNetwork ? null : formatIp(range.address);
}

const TIME =
  /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:(?:,? +|T)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:\s?([ap])\.?\s?m\.?)?\s?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** A time in UTC, as far as the cell has it (no seconds, no time of day); UTC without an offset. Ambiguous days are rejected. */
function timeIn(text: string): string | null {
  if (formatTime(new Date(readTime(text))) === text) return text; // Nearly all; the rest takes three times as long.
  const [whole, a = '', , b = '', c = '', hour, minute = '', second, half, offset = 'Z'] = TIME.exec(text) ?? [];
  const [day, other] = whole === undefined ? [] : daysOf(a, b, c);
  if (day === undefined || other !== undefined) return null;
  if (hour === undefined) return day;
  const hours = hourOf(Number(hour), half?.toLowerCase());
  const zone = /^[zug]/i.test(offset) ? 'Z' : offset.replace(/^(...)$/, '$1:00').replace(/^(...)(..)$/, '$1:$2');
  const at = new Date(`${day}T${hours}:${minute}:${second ?? '00'}${zone}`);
  if (Number.isNaN(at.getTime())) return null;
  const time = formatTime(at);
  if (zone === 'Z' && !time.startsWith(day)) return null; // The hour 24 belongs to another day.
  return second === undefined ? time.slice(0, 16) : time;
}

function hourOf(hour: number, half: string | undefined): string {
  const isPossible = half === undefined || (hour >= 1 && hour <= 12);
  const hours = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
  return isPossible ? String(hours).padStart(2, '0') : '';
}

/** The days, `YYYY-MM-DD`, that three numbers can mean: the year comes first or last. */
function daysOf(a: string, b: string, c: string): string[] {
  const readings: string[][] = [];
  if (a.length === 4) readings.push([a, b, c]);
  else if (c.length === 4) readings.push([c, a, b], [c, b, a]);
  else if (c.length === 2)
    readings.push([`20${c}`, a, b], [`20${c}`, b, a], ...(a.length === 2 ? [[`20${a}`, b, c]] : []));
  const days = readings.map((parts) => parts.map((part) => part.padStart(2, '0')).join('-'));
  return [...new Set(days.filter(isDay))];
}

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && formatTime(at).startsWith(text); // There is no 30th of February.
}

/** A time of which the file has only the beginning, completed with the known time, or zeros. */
export function completeTime(given: string, known: string): string {
  return known.startsWith(given) ? known : `${given}${' 00:00:00'.slice(given.length - 10)}`;
}

/** The fields that each status word sets. A column of the field itself takes precedence. */
const STATUS = new Map<string, Partial<DeviceFields>>([
  ['', {}],
  ['online', { devPresentLastScan: 1 }],
  ['offline', { devPresentLastScan: 0 }],
  ['down', { devPresentLastScan: 0, devAlertDown: 1 }],
  ['archived', { devIsArchived: 1 }],
  ['new', { devIsNew: 1 }],
]);

export function statusIn(cell: string): Partial<DeviceFields> | undefined {
  return STATUS.get(valueIn(cell).toLowerCase().replace('-', ''));
}
