import { describe, expect, test } from 'vitest';
import type { EventType } from '../../shared/api/events.ts';
import { BLANK_DEVICE } from '../../shared/device.ts';
import type { JournalEntry, Occurrence } from '../devices/collection/change-row.ts';
import { positionOf } from '../devices/collection/device-codec.ts';
import type { StoredHook } from './hook-store.ts';
import { nextOf } from './next.ts';
import { stepsOf } from './steps.ts';
import { heldNotice, MAX_EVENTS, noticeOf } from './summaries.ts';

const HOOK: StoredHook = {
  ...{ id: '0123456789ab', url: 'https://hooks.example.org/', format: 'json', events: ['offline'], secret: '' },
  ...{ enabled: true, createdAt: '', createdBy: '', from: 0, skipRandomMacs: false, origin: undefined },
  ...{ cursor: 0, passed: null, recent: {}, unsaid: [], window: { since: 0, sent: 0 }, held: null, digestedAt: null },
  ...{ reportedAt: null, threads: {} },
  ...{ deliveries: [], leasedUntil: null, brokenOff: 0, deliveredAt: null, failingSince: null, pausedUntil: null },
  ...{ problem: null, rev: 0 },
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
  const keysRead: string[] = [];
  const devices = {
    async *changesBetween(_: string, behind: number, last: number) {
      yield* entries.filter(({ version }) => version > behind && version <= last);
    },
    async recordsOf(_: string, keys: readonly string[]) {
      keysRead.push(...keys);
      const known = keys.filter((key) => !key.endsWith('01'));
      return new Map(known.map((key) => [key, { ...BLANK_DEVICE, devMac: key, devName: `name of ${key.slice(-2)}` }]));
    },
  };
  const held = { from: { cursor: 0, passed: null }, since: SINCE.getTime(), until: UNTIL.getTime(), except: [] };
  const notice = await heldNotice(devices, 'home', { ...HOOK, cursor: upTo }, held);
  return { digest: notice?.digest, keysRead };
}

test('a night of any number of changes: the wanted ones are summed up, and each device is read once', async () => {
  const unwanted = Array.from({ length: 6_000 }, (_, i) => edited(i + 1, i % 60, 'devComments'));
  const wanted = Array.from({ length: 500 }, (_, i) => edited(6_001 + i, i % 3, 'devPresentLastScan'));
  const { digest, keysRead } = await tell([...unwanted, ...wanted], 6_500);
  expect(digest?.summary).toBe('In the quiet hours: 3 devices came or went.');
  expect(digest?.changes.map(({ device, count }) => [device?.name, count]).sort()).toEqual([
    ['', 167],
    ['name of 00', 167],
    ['name of 02', 166],
  ]);
  expect(keysRead).toHaveLength(3);
});

test('of too many for one message: the last ones, and the number of those before', async () => {
  const entries = Array.from({ length: MAX_EVENTS + 1_234 }, (_, i) => edited(i + 1, i % 60, 'devPresentLastScan'));
  const { digest } = await tell([...entries, edited(9_000, 61, 'devPresentLastScan')], entries.length);
  expect(digest?.summary).toBe('In the quiet hours, after 1,234 other events: 60 devices came or went.');
  expect(digest?.changes.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(MAX_EVENTS);
  expect(digest?.more).toBe(40);
});

const START = Date.parse('2026-11-01T08:15:00Z');

/** An entry at this second, with what has happened to no device, or to the site. */
function entry(
  second: number,
  ...reported: (Pick<Occurrence, 'type'> & { id?: string; ago?: number })[]
): JournalEntry {
  const at = new Date(START + second * 1000);
  return {
    ...{ version: second + 1, at, id: '', actor: 'service', cause: 'observation', lags: null, devices: [] },
    counts: { put: 0, removed: 0 },
    occurrences: reported.map(({ type, id = 'home', ago = 0 }) => ({
      ...{ type, at: at.getTime() / 1000 - ago },
      subject: { kind: type.startsWith('check') ? 'check' : 'site', id, name: id } as const,
    })),
  };
}

/** What a hook sends of entries, each of which it meets when it is made, and when (s). */
function sent(entries: JournalEntry[], wanted: Partial<StoredHook> = {}, until = 600): string[] {
  const all: EventType[] = ['agent-lost', 'agent-back', 'site-dark', 'site-back', 'internet-lost', 'internet-back'];
  let hook: StoredHook = { ...HOOK, format: 'ntfy', events: [...all, 'check-up', 'check-down'], ...wanted };
  const messages: string[] = [];
  for (let second = 0; second <= until; second++) {
    const now = START + second * 1000;
    for (;;) {
      const behind = entries.filter(({ version, at }) => version > hook.cursor && at.getTime() <= now);
      const next = nextOf(hook, stepsOf(hook, behind, new Map(), { now }), { timeZone: 'UTC', now });
      if (next.after === null) break;
      hook = { ...hook, ...next.after };
      if (next.events.length === 0) continue;
      const { type, subject, count, digest } = noticeOf(next.events, 'x');
      const about = count ?? (subject?.id === 'home' ? null : subject?.id);
      messages.push(
        [second, type, digest === undefined ? about : next.events.length].filter((one) => one != null).join(' '),
      );
    }
  }
  return messages;
}

describe('what is lost is sent to people', () => {
  test('after two minutes, and its end at once', () => {
    const both = [entry(0, { type: 'site-dark' }), entry(300, { type: 'site-back' })];
    expect(sent(both)).toEqual(['120 site-dark', '300 site-back']);
    expect(sent(both.slice(0, 1), {}, 119)).toEqual([]);
    expect(sent(both, { format: 'json' })).toEqual(['0 site-dark', '300 site-back']);
  });

  test('not at all when it is over by then, though something else is lost meanwhile', () => {
    const lost = [entry(0, { type: 'agent-lost', id: 'attic' }), entry(50, { type: 'agent-lost', id: 'cellar' })];
    const entries = [...lost, entry(100, { type: 'agent-back', id: 'attic' })];
    expect(sent(entries)).toEqual(['170 agent-lost cellar']);
    expect(sent([...lost.slice(0, 1), ...entries.slice(2)], { events: ['agent-lost'] })).toEqual([]);
  });

  test('by its end alone when an agent reports late that it was lost for long', () => {
    const late = [entry(900, { type: 'internet-lost', ago: 900 }, { type: 'internet-back', ago: 100 })];
    expect(sent(late, {}, 1_200)).toEqual(['900 internet-back']);
    expect(sent(late, { events: ['internet-lost'] }, 1_200)).toEqual(['900 internet-lost']);
  });

  test('once for an agent and its site', () => {
    const lost = entry(0, { type: 'agent-lost', id: 'attic' }, { type: 'site-dark' });
    const back = entry(300, { type: 'agent-back', id: 'attic' }, { type: 'site-back' });
    expect(sent([lost, back])).toEqual(['120 site-dark', '300 site-back']);
    expect(sent([lost], { events: ['agent-lost', 'agent-back'] })).toEqual(['120 agent-lost attic']);
  });
});

describe('events within a minute', () => {
  const up = (count: number) => Array.from({ length: count }, (_, i) => entry(i, { type: 'check-up', id: `c${i}` }));

  test('are sent one by one up to three, and the others as one when the minute is over', () => {
    const three = ['0 check-up c0', '1 check-up c1', '2 check-up c2'];
    expect(sent(up(3))).toEqual(three);
    expect(sent(up(12))).toEqual([...three, '60 check-up 9']);
    expect(sent([...up(12), entry(61, { type: 'check-up', id: 'late' })])).toEqual([
      ...[...three, '60 check-up 9', '120 check-up late'],
    ]);
    expect(sent(up(12), { format: 'json' })).toHaveLength(12);
  });

  test('are sent at once, as one, when they come together; of several types as a summary', () => {
    const many = Array.from({ length: 12 }, (_, i) => ({ type: 'check-up', id: `c${i}` }) as const);
    expect(sent([entry(0, ...many)])).toEqual(['0 check-up 12']);
    expect(sent([entry(0, ...many, { type: 'check-down', id: 'nas' })])).toEqual(['0 digest 13']);
  });

  test('wait for nothing when one of them is urgent', () => {
    const entries = [...up(5), entry(10, { type: 'check-down', id: 'nas' })];
    expect(sent(entries).slice(3)).toEqual(['10 digest 3']);
  });

  test('are each sent or counted once, and are no flood, however they come', () => {
    const entries = Array.from({ length: 200 }, (_, i) =>
      entry(i * 2, { type: i % 7 ? 'check-up' : 'check-down', id: `${i}` }),
    );
    const messages = sent(entries);
    // Of a line of one event, its id is the last word; of a summary, its count.
    const counts = messages.map((line) => (line.includes('digest') ? Number(line.split(' ').at(-1)) : 1));
    expect(messages.length).toBeLessThan(7 * 7);
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(200);
    expect(sent(entries, { format: 'json' })).toHaveLength(200);
  });
});
