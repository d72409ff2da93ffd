/** The stored form of how all devices of a site were on one day: by the key of each, how it was first, and each turn. */
import type { DeviceKey } from '../devices/device-codec.ts';
import { Bytes, Reader } from './bytes.ts';
import type { Presence, Turn } from './presence.ts';

const VERSION = 1;
const MAC = /^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$/;
const MAC_BYTES = 6;
/** In front of a key that is a MAC; others have their length there. */
const IS_MAC = 0;
const STATES: readonly Presence[] = [false, true, null];

export type DayOfDevices = ReadonlyMap<DeviceKey, readonly Turn[]>;

/** As many rows as are needed, at least one, none longer than `most` bytes. @param day its beginning, at which all turns begin; Unix, s */
export function encodeDay(devices: DayOfDevices, day: number, most: number): Uint8Array[] {
  const begun = () => {
    const row = new Bytes();
    row.byte(VERSION);
    return row;
  };
  let row = begun();
  const rows = [row];
  for (const [key, turns] of devices) {
    const device = encodeDevice(key, turns, day);
    if (row.length + device.length > most) {
      row = begun();
      rows.push(row);
    }
    for (const byte of device) row.byte(byte);
  }
  return rows.map((one) => one.bytes());
}

function encodeDevice(key: DeviceKey, turns: readonly Turn[], day: number): Uint8Array {
  const bytes = new Bytes();
  if (MAC.test(key)) {
    bytes.byte(IS_MAC);
    bytes.hex(key.replaceAll(':', ''));
  } else {
    bytes.varint(Buffer.byteLength(key));
    bytes.text(key);
  }
  bytes.varint(turns.length);
  let before = day;
  for (const { at, is } of turns) {
    bytes.varint((at - before) * STATES.length + STATES.indexOf(is));
    before = at;
  }
  return bytes.bytes();
}

/** The turns of one device; null when it is not in the row. @throws when these are not the bytes of a day */
export function decodeDevice(row: Uint8Array, wanted: DeviceKey, day: number): Turn[] | null {
  if (row[0] !== VERSION) throw new Error(`presence of version ${row[0]}, which this version does not know`);
  const reader = new Reader(row, 1, row.length);
  while (reader.at < row.length) {
    const length = reader.varint();
    const key = length === IS_MAC ? macOf(reader.hex(MAC_BYTES)) : reader.text(length);
    const turns: Turn[] = [];
    let at = day;
    for (let left = reader.varint(); left > 0; left--) {
      const turn = reader.varint();
      at += Math.floor(turn / STATES.length);
      turns.push({ at, is: STATES[turn % STATES.length] ?? null });
    }
    if (key === wanted) return turns;
  }
  return null;
}

function macOf(hex: string): string {
  return hex.toUpperCase().replace(/(..)(?!$)/g, '$1:');
}
