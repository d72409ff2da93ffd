/**
 * Callers who wait for long commands: what one process takes that waits for all of them, and how soon a caller knows that
 * a command has ended, by an answer that was held open or by a notice and one more request. The agent is a stand-in that
 * holds every command until it is told to end it; everything else is real.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { pino } from 'pino';
import { BrokerConnection } from '../agent/link/broker-connection.ts';
import { endpointOf } from '../agent/link/session.ts';
import { Control, Request } from '../shared/agent/messages.ts';
import { topics } from '../shared/agent/topics.ts';
import { packResult } from '../shared/agent/wire.ts';
import { clientIdOf } from '../shared/identity.ts';
import { type ApiClient, openApiClient } from '../test/api-client.ts';
import { ackFor, becomes, enrolAgent, resultFor } from '../test/support/enrolled-agent.ts';
import { type Figure, figure, memoryFigure } from './report.ts';
import { startRunningSystem } from './running-system.ts';
import { repeatInTurn } from './sampling.ts';

const SITE = 'waiting';
/** Fewer than the thousand calls that one process lets wait. */
const CALLERS = 900;
/** At a time, because the agent has to accept each within seconds. */
const CALLED_AT_ONCE = 50;
const PUBLISHED_AT_ONCE = 20;
const HELD_MS = 30_000;
const SETTLE_MS = 3_000;
const TOLD = { warmUp: 50, count: 300 };
const WITHIN_MS = 60_000;
const PATH = '/nettools/traceroute';
const BODY = { devLastIP: '192.0.2.1' };

export async function measureWaiting(dataFolder: string, say: (text: string) => void): Promise<Figure[]> {
  say('starting');
  const system = await startRunningSystem(join(dataFolder, 'system'));
  try {
    const api = openApiClient(system.url, system.token);
    await expectStatus(201, api.request('POST', '/sites', { body: { id: SITE, name: 'Waiting' } }));
    await using agent = await startHoldingAgent(api);

    say('one command after the other');
    const told = await repeatInTurn(TOLD, {
      held: () => untilAnswer(api, agent),
      notice: () => untilRead(api, agent),
    });

    say(`${CALLERS} callers at once`);
    await sleep(SETTLE_MS);
    const before = system.memory().serverMb;
    const calls: Promise<unknown>[] = [];
    const whole = await system.processorDuring(async () => {
      while (calls.length < CALLERS) {
        for (let i = 0; i < CALLED_AT_ONCE; i++) calls.push(call(api, 200));
        await Promise.race([agent.holds(calls.length), Promise.all(calls)]);
      }
      await sleep(SETTLE_MS);
      const heldMb = system.memory().serverMb;
      const { spent } = await system.processorDuring(() => sleep(HELD_MS));
      const endedAt = performance.now();
      await agent.endAll();
      await Promise.all(calls);
      return { heldMb, heldMs: spent.server, lastMs: performance.now() - endedAt };
    });
    const { heldMb, heldMs, lastMs } = whole.done;
    const one = (ms: number) => ({ p50: ms, p99: ms, count: 1 });
    return [
      figure('from the result to the answer of a call that waits', 'ms', null, told.held),
      figure('from the result over a notice to the job that was read', 'ms', null, told.notice),
      memoryFigure(`memory for ${CALLERS} calls that wait`, null, heldMb - before),
      figure('CPU of the server for one second of waiting', 'ms', null, one((heldMs / CALLERS / HELD_MS) * 1_000)),
      figure('CPU of the server for a call but its waiting', 'ms', null, one((whole.spent.server - heldMs) / CALLERS)),
      figure(`all ${CALLERS} end at once: until the last answer`, 'ms', null, one(lastMs)),
    ];
  } finally {
    await system.stop();
  }
}

async function untilAnswer(api: ApiClient, agent: HoldingAgent): Promise<number> {
  const answer = call(api, 200);
  await Promise.race([agent.holds(1), answer]);
  const endedAt = performance.now();
  await agent.endAll();
  await answer;
  return performance.now() - endedAt;
}

/** The confirmation that agents get, once a result is stored, stands for the notice: it goes the same way. */
async function untilRead(api: ApiClient, agent: HoldingAgent): Promise<number> {
  const answer = await call(api, 202, { Prefer: 'respond-async' });
  const { id } = answer.json as { id: string };
  await agent.holds(1);
  const stored = agent.stored(id);
  const endedAt = performance.now();
  await agent.endAll();
  await stored;
  const job = await expectStatus(200, api.request('GET', `/jobs/${id}`, { site: SITE }));
  const ms = performance.now() - endedAt;
  const { state } = job.json as { state: string };
  if (state !== 'succeeded') throw new Error(`expected that the job has succeeded, it is ${state}`);
  return ms;
}

function call(api: ApiClient, status: number, headers: Record<string, string> = {}) {
  return expectStatus(status, api.request('POST', PATH, { site: SITE, headers, body: BODY }));
}

async function expectStatus(status: number, asked: ReturnType<ApiClient['request']>) {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`expected the status ${status}: ${answer.status} ${answer.text}`);
  return answer;
}

interface HoldingAgent extends AsyncDisposable {
  /** Waits until it has accepted so many commands and not ended them. */
  holds(count: number): Promise<void>;
  /** Ends all that it holds. */
  endAll(): Promise<void>;
  /** Waits until it is told that the result of this job is stored. */
  stored(id: string): Promise<void>;
}

async function startHoldingAgent(api: ApiClient): Promise<HoldingAgent> {
  await using enrolled = await enrolAgent(api, SITE, 'holding');
  const { id, identity } = enrolled;
  const client = clientIdOf(identity.stage, identity.agent);
  let held: Request[] = [];
  let accepted: () => void = () => {};
  const waiting = new Map<string, () => void>();
  const connection = new BrokerConnection({
    client,
    dial: () => endpointOf(identity),
    async onMessage(topic, payload) {
      const json = JSON.parse(payload.toString());
      if (topic !== topics.request(client)) {
        const control = Control.parse(json);
        if (control.t === 'stored') waiting.get(control.id)?.();
        return;
      }
      const request = Request.parse(json);
      held.push(request);
      const ack = Buffer.from(JSON.stringify(ackFor(request)));
      connection.publish(topics.reply(request.replyTo, client), ack).then(accepted);
    },
    onUp() {},
    onDown() {},
    describe: () => ({ version: '0.0.0', tools: {}, capabilities: [], networks: [], load: { running: 0, queued: 0 } }),
    log: pino({ level: 'silent' }),
  });
  connection.open();
  await becomes(api, id, 'online');
  return {
    async holds(count) {
      while (held.length < count) await within(new Promise<void>((resolve) => (accepted = resolve)));
    },
    async endAll() {
      const ended = held;
      held = [];
      const limit = pLimit(PUBLISHED_AT_ONCE);
      await limit.map(ended, (request) => {
        const payload = packResult(resultFor(request));
        if (payload === null) throw new RangeError('the result does not fit into a packet');
        return connection.publish(topics.result(request.replyTo, client), payload);
      });
    },
    stored: (id) => within(new Promise((resolve) => void waiting.set(id, resolve))),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

async function within<T>(wanted: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${WITHIN_MS / 1000} s`)), WITHIN_MS);
  });
  return Promise.race([wanted, late]).finally(() => clearTimeout(timer));
}
