/** Agents beside the system's own: enrolled in the real way, as real processes or as stand-ins that answer as a test wants. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { enrol } from '../../agent/identity/exchange-code.ts';
import type { Identity } from '../../agent/identity/identity.ts';
import { BrokerConnection, type PresenceDetails } from '../../agent/link/broker-connection.ts';
import { type Endpoint, endpointOf } from '../../agent/link/session.ts';
import type { DiscoveryState } from '../../shared/agent/discovery.ts';
import {
  type Ack,
  Control,
  type DiscoveryControl,
  type JobControl,
  type PlanControl,
  PROTOCOL_VERSION,
  Request,
  type Result,
} from '../../shared/agent/messages.ts';
import { topics } from '../../shared/agent/topics.ts';
import { packResult } from '../../shared/agent/wire.ts';
import { admin } from '../../shared/api/admin.ts';
import { type AgentId, type ClientId, clientIdOf, type JobId, type SiteId } from '../../shared/identity.ts';
import { makeAgentKey } from '../agent-key.ts';
import type { ApiClient } from '../api-client.ts';
import { type AgentProcess, startAgentProcess } from './agent/agent-process.ts';
import type { Said } from './agent/broker.ts';
import type { LogLine } from './fixtures.ts';
import type { TestApi } from './in-process.ts';
import { makeTestFolder } from './test-folder.ts';
import { waitFor } from './wait-for.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'agent.js');

export interface EnrolledAgent extends AsyncDisposable {
  id: AgentId;
  identity: Identity;
  folder: string;
}

/** What a stand-in connects to: the broker in this process, or that of a system. */
export type StandInHome = Pick<ApiClient, 'request'> & Partial<Pick<TestApi, 'dialBroker'>> & { brokerPort?: number };
/** The API that an agent belongs to, which listens or is in this process. */
type Home = Pick<ApiClient, 'request' | 'url'> & Partial<Pick<TestApi, 'dialBroker'>>;

export async function enrolAgent(system: Home, site: SiteId, name: string): Promise<EnrolledAgent> {
  const { json } = await system.request('POST', `/sites/${site}/agents`, { body: { name } });
  const { code } = json as { code: string };
  const { path: folder, remove } = makeTestFolder();
  const identity = system.dialBroker ? await enrolInProcess(system, code) : await enrol(code, system.url, folder);
  return { id: identity.agent, identity, folder, [Symbol.asyncDispose]: remove };
}

async function enrolInProcess({ request, url }: Home, code: string): Promise<Identity> {
  const { key, csr } = await makeAgentKey();
  const { json } = await request('POST', '/enrol', { token: null, body: { code, csr } });
  return { ...admin.enrolAgent.response.parse(json), api: url, key };
}

/** Its MQTT client id. */
export function clientOf({ identity: { stage, agent } }: Pick<EnrolledAgent, 'identity'>): ClientId {
  return clientIdOf(stage, agent);
}

export interface RealAgent extends AgentProcess {
  /** What it has logged. */
  logged(): LogLine[];
}

/** The agent's own program. Returns when the system counts it as online. */
export async function startRealAgent(
  system: Pick<ApiClient, 'request'>,
  { id, folder }: EnrolledAgent,
  brokerPort: number,
  policy: object = {},
): Promise<RealAgent> {
  await writeFile(join(folder, 'policy.json'), JSON.stringify(policy));
  const process = startAgentProcess(PROGRAM, [], {
    LANREACH_AGENT_DATA: folder,
    LANREACH_BROKER: `mqtts://127.0.0.1:${brokerPort}`,
  });
  await becomes(system, id, 'online');
  return {
    ...process,
    logged: () => {
      const lines = process.stderr().split('\n');
      return lines.filter((line) => line.startsWith('{') && line.endsWith('}')).map((line) => JSON.parse(line));
    },
  };
}

/** Waits until the system shows the agent in this state. */
export async function becomes(system: Pick<ApiClient, 'request'>, agent: AgentId, state: string): Promise<void> {
  const [site] = agent.split(':');
  let found: string | undefined;
  const look = async () => {
    const { json } = await system.request('GET', `/sites/${site}/agents`);
    const { agents } = json as { agents: { id: string; state: string }[] };
    found = agents.find(({ id }) => id === agent)?.state;
    return found === state;
  };
  await waitFor(() => `the agent ${agent}, which is ${found}, to be ${state}`, look);
}

export interface StandIn extends AsyncDisposable {
  id: AgentId;
  client: ClientId;
  requests: Request[];
  /** What functions have said about its requests. */
  controls: JobControl[];
  /** What functions have said about discovery. */
  discovery: DiscoveryControl[];
  /** What they have said about what the agent is to do by itself. */
  plans: PlanControl[];
  /** Publishes a message to the instance. */
  say(instance: string, message: Said): Promise<void>;
  publish(topic: string, payload: Buffer): Promise<void>;
  /** Says of itself what `says` gives now. */
  announce(): Promise<void>;
  /** The first request that was not taken yet. One that is sent again, because its acknowledgement is late, is none. */
  request(signal?: AbortSignal): Promise<Request>;
  /** The same, which it acknowledges. */
  take(signal?: AbortSignal): Promise<Request>;
  /** Waits for a control message with these properties. */
  control(t: JobControl['t'], id: string): Promise<JobControl>;
}

/** A connection with an agent's certificate. It does nothing by itself but say that it is there, and what it watches. */
export async function startStandIn(
  system: StandInHome,
  { id, identity }: EnrolledAgent,
  brokerPort = system.brokerPort,
  watches?: DiscoveryState,
  says: (plans: readonly PlanControl[]) => Partial<PresenceDetails> = () => ({}),
): Promise<StandIn> {
  const requests: Request[] = [];
  const controls: JobControl[] = [];
  const discovery: DiscoveryControl[] = [];
  const plans: PlanControl[] = [];
  const taken = new Set<JobId>();
  const client = clientOf({ identity });
  const link = new BrokerConnection({
    client,
    dial: () =>
      system.dialBroker ? (system.dialBroker() as Endpoint) : endpointOf(identity, `mqtts://127.0.0.1:${brokerPort}`),
    async onMessage(topic, payload) {
      const json = JSON.parse(payload.toString('utf8'));
      if (topic === topics.request(client)) {
        requests.push(Request.parse(json));
        return;
      }
      const control = Control.parse(json);
      if ('id' in control) controls.push(control);
      else if (control.t === 'plan' || control.t === 'measured') plans.push(control);
      else discovery.push(control);
    },
    onUp() {},
    onDown() {},
    describe: () => ({
      ...{ version: '0.0.0', programs: {}, capabilities: [], networks: [], load: { running: 0, queued: 0 } },
      ...(watches === undefined ? {} : { discovery: watches }),
      ...says(plans),
    }),
    log: pino({ level: 'silent' }),
  });
  link.open();
  await becomes(system, id, 'online');
  const publish = (topic: string, payload: Buffer) => link.publish(topic, payload);
  const standIn: StandIn = {
    id,
    client,
    requests,
    controls,
    discovery,
    plans,
    publish,
    announce: () => link.announce(),
    async say(instance, message) {
      if (message.t !== 'result') {
        return publish(topics.reply(instance, client), Buffer.from(JSON.stringify(message)));
      }
      const payload = packResult(message);
      if (payload === null) throw new RangeError('the result does not fit into a packet');
      await publish(topics.result(instance, client), payload);
    },
    async request(signal) {
      const next = () => (signal?.aborted ? null : requests.find(({ id }) => !taken.has(id)));
      const request = await waitFor('a request', next);
      if (request === null) throw new Error('nobody waits for the request any more');
      taken.add(request.id);
      return request;
    },
    async take(signal) {
      const request = await standIn.request(signal);
      await standIn.say(request.replyTo, ackFor(request));
      return request;
    },
    control: (t, id) =>
      waitFor(`${t} for ${id}`, () => controls.find((message) => message.t === t && message.id === id)),
    [Symbol.asyncDispose]: () => link.close(),
  };
  return standIn;
}

/** An agent that is enrolled for it. */
export async function standInAt(
  system: StandInHome & Home,
  site: SiteId,
  name: string,
  ...rest: [watches?: DiscoveryState, says?: (plans: readonly PlanControl[]) => Partial<PresenceDetails>]
): Promise<StandIn> {
  const enrolled = await enrolAgent(system, site, name);
  const agent = await startStandIn(system, enrolled, undefined, ...rest);
  const end = async () => {
    await agent[Symbol.asyncDispose]();
    await enrolled[Symbol.asyncDispose]();
  };
  return { ...agent, [Symbol.asyncDispose]: end };
}

type Obeyed = Partial<Result> | ((request: Request) => Partial<Result>);

/** A connection that takes every command at once, and says that it has succeeded. */
export const startObedientAgent = async (system: StandInHome & Home, site: SiteId, name: string, changes?: Obeyed) =>
  obeying(await standInAt(system, site, name), changes);

/** The same, by a connection that is there. */
export function obeying(agent: StandIn, changes: Obeyed = { output: '{}', result: {} }): StandIn {
  const closing = new AbortController();
  const working = (async () => {
    for (;;) {
      const request = await agent.take(closing.signal).catch(() => null);
      if (request === null) return;
      const result = typeof changes === 'function' ? changes(request) : changes;
      await agent.say(request.replyTo, resultFor(request, result));
    }
  })();
  return {
    ...agent,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await working;
      await agent[Symbol.asyncDispose]();
    },
  };
}

/** How a command ended, as an agent says it. */
export function resultFor({ id }: Pick<Request, 'id'>, changes: Partial<Result> = {}): Result {
  const now = Date.now();
  return {
    v: PROTOCOL_VERSION,
    t: 'result',
    id,
    state: 'succeeded',
    reason: null,
    message: null,
    output: 'done\n',
    truncated: false,
    result: null,
    startedAt: now,
    endedAt: now,
    ...changes,
  };
}

export function ackFor({ id }: Request, state: Ack['state'] = 'running'): Ack {
  return { v: PROTOCOL_VERSION, t: 'ack', id, state, at: Date.now() };
}
