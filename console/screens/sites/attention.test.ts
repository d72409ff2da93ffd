import { expect, test } from 'vitest';
import { matches, needsAttention, type SiteAbout, sumOf } from './attention.ts';

const COUNTS = { my: 5, online: 4, offline: 1, down: 0, new: 0, favorites: 0, archived: 2 };
const site = (changed: Partial<SiteAbout> = {}): SiteAbout => ({
  id: 'cabin',
  name: 'Cabin by the Lake',
  staleSince: null,
  devices: COUNTS,
  agents: [{ id: 'cabin:main', state: 'online', since: null, version: null, load: null }],
  ...changed,
});
const away = { id: 'cabin:attic', state: 'offline', since: null, version: null, load: null } as const;

test('a site is found by words of its name and by its id, in any letter case and order', () => {
  for (const text of ['', '  ', 'cabin', 'LAKE', 'lake cabin', ' by  the ', 'bin']) {
    expect([text, matches(site(), text)]).toEqual([text, true]);
  }
  for (const text of ['attic', 'cabin attic', 'lakecabin'])
    expect([text, matches(site(), text)]).toEqual([text, false]);
});

test('attention: a site that no agent watches, one with an agent away, one with a device that is down', () => {
  expect(needsAttention(site())).toBe(false);
  expect(needsAttention(site({ agents: [], devices: null }))).toBe(false);
  expect(needsAttention(site({ staleSince: '2026-11-01T08:15:00.000Z' }))).toBe(true);
  expect(needsAttention(site({ agents: [...site().agents, away] }))).toBe(true);
  expect(needsAttention(site({ devices: { ...COUNTS, down: 1 } }))).toBe(true);
});

test('the sum leaves out what is not known', () => {
  const stale = site({ staleSince: '2026-11-01T08:15:00.000Z', devices: { ...COUNTS, down: 2 } });
  expect(sumOf([site(), stale, site({ devices: null })])).toEqual({ devices: 10, down: 2, unwatched: 1 });
});
