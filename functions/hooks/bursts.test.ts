import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextEnd, summedUp, type ToTell } from './bursts.ts';
import type { Bursts } from './hook-store.ts';

const START = Date.parse('2026-11-01T08:15:00Z');
const at = (second: number) => new Date(START + second * 1000);
let version = 1_000;

function event(second: number, name: string, more: Partial<ToTell> = {}): ToTell {
  return {
    id: `${++version}.0`,
    at: at(second).toISOString(),
    recordedAt: at(second).toISOString(),
    type: 'new',
    device: { mac: '', key: `~${name}`, name },
    changes: {},
    actor: 'home:main',
    cause: 'sighting',
    ...more,
  };
}

/** What is told of changes that are met one after the other. */
function tell(changes: ToTell[][], { most = 3, until = 600, before = {} as Bursts } = {}) {
  const told: ToTell[] = [];
  let bursts = before;
  for (const events of changes) {
    const now = new Date(events[0]?.recordedAt ?? START);
    const one = summedUp(bursts, [events], { most, now });
    told.push(...one.told);
    bursts = one.bursts;
  }
  const rest = summedUp(bursts, [], { most, now: at(until) });
  return { told: [...told, ...rest.told], bursts: rest.bursts };
}

const shown = ({ told }: { told: ToTell[] }) =>
  told.map(({ type, device, count }) => `${type} ${device?.name ?? count}`);
const minute = (count: number) => Array.from({ length: count }, (_, i) => [event(i, `d${i}`)]);

describe('events of one type within a minute', () => {
  test('are told one by one up to three, and the others as one when the minute is over', () => {
    expect(shown(tell(minute(3)))).toEqual(['new d0', 'new d1', 'new d2']);
    const many = tell(minute(12));
    expect(shown(many)).toEqual(['new d0', 'new d1', 'new d2', 'new 9']);
    expect(many.told.at(-1)?.devices?.map(({ name }) => name)).toEqual(
      minute(12)
        .slice(3)
        .map((_, i) => `d${i + 3}`),
    );
    expect(many.bursts).toEqual({});
    expect(shown(tell(minute(12), { most: 100 }))).toHaveLength(12);
  });

  test('are told at once, as one, when one change has more than three of them', () => {
    const events = Array.from({ length: 12 }, (_, i) => event(0, `d${i}`));
    expect(shown(tell([events], { until: 0 }))).toEqual(['new 12']);
    const mixed = [...events, event(0, 'nas', { type: 'down' })];
    expect(shown(tell([mixed], { until: 0 }))).toEqual(['new 12', 'down nas']);
  });

  test('are held until the minute is over, which is known', () => {
    const { told, bursts } = tell(minute(5), { until: 59 });
    expect(told).toHaveLength(3);
    expect(nextEnd(bursts)).toEqual(at(60));
    expect(shown(tell([], { before: bursts, until: 60 }))).toEqual(['new 2']);
    expect(nextEnd({})).toBeNull();
  });

  test('are counted anew in the next minute, before which what was held is told', () => {
    expect(shown(tell([...minute(5), [event(61, 'late')]], { until: 61 }))).toEqual([
      ...['new d0', 'new d1', 'new d2', 'new 2', 'new late'],
    ]);
  });

  test('that are of many already, and tests, are told as they are', () => {
    const found = () => [event(0, '', { type: 'found', device: null, count: 12 })];
    const tests = () => [event(0, '', { type: 'test', device: null })];
    const changes = [found(), found(), found(), found(), found(), tests(), tests(), tests(), tests()];
    expect(tell(changes, { until: 0 }).told).toHaveLength(changes.length);
  });
});

test('every event is told or counted once, in whatever portions it is met', () => {
  const Change = fc.tuple(
    fc.nat(20),
    fc.array(fc.constantFrom('new', 'down', 'online'), { minLength: 1, maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(Change, { maxLength: 40 }), fc.array(fc.nat(5), { maxLength: 40 }), (wanted, portions) => {
      let second = 0;
      const changes = wanted.map(([pause, types]) => {
        second += pause;
        return types.map((type, i) => event(second, `${second}-${i}`, { type }));
      });
      const whole = summedUp({}, changes, { most: 3, now: at(second) });
      let bursts: Bursts = {};
      const told: ToTell[] = [];
      for (let from = 0, i = 0; from < changes.length; i++) {
        const size = 1 + (portions[i] ?? 0);
        const some = changes.slice(from, from + size);
        const now = new Date(some.at(-1)?.[0]?.recordedAt ?? START);
        const one = summedUp(bursts, some, { most: 3, now });
        told.push(...one.told);
        bursts = one.bursts;
        from += size;
      }
      expect(told).toEqual(whole.told);
      expect(bursts).toEqual(whole.bursts);
      const rest = summedUp(bursts, [], { most: 3, now: at(second + 60) });
      const counts = [...told, ...rest.told].map(({ count = 1 }) => count);
      expect(counts.reduce((sum, one) => sum + one, 0)).toBe(changes.flat().length);
    }),
  );
});
