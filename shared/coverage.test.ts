import { expect, test } from 'vitest';
import { type Coverage, networksOf, type Watchable, watchIn } from './coverage.ts';

const T1 = Date.parse('2026-11-01T08:00:00.000Z');
const T2 = Date.parse('2026-11-01T09:00:00.000Z');
const coverage: Coverage = {
  watched: ['192.168.1.0/24', 'main'],
  ended: new Map([
    ['10.0.7.0/24', T1],
    ['10.0.8.0/23', T2],
    ['attic', T1],
    ['constructor', T2],
  ]),
};
const state = (device: Partial<Watchable>, of: Coverage = coverage) =>
  watchIn(of)({ devLastIP: '', devAddresses: '', agents: [], ...device });
const WATCHED = { state: 'watched', since: null };
const NEVER = { state: 'never-watched', since: null };
const since = (at: number | null) => ({ state: 'unwatched', since: at === null ? null : new Date(at).toISOString() });

test('the addresses of a device say whether it is watched, was watched until a time, or never was', () => {
  expect(state({ devLastIP: '192.168.1.20' })).toEqual(WATCHED);
  expect(state({ devLastIP: '192.168.2.20' })).toEqual(NEVER);
  expect(state({ devLastIP: '10.0.7.20' })).toEqual(since(T1));
  expect(state({ devLastIP: '10.0.9.255' })).toEqual(since(T2));
  expect(state({ devLastIP: '10.0.10.0' })).toEqual(NEVER);
});

test('one address that is watched is enough, and of networks that were watched the last one counts', () => {
  expect(state({ devLastIP: '10.0.7.20', devAddresses: '10.0.7.20,192.168.1.20,fd00::1' })).toEqual(WATCHED);
  expect(state({ devLastIP: '10.0.7.20', devAddresses: '10.0.7.20,10.0.8.1' })).toEqual(since(T2));
  // An agent that has seen it in a network that it has left since does not see it any more.
  expect(state({ devLastIP: '10.0.7.20', agents: ['main'] })).toEqual(since(T1));
});

test('a device without an IPv4 address is watched as long as an agent that has said something of it watches', () => {
  expect(state({ devLastIP: 'fd00::1', agents: ['main', 'attic'] })).toEqual(WATCHED);
  expect(state({ devLastIP: 'fd00::1', agents: ['attic'] })).toEqual(since(T1));
  expect(state({ agents: ['attic', 'constructor'] })).toEqual(since(T2));
  expect(state({ agents: ['toString'] })).toEqual(since(null));
  expect(state({ devLastIP: 'fd00::1' })).toEqual(NEVER);
});

test('without any monitoring before, no device was ever monitored', () => {
  const nothing: Coverage = { watched: [], ended: new Map() };
  expect(state({ devLastIP: '192.168.1.20' }, nothing)).toEqual(NEVER);
});

test('a text that is no address or no network matches nothing', () => {
  const odd: Coverage = { watched: ['fd00::/64', 'x/24', '10.0.0.0/'], ended: new Map([['1.2.3.4/x', T1]]) };
  for (const devLastIP of ['', 'junk', '1.2.3', '10.0.0.1', '1.2.3.4', 'fd00::1']) {
    expect(state({ devLastIP }, odd)).toEqual(NEVER);
  }
});

test('the networks are reported without the agents', () => {
  expect(networksOf(coverage)).toEqual({
    watched: ['192.168.1.0/24'],
    unwatched: [
      { network: '10.0.7.0/24', since: '2026-11-01T08:00:00.000Z' },
      { network: '10.0.8.0/23', since: '2026-11-01T09:00:00.000Z' },
    ],
  });
});
