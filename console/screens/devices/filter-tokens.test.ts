import { expect, test } from 'vitest';
import type { Facets } from '../../../shared/api/device-list.ts';
import { isNamed, proposalsFor, tokensOf } from './filter-tokens.ts';
import { formatView, listQuery, parseView } from './view.ts';

const facet = (...values: string[]) => ({ values: values.map((value) => ({ value, count: 2 })), truncated: false });
const FACETS: Facets = {
  type: facet('Camera', 'Phone', ''),
  group: facet('Cameras at the door'),
  vendor: facet('Canon', 'Apple'),
  model: facet(),
  online: 0,
  offline: 0,
  down: 0,
  unknown: 0,
  named: 0,
};
const proposals = (typed: string) => proposalsFor(typed, FACETS, null).map(({ label }) => label);

test('nothing typed: the filters; a word: those that have it; a name and a colon: its values', () => {
  expect(proposals('')).toEqual(['Status:', 'Type:', 'Group:', 'Vendor:', 'Monitoring:', 'Port:']);
  expect(proposals('cam')).toEqual(['Type: Camera', 'Group: Cameras at the door']);
  expect(proposals('v')).toEqual(['Vendor:', 'Status: Favourites', 'Status: Archive']);
  expect(proposals('type:')).toEqual(['Type: Camera', 'Type: Phone', 'Type: (none)']);
  expect(proposals('STATUS: do')).toEqual(['Status: Down']);
  expect(proposals('port: 22')).toEqual(['Port: 22']);
  expect(proposals('port: 70000')).toEqual([]);
  expect(proposals('no such thing')).toEqual([]);
  expect(['type:x', 'port:', 'fd00::1', '00:1e:06', 'nas'].map(isNamed)).toEqual([true, true, false, false, false]);
});

test('a view goes through the address, and its filters are tokens that can be taken away', () => {
  const query = new URLSearchParams('status=down&type=&group=rack&port=22&watch=unknown&by=subnet&sort=-ip');
  const view = parseView(query);
  expect(parseView(formatView(view))).toEqual(view);
  expect(tokensOf(view).map(({ name, value }) => `${name} ${value}`)).toEqual([
    'status Down',
    'type (none)',
    'group rack',
    'watch not monitored',
    'port 22',
  ]);
  const rest = Object.assign({}, view, ...tokensOf(view).map(({ without }) => without));
  expect(tokensOf(rest)).toEqual([]);
  expect(listQuery(rest)).toEqual({ status: 'my', sort: '-ip', groupBy: 'subnet' });
  expect(parseView(new URLSearchParams('port=0&by=colour&status=x'))).toMatchObject({ port: null, by: 'new' });
});
