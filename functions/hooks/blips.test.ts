import { describe, expect, test } from 'vitest';
import type { EventType } from '../../shared/api/events.ts';
import { nextOf, withoutBlips } from './blips.ts';
import type { ToTell } from './bursts.ts';
import type { Waiting } from './hook-store.ts';

const START = Date.parse('2026-11-01T08:15:00Z');
const time = (second: number) => new Date(START + second * 1000);
let version = 1_000;

/** @param recorded when the service learned of it, in seconds; default: when it happened */
function event(type: EventType, second: number, id = 'home', recorded = second): ToTell {
  return {
    id: `${++version}.0`,
    at: time(second).toISOString(),
    recordedAt: time(recorded).toISOString(),
    type,
    device: null,
    subject: { kind: 'site', id, name: id },
    changes: {},
    actor: 'service',
    cause: 'observation',
  };
}

/** What people are told of changes that are met one after the other, and when. */
function tell(changes: ToTell[][], until = 600, unwanted: EventType[] = []): string[] {
  const told: string[] = [];
  let waiting: Waiting[] = [];
  const take = (some: ToTell[][], now: Date) => {
    const after = withoutBlips(waiting, some, { wants: (type) => !unwanted.some((one) => one === type), now });
    waiting = after.waiting;
    for (const { type, subject } of after.changes.flat()) {
      told.push(`${(now.getTime() - START) / 1000} ${type}${subject?.id === 'home' ? '' : ` ${subject?.id}`}`);
    }
  };
  for (const events of changes) {
    const now = new Date(events[0]?.recordedAt ?? START);
    for (let due = nextOf(waiting); due !== null && due <= now; due = nextOf(waiting)) take([], due);
    take([events], now);
  }
  for (let due = nextOf(waiting); due !== null && due <= time(until); due = nextOf(waiting)) take([], due);
  return told;
}

describe('what is lost is told to people', () => {
  test('after two minutes, and its end at once', () => {
    expect(tell([[event('site-dark', 0)], [event('site-back', 300)]])).toEqual(['120 site-dark', '300 site-back']);
    expect(tell([[event('site-dark', 0)]], 119)).toEqual([]);
  });

  test('not at all when it is over by then, though something else is lost meanwhile', () => {
    const [attic, cellar] = [event('agent-lost', 0, 'attic'), event('agent-lost', 50, 'cellar')];
    expect(tell([[attic], [cellar], [event('agent-back', 100, 'attic')]])).toEqual(['170 agent-lost cellar']);
    expect(tell([[attic], [event('agent-back', 100, 'attic')]], 600, ['agent-back'])).toEqual([]);
  });

  test('by its end alone when an agent tells late that it was lost for long', () => {
    const late = () => [event('internet-lost', 0, 'home', 900), event('internet-back', 800, 'home', 900)];
    expect(tell([late()])).toEqual(['900 internet-back']);
    expect(tell([late()], 1_200, ['internet-back'])).toEqual(['900 internet-lost']);
  });

  test('once for an agent and its site', () => {
    expect(tell([[event('agent-lost', 0, 'attic'), event('site-dark', 0)]])).toEqual(['120 site-dark']);
    const both = [event('agent-back', 300, 'attic'), event('site-back', 300)];
    expect(tell([[event('agent-lost', 0, 'attic'), event('site-dark', 0)], both])).toEqual([
      '120 site-dark',
      '300 site-back',
    ]);
    expect(tell([[event('agent-lost', 0, 'attic'), event('site-dark', 0)]], 600, ['site-dark'])).toEqual([
      '120 agent-lost attic',
    ]);
  });
});
