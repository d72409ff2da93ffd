/** What a MAC address shows of its device: the vendor, or that the device randomized it. */
import { brotliDecompressSync } from 'node:zlib';
import { MAX_VENDOR_CHARACTERS } from '../../shared/agent/discovery.ts';
import { fitToReport } from '../../shared/agent/fit-text.ts';
import vendorTable from './vendor-table.json' with { type: 'json' };

/**
 * Whether a device has a randomized MAC, as phones do for privacy: a unicast address that is locally administered (IEEE 802c).
 * Virtual machines and containers have such addresses too, but keep theirs.
 */
export function isRandomMac(mac: string): boolean {
  const locallyAdministered = (Number.parseInt(mac.slice(0, 2), 16) & 3) === 2;
  return locallyAdministered && !VIRTUAL_PREFIXES.some((prefix) => mac.startsWith(prefix));
}

/** Of Docker; QEMU and libvirt; VirtualBox. */
const VIRTUAL_PREFIXES = ['02:42:', '52:54:00:', '0A:00:27:'];

/** The IEEE assigns blocks by their first 36, 28 or 24 bits. A smaller block lies within one of the IEEE itself. */
const PREFIX_DIGITS = [9, 7, 6];

/** The company to which the IEEE assigned the address; null when unknown, and for randomized addresses. */
export function vendorOf(mac: string): string | null {
  if (isRandomMac(mac)) return null;
  const digits = mac.replaceAll(':', '');
  for (const length of PREFIX_DIGITS) {
    const vendor = find(digits.slice(0, length));
    if (vendor !== null) return fitToReport(vendor, MAX_VENDOR_CHARACTERS);
  }
  return null;
}

/** Sorted lines of prefix, tab and vendor: 1.7 MB. As objects they would take twenty times as much memory. */
let table: Buffer | null = null;

const NEWLINE = 0x0a;
const TAB = 0x09;

/** Binary search. */
function find(prefix: string): string | null {
  table ??= brotliDecompressSync(Buffer.from(vendorTable.table, 'base64'));
  let from = 0;
  let to = table.length;
  while (from < to) {
    // The line that holds the middle.
    const middle = (from + to) >>> 1;
    const start = middle === 0 ? 0 : table.lastIndexOf(NEWLINE, middle - 1) + 1;
    const tab = table.indexOf(TAB, start);
    const end = table.indexOf(NEWLINE, tab);
    const key = table.toString('latin1', start, tab);
    if (key === prefix) return table.toString('utf8', tab + 1, end);
    if (key < prefix) from = end + 1;
    else to = start;
  }
  return null;
}
