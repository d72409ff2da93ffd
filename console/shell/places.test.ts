import { expect, test } from 'vitest';
import type { Scope } from '../../shared/identity.ts';
import { siteOfAddress } from '../ui/site-of-address.ts';
import { foundPlacesFor, placeOf, placesOfSiteFor, samePlaceOfSite, slotsFor } from './places.ts';

const rightsOf = (scopes: readonly Scope[], isForAllSites = false) => ({
  may: (scope: Scope) => scopes.includes(scope),
  isForAllSites,
});
const pathsOf = (places: readonly { path: string }[]) => places.map(({ path }) => path);

test('a token is led only where it may go', () => {
  expect(pathsOf(slotsFor(rightsOf(['devices:read'])))).toEqual(['/', '/events', '/matrix']);
  const ofReader = ['', '/devices', '/map', '/changes', '/internet', '/checks', '/schedules', '/events'];
  expect(pathsOf(placesOfSiteFor(rightsOf(['devices:read'])))).toEqual(ofReader);
  expect(pathsOf(placesOfSiteFor(rightsOf(['nettools:run'])))).toEqual(['/tools', '/runs']);
  expect(slotsFor(rightsOf([]))).toEqual([]);
});

test('only an administrator of all sites may add one', () => {
  expect(pathsOf(foundPlacesFor(rightsOf(['admin'])))).not.toContain('/add-site');
  expect(pathsOf(foundPlacesFor(rightsOf(['admin'], true)))).toContain('/add-site');
});

test.each([
  ['/', 'Overview'],
  ['/sites/home', 'Overview'],
  ['/sites/home/devices/AA:BB:CC:DD:EE:FF', 'Devices'],
  ['/admin/tokens', 'Tokens'],
  ['/admin/audit', 'Audit log'],
  ['/admin/nothing', 'Admin'],
  ['/sites/home/nothing', undefined],
  ['/nothing', undefined],
])('%s belongs to %s', (address, label) => expect(placeOf(address)?.label).toBe(label));

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
