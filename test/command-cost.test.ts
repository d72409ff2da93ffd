/** What the functions do for one command, counted: calls to the database and messages are most of its price. */
import { MqttClient } from 'mqtt';
import { expect, test, vi } from 'vitest';
import { sourceOf } from '../shared/agent/topics.ts';
import { startTestSystem } from './test-system.ts';

test('a command is two calls to the database of a sole writer, of six that the cloud makes, and three messages', async () => {
  const system = await startTestSystem();
  const { table } = system.system.parts.context;
  const calls: string[] = [];
  for (const name of ['get', 'getAll', 'list', 'query', 'put', 'update', 'remove', 'transact', 'bulk'] as const) {
    const original = table[name].bind(table) as (...args: unknown[]) => unknown;
    vi.spyOn(table, name).mockImplementation(((...args: unknown[]) => {
      calls.push(name);
      return original(...args);
    }) as never);
  }
  const reachTheDatabase = vi.spyOn(table.client, 'call');
  const sent = vi.spyOn(MqttClient.prototype, 'publishAsync');
  const received = vi.spyOn(MqttClient.prototype, 'handleMessage');
  const run = async () => {
    const before = sent.mock.calls.length;
    expect((await system.request('GET', '/nettools/interfaces')).status).toBe(200);
    // The request, and that its result is stored.
    await vi.waitUntil(() => sent.mock.calls.length === before + 2, { timeout: 60_000 });
  };
  // The first one also notes that the token is in use, so the second one has to read its row again.
  for (let i = 0; i < 2; i++) await run();
  calls.length = 0;
  reachTheDatabase.mockClear();
  const before = sent.mock.calls.length;
  received.mockClear();
  await run();
  // The token, the site, its agents, the job; then the job to be ended, and its end.
  expect(calls.sort()).toEqual(['get', 'get', 'get', 'list', 'put', 'update']);
  expect(reachTheDatabase.mock.calls.map(([operation]) => operation)).toEqual(['PutItem', 'UpdateItem']);
  expect(sent.mock.calls.length - before).toBe(2);
  // On a slow machine the acknowledgement of a short command may come before its result.
  const kinds = received.mock.calls.map(([{ topic }]) => sourceOf(topic)?.kind);
  expect(kinds.filter((kind) => kind !== 'reply')).toEqual(['result']);
  await system.close();
});
