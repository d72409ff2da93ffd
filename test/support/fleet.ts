/** Many sites with an agent each, for which one MQTT client speaks; enrolments and presence are only written down. */
import { setTimeout as sleep } from 'node:timers/promises';
import mqtt from 'mqtt';
import { Control, PROTOCOL_VERSION, Request, type Result } from '../../shared/agent/messages.ts';
import { topics } from '../../shared/agent/topics.ts';
import { packResult } from '../../shared/agent/wire.ts';
import { agentId, clientIdOf, LOCAL_STAGE, readClientId, type SiteId, siteOfAgent } from '../../shared/identity.ts';
import { ackFor, resultFor } from './enrolled-agent.ts';
import type { TestApi } from './in-process.ts';
import { storeAgent } from './stored-site.ts';

/** What an agent does with a request: how it ends, after how long; `silent` accepts it and says nothing more. */
export type FleetAnswer = Partial<Result> & { afterMs?: number };
export type Behaviour =
  | FleetAnswer
  | 'offline'
  | 'silent'
  | 'deaf'
  | ((fleet: Fleet, request: Request) => Promise<void>);

export interface Fleet extends AsyncDisposable {
  sites: readonly SiteId[];
  /** The requests that the agent of each site has got, in the order of their arrival. */
  requests: { site: SiteId; request: Request }[];
  /** Sites whose agents have been told to stop what they run. */
  cancelled: SiteId[];
  /** How many commands have run at the same time at most. */
  mostAtOnce(): number;
  publish(topic: string, payload: Buffer): Promise<void>;
  /** Says how a command of a site has ended. */
  end(site: SiteId, request: Request, result: Partial<Result>): Promise<void>;
}

/** @param behaviourOf what the agent of a site does; `deaf` gets requests, and does not even acknowledge them */
export async function startFleet(
  { context, broker }: Pick<TestApi, 'context' | 'broker'>,
  sites: readonly SiteId[],
  behaviourOf: (site: SiteId) => Behaviour,
  tags: (site: SiteId) => string[] = () => [],
): Promise<Fleet> {
  const now = new Date();
  for (const site of sites) {
    await context.sites.add({ id: site, name: site, createdAt: now.toISOString(), tags: tags(site) });
    const agent = await storeAgent(context, site, 'main', now);
    const state = behaviourOf(site) === 'offline' ? 'offline' : 'online';
    const said = { version: '0.0.0', programs: {}, capabilities: [], networks: [], load: { running: 0, queued: 0 } };
    const presence = { v: PROTOCOL_VERSION, t: 'presence', state, session: now.getTime(), ...said } as const;
    await context.sites.recordPresence(agent, presence);
  }
  const client = await mqtt.connectAsync({ ...broker.dial(), clientId: 'fleet', protocolVersion: 4, clean: true });
  const underWay = new Map<string, { site: SiteId; request: Request }>();
  let most = 0;
  const fleet: Fleet = {
    sites,
    requests: [],
    cancelled: [],
    mostAtOnce: () => most,
    publish: async (topic, payload) => void (await client.publishAsync(topic, payload, { qos: 1 })),
    async end(site, request, result) {
      underWay.delete(request.id);
      const payload = packResult(resultFor(request, result));
      if (payload === null) throw new RangeError('the result does not fit into a packet');
      await fleet.publish(topics.result(request.replyTo, clientOf(site)), payload);
    },
    async [Symbol.asyncDispose]() {
      await client.endAsync(true);
    },
  };

  async function answer(site: SiteId, request: Request): Promise<void> {
    if (fleet.requests.some((one) => one.request.id === request.id)) return;
    fleet.requests.push({ site, request });
    const behaviour = behaviourOf(site);
    if (behaviour === 'deaf') return;
    underWay.set(request.id, { site, request });
    most = Math.max(most, underWay.size);
    await fleet.publish(topics.reply(request.replyTo, clientOf(site)), Buffer.from(JSON.stringify(ackFor(request))));
    if (typeof behaviour === 'function') return behaviour(fleet, request);
    if (typeof behaviour === 'string') return;
    const { afterMs = 0, ...result } = behaviour;
    await sleep(afterMs);
    if (underWay.has(request.id)) await fleet.end(site, request, result);
  }

  client.on('message', (topic, payload) => {
    const level = topic.split('/')[4] ?? '';
    const site = siteOfAgent(readClientId(level)?.agent ?? '');
    const json = JSON.parse(payload.toString('utf8'));
    // What fails is a result that does not come.
    if (topic.endsWith('/req')) void answer(site, Request.parse(json)).catch(() => {});
    if (!topic.endsWith('/ctl')) return;
    const control = Control.parse(json);
    if (control.t !== 'cancel') return;
    fleet.cancelled.push(site);
    const running = underWay.get(control.id);
    if (running === undefined) return;
    void fleet.end(site, running.request, { state: 'cancelled', reason: 'cancelled', startedAt: null }).catch(() => {});
  });
  const any = topics.allForAgent(clientIdOf(LOCAL_STAGE, '+')).replace(`${LOCAL_STAGE}:+`, '+');
  await client.subscribeAsync(any, { qos: 1 });
  return fleet;
}

export function clientOf(site: SiteId) {
  return clientIdOf(LOCAL_STAGE, agentId(site, 'main'));
}
