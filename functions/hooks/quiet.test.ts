import { expect, test } from 'vitest';
import { BLANK_DEVICE } from '../../shared/device.ts';
import type { JournalEntry } from '../devices/collection/change-row.ts';
import { positionOf } from '../devices/collection/device-codec.ts';
import type { StoredHook } from './hook-store.ts';
import { heldEvent, holding, MAX_EVENTS, quietAt } from './quiet.ts';

test.each([
  ['UTC', '22:00', '07:00', '2026-11-02T23:30:10Z', '2026-11-02T22:00', '2026-11-03T07:00'],
  ['UTC', '22:00', '07:00', '2026-11-03T06:59:59Z', '2026-11-02T22:00', '2026-11-03T07:00'],
  ['UTC', '22:00', '07:00', '2026-11-03T07:00:00Z', undefined, undefined],
  // The clock shows 02:00 to 03:00 twice on that day: inside, outside, and inside again.
  ['Europe/Berlin', '22:00', '02:30', '2026-10-25T00:10:00Z', '2026-10-24T20:00', '2026-10-25T00:30'],
  ['Europe/Berlin', '22:00', '02:30', '2026-10-25T00:40:00Z', undefined, undefined],
  ['Europe/Berlin', '22:00', '02:30', '2026-10-25T01:10:00Z', '2026-10-25T01:00', '2026-10-25T01:30'],
  // It does not show 02:00 to 03:00 on this one.
  ['Europe/Berlin', '22:00', '02:30', '2026-03-29T00:30:00Z', '2026-03-28T21:00', '2026-03-29T01:00'],
  ['Europe/Berlin', '02:10', '07:00', '2026-03-29T01:30:00Z', '2026-03-29T01:00', '2026-03-29T05:00'],
])('quiet hours begin and end by the clock: %s, %s to %s, at %s', (timeZone, from, to, at, since, until) => {
  const span = quietAt({ from, to }, timeZone, new Date(at));
  expect(span?.since.toISOString().slice(0, 16)).toBe(since);
  expect(span?.until.toISOString().slice(0, 16)).toBe(until);
});

const HOOK: StoredHook = {
  ...{ id: '0123456789ab', url: 'https://hooks.example.org/', format: 'json', events: ['offline'], secret: '' },
  ...{ enabled: true, createdAt: '', createdBy: '', from: 0, cursor: 0, recent: {}, bursts: {}, waiting: [] },
  skipRandomMacs: false,
  ...{ digestedAt: null, sweptAt: null, deliveredAt: null, failingSince: null, failures: 0, pausedUntil: null },
  problem: null,
};

const [SINCE, UNTIL] = [new Date('2026-11-02T22:00:00Z'), new Date('2026-11-03T07:00:00Z')];

/** An edit of a field of a device, whose name it does not say. */
function edited(version: number, device: number, field: 'devPresentLastScan' | 'devComments'): JournalEntry {
  const value: [unknown, unknown] = field === 'devComments' ? ['', 'a'] : [1, 0];
  return {
    ...{ version, at: SINCE, id: String(version), actor: 'home:main', cause: 'edit', lags: null },
    counts: { put: 1, removed: 0 },
    devices: [[`1E:08:00:00:00:${String(device).padStart(2, '0')}`, '=', { [positionOf(field)]: value }]],
  };
}

async function tell(entries: readonly JournalEntry[], upTo: number) {
  const asked: string[] = [];
  const devices = {
    async *changesBetween(_: string, behind: number, last: number) {
      yield* entries.filter(({ version }) => version > behind && version <= last);
    },
    async recordsOf(_: string, keys: readonly string[]) {
      asked.push(...keys);
      const known = keys.filter((key) => !key.endsWith('01'));
      return new Map(known.map((key) => [key, { ...BLANK_DEVICE, devMac: key, devName: `name of ${key.slice(-2)}` }]));
    },
  };
  const held = { behind: 0, upTo, without: [], except: [] };
  const told = await heldEvent(devices, 'home', HOOK, holding('home', HOOK, { since: SINCE, until: UNTIL }, held));
  return { digest: told?.digest, asked };
}

test('of a night with however many changes those are told that are wanted, and each device is read once', async () => {
  const unwanted = Array.from({ length: 6_000 }, (_, i) => edited(i + 1, i % 60, 'devComments'));
  const wanted = Array.from({ length: 500 }, (_, i) => edited(6_001 + i, i % 3, 'devPresentLastScan'));
  const { digest, asked } = await tell([...unwanted, ...wanted], 6_500);
  expect(digest?.summary).toBe('In the quiet hours: 3 devices came or went.');
  expect(digest?.changes.map(({ device, count }) => [device?.name, count]).sort()).toEqual([
    ['', 167],
    ['name of 00', 167],
    ['name of 02', 166],
  ]);
  expect(asked).toHaveLength(3);
});

test('of more than one message can sum up the last are told, and how many there were before', async () => {
  const entries = Array.from({ length: MAX_EVENTS + 1_234 }, (_, i) => edited(i + 1, i % 60, 'devPresentLastScan'));
  const { digest } = await tell([...entries, edited(9_000, 61, 'devPresentLastScan')], entries.length);
  expect(digest?.summary).toBe('In the quiet hours, after 1,234 other events: 60 devices came or went.');
  expect(digest?.changes.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(MAX_EVENTS);
  expect(digest?.more).toBe(40);
});
