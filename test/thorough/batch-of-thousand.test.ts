/** What a batch over a thousand sites takes: rows, units and messages, with agents that are made up. */
import { expect, test } from 'vitest';
import { COMMAND, MESSAGE_TO_ANOTHER } from '../../bench/costs/month.ts';
import type { Batch, BatchSite } from '../../shared/api/batches.ts';
import { withRequestCost } from '../../store/request-cost.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { startFleet } from '../support/fleet.ts';
import { startTestApi } from '../support/in-process.ts';

const LOOKED_UP = {
  output: '192.0.2.7',
  result: { server: '10.0.0.1', name: 'intranet.example.org', addresses: ['192.0.2.7'], names: [] },
};

test('a thousand sites in one batch: no more rows, units and messages for each than the costs in DEPLOY.md are computed with', async () => {
  await using api = await startTestApi();
  const consumed = { readUnits: 0, writeUnits: 0 };
  const stop = aroundCalls(api.context.table, (_, pass) =>
    withRequestCost(async (ofCall) => {
      const done = await pass();
      consumed.readUnits += ofCall.readUnits;
      consumed.writeUnits += ofCall.writeUnits;
      return done;
    }),
  );
  const sites = Array.from({ length: 1_000 }, (_, i) => `s${String(i).padStart(4, '0')}`);
  // As look-ups are: most take some milliseconds, one in fifty a second.
  await using fleet = await startFleet(api, sites, (site) => ({
    ...LOOKED_UP,
    afterMs: site.endsWith('50') ? 1_000 : 10,
  }));
  consumed.readUnits = 0;
  consumed.writeUnits = 0;
  const published = api.broker.published.length;
  const wanted = { tool: 'nslookup', arguments: { devLastIP: 'intranet.example.org' }, sites: '*', atOnce: 200 };
  const { id } = (await api.request('POST', '/batches', { body: wanted })).json as Batch;
  const isOver = async () => (await api.context.batches.find(id))?.progress.endedAt ?? null;
  await expect.poll(isOver, { timeout: 180_000, interval: 1_000 }).not.toBeNull();
  stop();
  const messages = api.broker.published.slice(published).filter(({ topic }) => !topic.includes('/p/'));
  const batch = (await api.request('GET', `/batches/${id}`)).json as Batch;
  // Site home has no agent.
  expect(batch.counts).toMatchObject({ succeeded: 1_000, failed: 1 });
  expect(new Set(fleet.requests.map(({ site }) => site)).size).toBe(1_000);
  const took = Date.parse(batch.endedAt ?? '') - Date.parse(batch.createdAt);
  const each = {
    readUnits: consumed.readUnits / 1_000,
    writeUnits: consumed.writeUnits / 1_000,
    messages: messages.length / 1_000,
  };
  // Shown, because it is the simulation of such a batch.
  process.stderr.write(`a batch over 1,000 sites: ${JSON.stringify({ tookMs: took, ofEach: each })}\n`);
  expect(each.writeUnits).toBeLessThanOrEqual(COMMAND.writeUnits);
  // Besides what a command reads: the batch once a second, and its jobs where they end at another turn.
  expect(each.readUnits).toBeLessThanOrEqual(COMMAND.readUnits);
  // From one to another: sent, delivered, and acknowledged.
  expect(Math.floor(each.messages * MESSAGE_TO_ANOTHER)).toBeLessThanOrEqual(COMMAND.messages);
  // Pages of the sites are read a hundred at a time.
  const { json } = await api.request('GET', `/batches/${id}?limit=500&state=failed`);
  expect((json as { results: BatchSite[] }).results.map(({ site }) => site)).toEqual(['home']);
});
