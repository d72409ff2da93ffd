import { expect, test } from 'vitest';
import type { Log } from '../../shared/log.ts';
import { openIngest } from '../../test/support/background-work.ts';
import { memoryTable } from '../../test/test-table.ts';
import { openStores } from '../stores.ts';

const now = () => new Date();
const STORES = openStores(memoryTable().open(), now);
const EVENT = {
  clientId: 'local:home:attic',
  eventType: 'connected',
  timestamp: 1_790_000_000_000,
  versionNumber: 0,
  principalIdentifier: '0a1b',
};

/** An ingest that may store no event, and what it has warned of. */
function open() {
  const warnings: object[] = [];
  const log: Log = { info: () => {}, warn: (fields) => warnings.push(fields), error: () => {} };
  const sites = { ...STORES.sites, recordConnectionEvent: () => expect.fail('stored') };
  const ingest = openIngest({ ...STORES, sites, registry: {} as never, agents: {} as never, now }, log);
  return { ingest, warnings };
}

test.each([
  ['is no JSON', 'hello'],
  ['is about a connection that was refused', JSON.stringify({ ...EVENT, eventType: 'connect_failed' })],
  ['has no number', JSON.stringify({ ...EVENT, versionNumber: undefined })],
  ['is about another client', JSON.stringify({ ...EVENT, clientId: 'local:home:cellar' })],
])('an event that %s is dropped, with a word in the log', async (_, text) => {
  const { ingest, warnings } = open();
  await ingest.connection('home:attic', Buffer.from(text));
  expect(warnings).toHaveLength(1);
});

test('a payload that is longer than any presence message is not even parsed', async () => {
  const { ingest, warnings } = open();
  await ingest.presence('home:attic', Buffer.from(JSON.stringify({ networks: Array(20_000).fill(0) })));
  expect(warnings).toMatchObject([{ agentId: 'home:attic', problem: expect.stringMatching(/^\d+ bytes; expected/) }]);
});
