import { expect, test } from 'vitest';
import type { Log } from '../../shared/log.ts';
import { memoryTable } from '../../test/test-table.ts';
import type { SiteStore } from '../sites/site-store.ts';
import { openStores } from '../stores.ts';
import { openIngest } from './ingest.ts';

const now = () => new Date();
const STORES = openStores(memoryTable().open(), now);
const UNUSED = { ...STORES, registry: {} as never, agents: {} as never, now };
const EVENT = {
  clientId: 'local:home:attic',
  eventType: 'connected',
  timestamp: 1_790_000_000_000,
  versionNumber: 0,
  principalIdentifier: '0a1b',
};

/** An ingest whose stores note what they are given. */
function noted() {
  const stored: unknown[] = [];
  const warnings: string[] = [];
  const log: Log = { info: () => {}, warn: (_, message) => warnings.push(message), error: () => {} };
  const recordConnectionEvent: SiteStore['recordConnectionEvent'] = async (agent, event) => {
    stored.push([agent, event]);
    return true;
  };
  const sites = { ...STORES.sites, recordConnectionEvent, updateStaleness: async () => {} };
  const ingest = openIngest({ ...UNUSED, sites }, log);
  const tell = (text: string) => ingest.connection('home:attic', Buffer.from(text));
  return { stored, warnings, tell };
}

test('an event of the broker is stored, whatever else it says', async () => {
  const { stored, warnings, tell } = noted();
  await tell(JSON.stringify({ ...EVENT, sessionIdentifier: 'x', thingName: 'local:home:attic' }));
  expect(stored).toEqual([['home:attic', EVENT]]);
  expect(warnings).toEqual([]);
});

test.each([
  ['is no JSON', 'hello'],
  ['is about a connection that was refused', JSON.stringify({ ...EVENT, eventType: 'connect_failed' })],
  ['has no number', JSON.stringify({ ...EVENT, versionNumber: undefined })],
  ['is about another client', JSON.stringify({ ...EVENT, clientId: 'local:home:cellar' })],
])('an event that %s is dropped, with a word in the log', async (_, text) => {
  const { stored, warnings, tell } = noted();
  await tell(text);
  expect(stored).toEqual([]);
  expect(warnings).toHaveLength(1);
});

test('a payload that is longer than any presence message is not even parsed', async () => {
  const warnings: object[] = [];
  const log: Log = { info: () => {}, warn: (fields) => warnings.push(fields), error: () => {} };
  const ingest = openIngest(UNUSED, log);
  await ingest.presence('home:attic', Buffer.from(JSON.stringify({ networks: Array(20_000).fill(0) })));
  expect(warnings).toMatchObject([{ agentId: 'home:attic', problem: expect.stringMatching(/^\d+ bytes; expected/) }]);
});
