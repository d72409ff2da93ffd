import { expect, test } from 'vitest';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { belongsTo, inOrder, isInternetMeasured, matches, sumOf, troublesOf } from './attention.ts';

const COUNTS = { my: 5, online: 4, offline: 1, down: 0, new: 0, favorites: 0, archived: 2 };
const UP_TO_DATE = { offlineReason: null, host: null, update: null, updateAvailable: null, ring: null };
const AT = '2026-11-01T08:15:00.000Z';
const site = (changed: Partial<SiteOverview> = {}) =>
  ({
    id: 'cabin',
    name: 'Cabin by the Lake',
    tags: ['rented-out'],
    staleSince: null,
    coverage: { watched: ['192.168.178.0/24'], unwatched: [] },
    devices: COUNTS,
    unknown: 0,
    agents: [{ id: 'cabin:main', state: 'online', since: null, version: null, load: null, ...UP_TO_DATE }],
    darkSince: null,
    outages: { open: 0, devices: 0, since: null },
    internet: { lostSince: null, address: null, provider: null, speed: null },
    checksDown: 0,
    ...changed,
  }) as SiteOverview;
const away = { id: 'cabin:attic', state: 'offline', since: null, version: null, load: null, ...UP_TO_DATE } as const;

test('a site is found by words of its name, its id and its tags, in any letter case and order', () => {
  for (const text of ['', '  ', 'cabin', 'LAKE', 'lake cabin', ' by  the ', 'bin', 'cabin rented']) {
    expect([text, matches(site(), text)]).toEqual([text, true]);
  }
  for (const text of ['attic', 'cabin attic', 'lakecabin'])
    expect([text, matches(site(), text)]).toEqual([text, false]);
});

test('the troubles of a site, the worst first; one without an agent has one trouble for it', () => {
  const speed = { at: AT, downMbps: 3, upMbps: 1, pingMs: 9, slowSince: AT };
  const bad = site({
    devices: { ...COUNTS, down: 2 },
    agents: [...site().agents, away],
    outages: { open: 1, devices: 12, since: AT },
    internet: { ...site().internet, lostSince: AT, speed },
    checksDown: 2,
  });
  expect(troublesOf(site())).toEqual([]);
  expect(troublesOf(site({ agents: [], devices: null }))).toEqual([]);
  expect(troublesOf(bad)).toEqual(['outage', 'internet', 'checks', 'down', 'agents', 'slow']);
  expect(troublesOf({ ...bad, darkSince: AT })).toEqual(['dark', 'outage', 'internet', 'checks', 'down', 'slow']);
  expect(troublesOf({ ...bad, darkSince: AT, staleSince: AT })[0]).toBe('unwatched');
  expect(troublesOf({ ...bad, darkSince: AT, staleSince: AT })).not.toContain('dark');
});

test('trouble comes first, the worst of it before the rest, and the others by name', () => {
  const sites = [
    site({ name: 'Site 10' }),
    site({ name: 'site 2' }),
    site({ name: 'Zoo', devices: { ...COUNTS, down: 1 } }),
    site({ name: 'Attic', agents: [away, ...site().agents] }),
    site({ name: 'Yard', staleSince: AT }),
  ];
  expect(inOrder(sites).map(({ name }) => name)).toEqual(['Yard', 'Zoo', 'Attic', 'site 2', 'Site 10']);
  expect(sites.filter((one) => belongsTo(one, 'trouble')).map(({ name }) => name)).toEqual(['Zoo', 'Attic', 'Yard']);
  expect(sites.filter((one) => belongsTo(one, 'agents')).map(({ name }) => name)).toEqual(['Attic']);
});

test('the sum leaves out unknown numbers', () => {
  const stale = site({ staleSince: AT, devices: { ...COUNTS, down: 2 }, agents: [away] });
  const sum = { devices: 10, online: 8, unknown: 0, agentsAway: 1 };
  expect(sumOf([site(), stale, site({ devices: null })])).toEqual(sum);
});

test('a check or a speed test measures the internet, even while all is well', () => {
  expect(isInternetMeasured(site())).toBe(false);
  expect(isInternetMeasured(site({ internet: { ...site().internet, address: '203.0.113.7' } }))).toBe(true);
});
