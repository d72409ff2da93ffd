import { expect, test } from 'vitest';
import type { Scope } from '../../shared/identity.ts';
import { siteOfAddress } from '../ui/site-of-address.ts';
import { entriesFor, isCurrent, placeOf, placesFor, placesOfSiteFor, samePlaceOfSite } from './places.ts';

const rightsOf = (scopes: readonly Scope[], isForAllSites = false) => ({
  may: (scope: Scope) => scopes.includes(scope),
  isForAllSites,
});
const pathsOf = (places: readonly { path: string }[]) => places.map(({ path }) => path);
const linesOf = (scopes: readonly Scope[], site: string | null) =>
  entriesFor(rightsOf(scopes), site).map(({ label, root, tabs }) => [label, root + tabs[0].path]);

test('an entry of the side bar leads to the first of its tabs that the token may see', () => {
  const all = linesOf(['devices:read', 'nettools:run', 'admin'], 'home');
  expect(all.map(([label]) => label).join(' ')).toBe('Overview Devices Map Activity Monitoring Tools Settings');
  expect(all.slice(3, 5).map(([, to]) => to)).toEqual(['/sites/home/changes', '/sites/home/internet']);
  expect(linesOf(['devices:read'], 'home').at(-1)).toEqual(['Tools', '/sites/home/schedules']);
  expect(linesOf(['devices:read', 'nettools:run', 'admin'], null)).toEqual([
    ['Sites', '/'],
    ['Activity', '/events'],
    ['Fleet', '/batches'],
    ['Admin', '/admin/people'],
  ]);
  expect(linesOf(['devices:read'], null).at(-1)).toEqual(['Fleet', '/matrix']);
  expect(linesOf([], null)).toEqual([]);
});

test('a screen that has a key has one of its own, and is found by its own name', () => {
  const places = placesOfSiteFor(rightsOf(['devices:read', 'nettools:run', 'admin']));
  expect(places.map(({ keys }) => keys?.replace('g ', '')).join('')).toBe('odmceihtrs,n');
  const labels =
    'Overview Devices Map Changes Events Report Internet Checks Tools Runs Schedules Settings Notifications Agents';
  expect(places.map(({ label }) => label).join(' ')).toBe(labels);
  expect(pathsOf(placesOfSiteFor(rightsOf(['nettools:run'])))).toEqual(['/tools', '/runs', '/agents']);
});

test('only an administrator of all sites may add one', () => {
  expect(pathsOf(placesFor(rightsOf(['admin'])))).not.toContain('/add-site');
  expect(pathsOf(placesFor(rightsOf(['admin'], true)))).toContain('/add-site');
});

test.each([
  ['/', 'Sites', 'Sites'],
  ['/sites/home', 'Overview', 'Overview'],
  ['/sites/home/devices/AA:BB:CC:DD:EE:FF', 'Devices', 'Devices'],
  ['/sites/home/checks/1', 'Monitoring', 'Checks'],
  ['/sites/home/notifications', 'Settings', 'Notifications'],
  ['/matrix', 'Fleet', 'Site to site'],
  ['/admin/audit', 'Admin', 'Audit log'],
  ['/admin/nothing', 'Admin', undefined],
  ['/sites/home/nothing', undefined, undefined],
  ['/nothing', undefined, undefined],
])('%s belongs to the entry %s and the screen %s', (address, label, place) => {
  const entries = entriesFor(rightsOf(['devices:read', 'nettools:run', 'admin']), siteOfAddress(address));
  expect(entries.filter((entry) => isCurrent(address, entry)).map((entry) => entry.label)).toEqual(
    label === undefined ? [] : [label],
  );
  expect(placeOf(address)?.label).toBe(place);
});

test.each([
  ['/sites/home/devices', 'home'],
  ['/sites/home/devices/AA:BB:CC:DD:EE:FF', 'home'],
  ['/add-site', null],
  ['/sites/home', 'home'],
  ['/events', null],
  ['/', null],
])('the site of %s is %s', (address, site) => expect(siteOfAddress(address)).toBe(site));

test.each([
  ['/sites/home/map', '/sites/office/map'],
  ['/sites/home/devices/AA:BB:CC:DD:EE:FF', '/sites/office/devices'],
  ['/sites/home/no-such-screen', '/sites/office'],
  ['/sites/home', '/sites/office'],
  ['/events', '/sites/office/events'],
  ['/', '/sites/office'],
])('from %s another site is reached at %s', (address, to) => expect(samePlaceOfSite(address, 'office')).toBe(to));
