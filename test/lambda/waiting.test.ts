/** What waits leaves room for what must not wait, in an account that answers ten requests at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Request } from '../../shared/agent/messages.ts';
import { isFinal } from '../../shared/agent/messages.ts';
import { admin } from '../../shared/api/admin.ts';
import { jobs } from '../../shared/api/jobs.ts';
import { rows } from '../../store/rows.ts';
import type { RequestOptions, Response } from '../api-client.ts';
import { ackFor, type EnrolledAgent, resultFor, type StandIn, startStandIn } from '../support/enrolled-agent.ts';
import { enrolInCloud } from './agents.ts';
import { type Cloud, HOME, startCloud } from './cloud.ts';
import { neededRuntime, ROOT, runtime } from './needed-runtime.ts';

const CALLERS = 50;
const STREAMS = 5;
const PLACES = 5;
/** A caller that is refused comes back sooner than it is asked to. */
const BACK_AFTER_MS = 1_000;
/** Fifteen processes start, and fifty callers compete for the room that is left, on whatever machine this is. */
const PATIENTLY = { timeout: 240_000 };
const SCAN = { scan: '127.0.0.0/24', mode: 'detail' };

describe.skipIf(runtime === null)('waiting', () => {
  let cloud: Cloud;
  let enrolled: EnrolledAgent;
  let agent: StandIn;
  /** Statuses of all answers, but those of streams. */
  const statuses: number[] = [];

  beforeAll(async () => {
    // The waits of this test end when the commands do, so that it needs no clock.
    cloud = await startCloud(ROOT, neededRuntime(), { LONGEST_WAIT: '280', WAITING_CALLS: String(PLACES) });
    enrolled = await enrolInCloud(cloud, HOME, 'stand-in');
    agent = await startStandIn(cloud, enrolled);
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await enrolled?.[Symbol.asyncDispose]();
    await cloud?.[Symbol.asyncDispose]();
  });

  /** A request that is sent again while Lambda refuses it, as the answer asks for. */
  async function persistently(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    for (;;) {
      const answer = await cloud.request(method, path, options);
      statuses.push(answer.status);
      if (answer.status !== 503) return answer;
      expect(answer.headers.get('retry-after')).not.toBeNull();
      await sleep(BACK_AFTER_MS * (0.5 + Math.random()));
    }
  }

  async function placesTaken(): Promise<number> {
    const places = Array.from({ length: PLACES }, (_, place) =>
      cloud.context.table.get(rows.waitSlot(place), { consistent: true }),
    );
    return (await Promise.all(places)).filter((row) => Number(row?.lease ?? 0) > Date.now()).length;
  }

  test('50 callers of long scans and 5 streams that come again and again: a token is revoked, results are stored, nobody gets 500', async () => {
    const { id: tokenId, token } = admin.createToken.response.parse(
      (await persistently('POST', '/tokens', { body: { name: 'lost', scopes: ['devices:read'], sites: [HOME] } })).json,
    );
    // One token has a place for one stream.
    const ofStreams = await Promise.all(
      Array.from({ length: STREAMS }, async (_, i) => {
        const body = { name: `stream ${i}`, scopes: ['nettools:run'], sites: [HOME] };
        return admin.createToken.response.parse((await persistently('POST', '/tokens', { body })).json).token;
      }),
    );
    cloud.account.concurrency = 10;
    cloud.functions.nettools.concurrency = 10;
    const over = new AbortController();
    const taken: Request[] = [];
    let isEnding = false;
    const end = (request: Request) => agent.say(request.replyTo, resultFor(request, { output: 'scanned\n' }));
    const answering = (async () => {
      for (;;) {
        const request = await agent.request(over.signal).catch(() => null);
        if (request === null) return;
        await agent.say(request.replyTo, ackFor(request));
        if (isEnding) await end(request);
        else taken.push(request);
      }
    })();

    const first = await persistently('POST', '/nettools/nmap', { body: SCAN, headers: { prefer: 'respond-async' } });
    const { id: followed } = jobs.getJob.response.parse(first.json);
    const following = ofStreams.map(async (token) => {
      while (!over.signal.aborted) {
        const stream = await cloud.stream('GET', `/jobs/${followed}/events`, { token });
        expect([200, 503]).toContain(stream.status);
        await Promise.race([stream.ended, sleep(1_000)]);
        stream.leave(); // Which the function does not notice.
        await sleep(BACK_AFTER_MS);
      }
    });
    await expect.poll(placesTaken, PATIENTLY).toBe(Math.ceil(PLACES / 2));

    let answered = 0;
    const calling = Array.from({ length: CALLERS }, async () => {
      const answer = await persistently('POST', '/nettools/nmap', { body: SCAN });
      answered++;
      return answer.status;
    });
    await expect.poll(() => answered, PATIENTLY).toBeGreaterThanOrEqual(CALLERS - PLACES);
    await expect.poll(placesTaken, PATIENTLY).toBe(PLACES);

    expect((await persistently('DELETE', `/tokens/${tokenId}`)).status).toBe(200);
    expect(await placesTaken()).toBe(PLACES); // Nobody's wait had to end for that.
    expect((await persistently('GET', '/devices/totals', { token })).status).toBe(403);

    isEnding = true;
    for (const request of taken) await end(request);
    const how = await Promise.all(calling);
    expect(new Set(how)).toEqual(new Set([200, 202]));
    expect(how.filter((status) => status === 202).length).toBeGreaterThanOrEqual(CALLERS - PLACES);
    const unfinished = async () => {
      const { json } = await persistently('GET', '/jobs?limit=500');
      return jobs.listJobs.response.parse(json).jobs.filter(({ state }) => !isFinal(state));
    };
    await expect.poll(unfinished, PATIENTLY).toEqual([]);
    over.abort();
    await Promise.all([answering, ...following]);
    expect(new Set(statuses)).toEqual(new Set([200, 201, 202, 403, 503]));
    expect(Math.max(...Object.values(cloud.functions).map(({ instances }) => instances.length))).toBeLessThanOrEqual(
      10,
    );
  }, 600_000);
});
