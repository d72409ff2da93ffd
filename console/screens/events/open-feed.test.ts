import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { Head, SiteEvent } from './feed.ts';
import { type Feed, MAX_REQUESTS, openFeed, STEP } from './open-feed.ts';

const START = Date.parse('2026-11-01T08:00:00Z');
const never = new AbortController().signal;

/** An API with the events of some sites, each at a second of its own choice. */
function service(sites: Record<string, number[]> = {}, { knowsChanges = true } = {}) {
  const journals = new Map<string, DeviceEvent[]>();
  const requests: string[] = [];
  let broken: string | null = null;

  function happen(site: string, second: number): void {
    const events = journals.get(site) ?? [];
    const at = new Date(START + second * 1000).toISOString();
    const id = `${1_000 + events.length}.0`;
    const device = { mac: '', key: `~${id}`, name: `${site} ${id}` };
    events.push({
      id,
      at,
      recordedAt: at,
      type: 'renamed',
      device,
      changes: {},
      actor: '0123456789abcdef',
      cause: 'edit',
    });
    journals.set(site, events);
  }

  for (const [site, seconds] of Object.entries(sites)) {
    journals.set(site, []);
    for (const second of seconds.toSorted((a, b) => a - b)) happen(site, second);
  }

  const feed = openFeed(
    {
      async heads(): Promise<Head[]> {
        return [...journals].map(([site, events]) => {
          const last = events.at(-1);
          const changedAt = last === undefined ? -Infinity : Date.parse(last.at) + 400;
          return { site, changedAt: knowsChanges ? changedAt : Infinity };
        });
      },
      async page(site, { limit, cursor }) {
        requests.push(site);
        if (site === broken) throw new Error('it is gone');
        const all = (journals.get(site) ?? []).toReversed();
        const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
        const events = all.slice(start, start + limit);
        const last = events.at(-1);
        return { events, unreadable: [], nextCursor: events.length < limit || last === undefined ? null : last.id };
      },
      problemOfSite: (error) => (error instanceof Error && error.message === 'it is gone' ? error.message : null),
    },
    { pageSize: 5 },
  );

  return {
    feed,
    requests,
    happen,
    breakDown: (site: string | null) => {
      broken = site;
    },
    all: () =>
      [...journals]
        .flatMap(([site, events]) => events.map((event) => `${event.at} ${site} ${event.id}`))
        .sort()
        .reverse(),
  };
}

const named = (entries: readonly SiteEvent[]) => entries.map(({ site, event }) => `${event.at} ${site} ${event.id}`);
const times = (entries: readonly SiteEvent[]) => entries.map(({ event }) => event.at);

async function readAll(feed: Feed): Promise<void> {
  await feed.refresh(never);
  for (let steps = 0; feed.state().hasMore && steps < 1_000; steps++) await feed.more(never);
}

describe('the events of many sites', () => {
  test('come in order of time, each once, however they are spread', async () => {
    const seconds = fc.array(fc.nat(5_000), { maxLength: 60 });
    const sites = fc.dictionary(fc.constantFrom(...'abcdefghij'), seconds, { maxKeys: 10 });
    await fc.assert(
      fc.asyncProperty(sites, fc.boolean(), async (wanted, knowsChanges) => {
        const { feed, all } = service(wanted, { knowsChanges });
        await feed.refresh(never);
        for (let steps = 0; steps < 1_000; steps++) {
          const shown = feed.state().events;
          expect(times(shown)).toEqual(
            all()
              .slice(0, shown.length)
              .map((text) => text.split(' ')[0]),
          );
          if (!feed.state().hasMore) break;
          await feed.more(never);
        }
        expect(named(feed.state().events).sort().reverse()).toEqual(all());
      }),
      { numRuns: 60 },
    );
  });

  test('of hundreds are read only as far as they are shown, with few requests each time', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`site-${i}`, Array.from({ length: 4 }, (_, n) => i * 100 + n)]),
    );
    const { feed, requests, all } = service(many);
    await feed.refresh(never);
    expect(requests.length).toBeLessThanOrEqual(MAX_REQUESTS);
    expect(times(feed.state().events)).toEqual(timesOf(all()).slice(0, feed.state().events.length));
    expect(feed.state()).toMatchObject({ hasMore: true, sites: { all: 500 } });
    await feed.more(never);
    expect(requests.length).toBeLessThanOrEqual(2 * MAX_REQUESTS);
    expect(feed.state().events.length).toBeGreaterThan(STEP);
    await feed.refresh(never); // The rest of what was wanted.
    // Nothing has changed, and all that was wanted is here: nobody is asked.
    const before = requests.length;
    expect(before).toBeLessThanOrEqual(3 * MAX_REQUESTS);
    await feed.refresh(never);
    expect(requests.length).toBe(before);
  });

  test('are asked for again only where something has changed', async () => {
    const { feed, requests, happen } = service({ a: [1, 2], b: [3, 4], c: [5] });
    await feed.refresh(never);
    requests.length = 0;
    happen('b', 10);
    await feed.refresh(never);
    expect(requests).toEqual(['b']);
    expect(feed.state().held).toBe(1);
  });

  test('of a site that cannot be asked hide those of no other', async () => {
    const { feed, breakDown } = service({ a: [1, 2], b: [3, 4] });
    breakDown('b');
    await feed.refresh(never);
    expect(feed.state().problems).toEqual([{ site: 'b', problem: 'it is gone' }]);
    expect(feed.state().events).toHaveLength(2);
  });

  test('of a site that is new while one looks are there', async () => {
    const { feed, happen } = service({ a: [1, 2] });
    await readAll(feed);
    happen('later', 1);
    happen('later', 20);
    await feed.refresh(never);
    feed.release();
    expect(feed.state().events.map(({ site }) => site)).toEqual(['later', 'a', 'a', 'later']);
  });
});

describe('what is new', () => {
  test('is held back until somebody wants it, and then stands at the top', async () => {
    const { feed, happen } = service({ home: [1, 2, 3] }, { knowsChanges: false });
    await readAll(feed);
    const before = named(feed.state().events);
    happen('home', 60);
    happen('home', 61);
    await feed.refresh(never);
    expect(named(feed.state().events)).toEqual(before);
    expect(feed.state().held).toBe(2);
    feed.release();
    expect(feed.state().held).toBe(0);
    expect(named(feed.state().events).slice(2)).toEqual(before);
    await feed.refresh(never);
    expect(feed.state().events).toHaveLength(5);
  });

  test('leaves no gap, however much it is', async () => {
    const { feed, happen, all } = service({ home: Array.from({ length: 40 }, (_, i) => i) }, { knowsChanges: false });
    await feed.refresh(never);
    for (let i = 0; i < 300; i++) happen('home', 1_000 + i);
    await feed.refresh(never);
    expect(feed.state().held).toBe(300);
    feed.release();
    await readAll(feed);
    expect(named(feed.state().events)).toEqual(all());
  });

  test('is found beside older ones that are wanted at the same moment', async () => {
    const { feed, happen, all } = service({ home: Array.from({ length: 250 }, (_, i) => i) }, { knowsChanges: false });
    await feed.refresh(never);
    happen('home', 1_000);
    await Promise.all([feed.refresh(never), feed.more(never), feed.refresh(never)]);
    feed.release();
    await readAll(feed);
    expect(named(feed.state().events)).toEqual(all());
  });

  test('comes to a site in which nothing had happened', async () => {
    const { feed, happen } = service({ home: [] }, { knowsChanges: false });
    await readAll(feed);
    expect(feed.state()).toMatchObject({ isRead: true, events: [], hasMore: false });
    for (let i = 0; i < 12; i++) happen('home', i);
    await feed.refresh(never);
    feed.release();
    await readAll(feed);
    expect(feed.state().events).toHaveLength(12);
  });
});

function timesOf(all: readonly string[]): string[] {
  return all.map((text) => text.split(' ')[0] ?? '');
}
