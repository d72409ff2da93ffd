import { expect, test } from 'vitest';
import { parseIp, parseMac } from '../../shared/network.ts';
import { csvOf, generateDevices } from './devices.ts';

test('every device can be imported, and no two are the same', () => {
  const devices = generateDevices(2_000);
  expect(new Set(devices.map(({ devMAC }) => devMAC)).size).toBe(2_000);
  expect(new Set(devices.map(({ devIP }) => devIP)).size).toBe(2_000);
  for (const { devMAC, devIP } of devices) {
    expect(parseMac(devMAC)).toBe(devMAC);
    expect(parseIp(devIP)).not.toBeNull();
  }
});

test('every status and both sides of the favourites occur', () => {
  const devices = generateDevices(2_000);
  expect(new Set(devices.map(({ devStatus }) => devStatus)).size).toBe(5);
  expect(new Set(devices.map(({ devFavorite }) => devFavorite)).size).toBe(2);
  expect(new Set(devices.map(({ devType }) => devType)).size).toBe(10);
});

test('the file has a header and quotes what must be quoted', () => {
  const lines = csvOf(generateDevices(200)).split('\r\n');
  expect(lines[0]).toBe('devName,devMAC,devIP,devType,devFavorite,devStatus,devFirstConnection');
  expect(lines).toHaveLength(202);
  expect(lines.some((line) => line.startsWith('"tv, living room '))).toBe(true);
});

test('100,000 devices stay below the largest body', () => {
  expect(Buffer.byteLength(csvOf(generateDevices(100_000)))).toBeLessThan(10 * 1024 * 1024);
});
