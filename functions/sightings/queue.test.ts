import { expect, test } from 'vitest';
import { topics } from '../../shared/agent/topics.ts';
import { LOCAL_STAGE } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import type { Ingest } from './ingest.ts';
import { ingestQueued, type QueueRecord } from './queue.ts';

const warnings: string[] = [];
const log: Log = { info: () => {}, warn: (_, message) => warnings.push(message), error: () => {} };

let sent = 0;
function record(topic: string, text: string): QueueRecord {
  return { messageId: `m${++sent}`, body: JSON.stringify({ topic, payload: Buffer.from(text).toString('base64') }) };
}

/** Notes what it is given; refuses what says so. */
function recorder(): { ingest: Ingest; given: string[] } {
  const given: string[] = [];
  const take = (kind: string) => async (agent: string, payload: Uint8Array) => {
    const text = Buffer.from(payload).toString();
    await new Promise((resolve) => setTimeout(resolve, text === 'slow' ? 20 : 0));
    if (text === 'refuse') throw new Error('the database is down');
    given.push(`${kind} ${agent} ${text}`);
  };
  const kinds = ['result', 'presence', 'sightings', 'measurements', 'connection'];
  return { given, ingest: Object.fromEntries(kinds.map((kind) => [kind, take(kind)])) as unknown as Ingest };
}

test('the agent and the kind of a message are taken from its topic', async () => {
  const { ingest, given } = recorder();
  const records = [
    record(topics.result('lr-local-0123456789abcdef', 'local:home:attic'), 'ended'),
    record(topics.presence('local:office:lab'), 'here'),
    record(topics.sightings('local:office:hall'), 'seen'),
    record(topics.connection('connected', 'local:office:shed'), 'in'),
    record(topics.connection('disconnected', 'local:office:desk'), 'out'),
  ];
  expect(await ingestQueued(LOCAL_STAGE, ingest, records, log)).toEqual([]);
  expect(given).toEqual([
    'result home:attic ended',
    'presence office:lab here',
    'sightings office:hall seen',
    'connection office:shed in',
    'connection office:desk out',
  ]);
});

test('messages of one agent keep their order, and do not hold up those of another', async () => {
  const { ingest, given } = recorder();
  const records = [
    record(topics.presence('local:home:attic'), 'slow'),
    record(topics.presence('local:home:attic'), 'second'),
    record(topics.presence('local:office:lab'), 'other'),
  ];
  await ingestQueued(LOCAL_STAGE, ingest, records, log);
  expect(given).toEqual(['presence office:lab other', 'presence home:attic slow', 'presence home:attic second']);
});

test('only what failed comes again', async () => {
  const { ingest, given } = recorder();
  const bad = record(topics.presence('local:home:attic'), 'refuse');
  const records = [
    bad,
    record(topics.presence('local:home:attic'), 'fine'),
    record(topics.presence('local:office:lab'), 'fine'),
  ];
  expect(await ingestQueued(LOCAL_STAGE, ingest, records, log)).toEqual([bad.messageId]);
  expect(given).toHaveLength(2);
});

test.each([
  ['no JSON', { messageId: 'x', body: 'hello' }],
  ['no topic', { messageId: 'x', body: '{"payload":""}' }],
  ['no base64', { messageId: 'x', body: '{"topic":"lr/v1/local/p/local:home:attic","payload":"{}"}' }],
  ['a foreign topic', record('lr/v1/local/a/local:home:attic/req', 'x')],
  ['an agent that cannot exist', record('lr/v1/local/p/Home', 'x')],
  ['the connection of a function', record(topics.connection('connected', 'lr-local-0123456789abcdef'), 'x')],
  ['a connection that was refused', record('$aws/events/presence/connect_failed/home:attic', 'x')],
  ['a topic that ingest does not take', record(topics.reply('lr-local-0123456789abcdef', 'local:home:attic'), 'x')],
])('%s is dropped for good, with a word in the log', async (_, bad) => {
  warnings.length = 0;
  const { ingest, given } = recorder();
  expect(await ingestQueued(LOCAL_STAGE, ingest, [bad], log)).toEqual([]);
  expect(given).toEqual([]);
  expect(warnings).toEqual(['dropped a message with an unexpected form or topic']);
});
