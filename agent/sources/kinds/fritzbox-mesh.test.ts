import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linksOfMesh } from './fritzbox-mesh.ts';
import { durationMs } from './mikrotik.ts';

const FIXTURE = new URL('../../../test/fixtures/sources/fritzbox.json', import.meta.url);
const { mesh } = JSON.parse(readFileSync(FIXTURE, 'utf8')).answers;

test('where hosts and repeaters are attached, whichever end comes first', () => {
  const links = Object.fromEntries(linksOfMesh(JSON.stringify(mesh)));
  expect(links).toEqual({
    '00:1E:06:00:00:A2': { medium: 'wired', switch: '00:1E:06:00:00:A1', port: 'LAN 1' },
    '00:1E:06:00:00:02': { medium: 'wireless', ssid: 'home', accessPoint: '00:1E:06:00:00:A2' },
    '00:1E:06:00:00:01': { medium: 'wired', switch: '00:1E:06:00:00:A1', port: 'LAN 2' },
  });
  const swapped = JSON.stringify(mesh).replace(/_([12])_uid/g, (_, end) => `_${3 - end}_uid`);
  expect(Object.fromEntries(linksOfMesh(swapped))).toEqual(links);
});

test('any JSON gives links to known ends, or none; cut JSON gives none', () => {
  const values = fc.oneof(fc.jsonValue(), fc.constantFrom(...mesh.nodes, mesh.nodes));
  fc.assert(
    fc.property(fc.array(values), fc.nat(), (nodes, at) => {
      const json = JSON.stringify({ ...mesh, nodes });
      for (const { medium, accessPoint, switch: bySwitch } of linksOfMesh(json).values()) {
        expect(['wired', 'wireless']).toContain(medium);
        expect(['00:1E:06:00:00:A1', '00:1E:06:00:00:A2']).toContain(accessPoint ?? bySwitch);
      }
      expect(linksOfMesh(json.slice(0, at % json.length))).toEqual(new Map());
    }),
  );
});

test('durations of RouterOS come back as they were written, and other texts are none', () => {
  const units = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 999 }), { minLength: 6, maxLength: 6 }), (counts) => {
      const used = Object.entries(units).flatMap(([unit, ms], i) => {
        const count = counts[i] ?? 0;
        return count % 2 > 0 ? [{ text: `${count}${unit}`, ms: count * ms }] : [];
      });
      const expected = used.length === 0 ? null : used.reduce((sum, { ms }) => sum + ms, 0);
      expect(durationMs(used.map(({ text }) => text).join(''))).toBe(expected);
    }),
  );
  expect(durationMs('1d01:02:03')).toBe(86_400_000 + 3_723_000);
  for (const text of [undefined, '', 'never', '5', '5m1h', '-5s', 'x5s']) expect(durationMs(text)).toBeNull();
  fc.assert(fc.property(fc.string(), (text) => void durationMs(text)));
});
