/** Generates collections that are as varied as a real network, and the same ones each time. */

export interface GeneratedDevice {
  devName: string;
  devMAC: string;
  devIP: string;
  devType: string;
  devFavorite: 0 | 1;
  devStatus: 'online' | 'offline' | 'down' | 'archived' | 'new';
  devFirstConnection: string;
}

/** Kinds of devices, their names, and the first half of their MAC. */
const KINDS = [
  ['Phone', 'phone', 'A4:83:E7'],
  ['Laptop', 'laptop', '3C:22:FB'],
  ['Desktop', 'desktop', '70:85:C2'],
  ['Camera', 'kamera-süd', '44:19:B6'],
  ['Printer', 'printer', '00:1B:A9'],
  ['Smart plug', 'plug', '84:F3:EB'],
  ['Switch', 'switch', '78:8A:20'],
  ['NAS', 'nas', '00:11:32'],
  ['TV', 'tv, living room', 'CC:2D:8C'],
  ['', '(unknown)', '7A:5C:11'],
] as const;

/** So many of a hundred devices have the status. */
const STATUSES = [
  ...Array<'online'>(68).fill('online'),
  ...Array<'offline'>(18).fill('offline'),
  ...Array<'down'>(5).fill('down'),
  ...Array<'archived'>(5).fill('archived'),
  ...Array<'new'>(4).fill('new'),
];
const FAVORITE_SHARE = 0.03;
const OLDEST = Date.UTC(2024, 0, 1);
const NEWEST = Date.UTC(2026, 9, 1);

/** MACs and IP addresses differ from each other. At most 2^24 devices. */
export function generateDevices(count: number): GeneratedDevice[] {
  return Array.from({ length: count }, (_, i) => {
    const [devType, name, oui] = KINDS[Math.floor(spread(i, 1) * KINDS.length)]!;
    const bytes = [i >> 16, (i >> 8) & 255, i & 255];
    return {
      devName: name === '(unknown)' ? name : `${name} ${i}`,
      devMAC: `${oui}:${bytes.map(hexByte).join(':')}`,
      devIP: `10.${bytes.join('.')}`,
      devType,
      devFavorite: spread(i, 2) < FAVORITE_SHARE ? 1 : 0,
      devStatus: STATUSES[Math.floor(spread(i, 3) * STATUSES.length)]!,
      devFirstConnection: timeText(OLDEST + spread(i, 4) * (NEWEST - OLDEST)),
    };
  });
}

/** A file for POST /devices/import, about 90 bytes a device. */
export function csvOf(devices: readonly GeneratedDevice[]): string {
  const columns = Object.keys(devices[0] ?? {}) as (keyof GeneratedDevice)[];
  const lines = devices.map((device) => columns.map((column) => csvCell(String(device[column]))).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, '0').toUpperCase();
}

function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace('T', ' ');
}

/** From 0 to 1, and as good as random for each number and purpose. */
function spread(i: number, purpose: number): number {
  const mixed = Math.imul(Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(purpose, 0x85ebca6b), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}
