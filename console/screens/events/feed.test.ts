import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { type FeedReader, MAX_PAGES, readFeed, STEP } from './feed.ts';

const START = Date.parse('2026-11-01T08:00:00Z');
const PAGE = 5;

/** An API with the events of some sites, each at a second of its own choice. */
function service(sites: Record<string, readonly number[]>) {
  const requested: string[] = [];
  const broken = new Set<string>();
  const journals = new Map(
    Object.entries(sites).map(([site, seconds]) => [site, seconds.toSorted((a, b) => b - a).map(eventAt)]),
  );
  const heads = [...journals].map(([site, [newest]]) => ({
    site,
    changedAt: newest === undefined ? -Infinity : Date.parse(newest.at) + 400,
  }));
  const reader: FeedReader = {
    async page({ site }, cursor = '0') {
      requested.push(site);
      if (broken.has(site)) throw new Error('it is gone');
      const all = journals.get(site) ?? [];
      const end = Number(cursor) + PAGE;
      return { events: all.slice(end - PAGE, end), unreadable: [], nextCursor: end < all.length ? String(end) : null };
    },
    problemOfSite: ({ message }: Error) => message,
  } as FeedReader;
  return { heads, requested, broken, read: (steps = 1, of = heads) => readFeed(of, steps, reader) };
}

function eventAt(second: number, index: number): DeviceEvent {
  const at = new Date(START + second * 1000).toISOString();
  return { id: `${index}.0`, at, recordedAt: at } as DeviceEvent;
}

const secondsOf = ({ events }: { events: readonly { event: DeviceEvent }[] }) =>
  events.map(({ event }) => (Date.parse(event.at) - START) / 1000);
const range = (length: number, from = 0) => Array.from({ length }, (_, i) => from + i);

test('the events of all sites are one list in order, however they are spread, and whether or not changes are known', async () => {
  const journals = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.array(fc.nat(300), { maxLength: 60 }));
  await fc.assert(
    fc.asyncProperty(journals, fc.boolean(), fc.integer({ min: 1, max: 3 }), async (sites, knowsChanges, steps) => {
      const { heads, read } = service(sites);
      const feed = await read(steps, knowsChanges ? heads : heads.map((head) => ({ ...head, changedAt: Infinity })));
      const all = Object.values(sites)
        .flat()
        .sort((a, b) => b - a);
      expect(secondsOf(feed)).toEqual(all.slice(0, feed.events.length));
      expect(feed.events.length < all.length).toBe(feed.hasMore);
    }),
  );
});

test('the site with the last change is read first, one that never changed not at all', async () => {
  const { requested, read } = service({ never: [], still: range(3), busy: range(2 * STEP, 1_000) });
  expect(await read()).toMatchObject({ hasMore: true, sites: { all: 3 } });
  expect(requested[0]).toBe('busy');
  expect((await read(3)).events).toHaveLength(2 * STEP + 3);
  expect(requested).not.toContain('never');
});

test('many sites cost a bounded number of requests for each step', async () => {
  const { requested, read, heads } = service(Object.fromEntries(range(100).map((n) => [`s${n}`, [n]])));
  await read(
    1,
    heads.map((head) => ({ ...head, changedAt: Infinity })),
  );
  expect(requested).toHaveLength(MAX_PAGES);
});

test('a site that cannot be read is named, and the others are shown', async () => {
  const { broken, read } = service({ a: [1, 2], b: [3] });
  broken.add('a');
  const feed = await read();
  expect(feed).toMatchObject({ hasMore: false, problems: [{ site: 'a', problem: 'it is gone' }] });
  expect(secondsOf(feed)).toEqual([3]);
});
