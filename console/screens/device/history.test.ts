import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';

vi.stubGlobal('navigator', { language: 'en-GB' });
const { isRandomizedMac, newestFirst, observedSince, statusSince, timeOf } = await import('./history.ts');

const at = (second: number) => new Date(second * 1000).toISOString();
function event(second: number, more: Partial<DeviceEvent>): DeviceEvent {
  const about = { type: 'edited', device: null, changes: {}, actor: 'a person', cause: 'sighting' } as const;
  return { id: `${second}.0`, at: at(second), recordedAt: at(second), ...about, ...more };
}

test('the order in which events come does not matter, nor that some come twice', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1_000)), fc.infiniteStream(fc.nat()), (seconds, random) => {
      const mixed = [...seconds, ...seconds]
        .map((second) => ({ second, place: random.next().value }))
        .sort((a, b) => a.place - b.place)
        .map(({ second }) => event(second, {}));
      const expected = seconds.sort((a, b) => b - a).map((second) => `${second}.0`);
      expect(newestFirst(mixed).map(({ id }) => id)).toEqual(expected);
    }),
  );
});

describe('since when', () => {
  const seen = (agent: string, online: boolean, second: number) => ({ agent, online, since: at(second) });
  const device = (more: Partial<OneDevice>) =>
    ({ devStatus: 'online', devPresentLastScan: 1, seenBy: [], ...more }) as unknown as OneDevice;

  test('online since the first agent that sees it, away since the last that has lost it', () => {
    const seenBy = [seen('a', true, 20), seen('b', true, 10), seen('c', false, 5)];
    expect(observedSince(device({ seenBy }))).toBe(10_000);
    const lost = [seen('a', false, 20), seen('b', false, 10)];
    expect(observedSince(device({ seenBy: lost, devPresentLastScan: 0 }))).toBe(20_000);
    expect(observedSince(device({}))).toBeNull();
  });

  test('without an agent the last event says it, if it fits; an archived one is that since it was archived', () => {
    const events = newestFirst([event(10, { type: 'archived' }), event(20, { type: 'online' })]);
    expect(statusSince(device({}), events)).toBe(at(20));
    expect(statusSince(device({ devStatus: 'offline', devPresentLastScan: 0 }), events)).toBeNull();
    expect(statusSince(device({ devStatus: 'archived' }), events)).toBe(at(10));
    expect(statusSince(device({ seenBy: [seen('a', true, 5)] }), events)).toBe(at(5));
  });
});

test('the times of records are UTC', () => {
  expect(timeOf('2026-11-01 08:15:00')).toBe(Date.UTC(2026, 10, 1, 8, 15));
  expect(timeOf('')).toBeNull();
});

test.each([
  ['7A:5C:11:77:01:90', true],
  ['02:00:00:00:00:01', true],
  ['00:11:32:77:01:20', false],
  ['Internet', false],
  ['', false],
])('%s is randomized: %s', (mac, expected) => expect(isRandomizedMac(mac)).toBe(expected));
