import { expect, test } from 'vitest';
import { matches, needsAttention, type SiteAbout, sumOf, troublesOf } from './attention.ts';

const COUNTS = { my: 5, online: 4, offline: 1, down: 0, new: 0, favorites: 0, archived: 2 };
const UP_TO_DATE = {
  offlineReason: null,
  host: null,
  update: null,
  updateAvailable: null,
  ring: null,
};
const site = (changed: Partial<SiteAbout> = {}): SiteAbout => ({
  id: 'cabin',
  name: 'Cabin by the Lake',
  staleSince: null,
  devices: COUNTS,
  agents: [{ id: 'cabin:main', state: 'online', since: null, version: null, load: null, ...UP_TO_DATE }],
  darkSince: null,
  outages: { open: 0, devices: 0, since: null },
  internet: { lostSince: null, address: null, provider: null, speed: null },
  checksDown: 0,
  ...changed,
});
const away = { id: 'cabin:attic', state: 'offline', since: null, version: null, load: null, ...UP_TO_DATE } as const;

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

test('what is wrong with a site as a whole; a site without an agent says so once', () => {
  const at = '2026-11-01T08:15:00.000Z';
  const speed = { at, downMbps: 3, upMbps: 1, pingMs: 9, slowSince: at };
  const bad: SiteAbout = site({
    darkSince: at,
    outages: { open: 1, devices: 12, since: at },
    internet: { ...site().internet, lostSince: at, speed },
    checksDown: 2,
  });
  expect(troublesOf(site())).toEqual([]);
  expect(troublesOf(bad)).toEqual(['dark', 'outage', 'internet', 'checks', 'slow']);
  expect(troublesOf({ ...bad, staleSince: at })).not.toContain('dark');
  expect(needsAttention(site({ checksDown: 1 }))).toBe(true);
});
