/** Generates collections that are as varied as a real network, and identical for the same seed. */

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

/** Out of a hundred devices. */
const STATUS_SHARES = [
  ['online', 68],
  ['offline', 18],
  ['down', 5],
  ['archived', 5],
  ['new', 4],
] as const;

const FAVORITE_SHARE = 0.03;
const OLDEST = Date.UTC(2024, 0, 1);
const NEWEST = Date.UTC(2026, 9, 1);

/** MACs and IP addresses differ from each other. At most 2^24 devices. */
export function generateDevices(count: number, seed = 1): GeneratedDevice[] {
  const random = mulberry32(seed);
  return Array.from({ length: count }, (_, i) => {
    const [devType, name, oui] = KINDS[Math.floor(random() * KINDS.length)]!;
    const bytes = [i >> 16, (i >> 8) & 255, i & 255];
    return {
      devName: name === '(unknown)' ? name : `${name} ${i}`,
      devMAC: `${oui}:${bytes.map(hexByte).join(':')}`,
      devIP: `10.${bytes.join('.')}`,
      devType,
      devFavorite: random() < FAVORITE_SHARE ? 1 : 0,
      devStatus: statusAt(random() * 100),
      devFirstConnection: timeText(OLDEST + random() * (NEWEST - OLDEST)),
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

function statusAt(percent: number): GeneratedDevice['devStatus'] {
  let upTo = 0;
  for (const [status, share] of STATUS_SHARES) {
    upTo += share;
    if (percent < upTo) return status;
  }
  return 'online';
}

function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace('T', ' ');
}

/** A small pseudo-random generator from 0 to 1 with a reproducible sequence, unlike `Math.random`. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
