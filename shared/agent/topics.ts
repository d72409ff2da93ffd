/**
 * The MQTT topics between the functions and the agents. One level per identity, because policy variables (IoT Core)
 * and ACL patterns (mosquitto) fill exactly one level.
 */
import * as z from 'zod';
import { AgentId } from '../identity.ts';

const ROOT = 'lr/v1';
/** Lifecycle events of AWS IoT Core; the embedded broker has the same. */
const BROKER_EVENTS = '$aws/events/presence';

/** One connection of one function: its MQTT client id, and the level of the topics on which it is answered. */
export const InstanceId = z.string().regex(/^lr-api-[a-z0-9]{8,32}$/);
export type InstanceId = z.infer<typeof InstanceId>;

export const topics = {
  /** Requests to one agent. */
  request: (agent: AgentId) => `${ROOT}/a/${agent}/req`,
  /** Cancel, stored, missing: what concerns requests that the agent has already. */
  control: (agent: AgentId) => `${ROOT}/a/${agent}/ctl`,
  /** Both of them, for the agent's subscription. */
  allForAgent: (agent: AgentId) => `${ROOT}/a/${agent}/+`,
  /** Acks, output and progress of one agent to one waiting function. */
  reply: (instance: InstanceId, agent: AgentId) => `${ROOT}/r/${instance}/${agent}`,
  /** Results, also to ingest. */
  result: (instance: InstanceId, agent: AgentId) => `${ROOT}/r/${instance}/${agent}/result`,
  /** Replies of all agents, for the function's subscription; `#` also takes in its own echo. */
  allForInstance: (instance: InstanceId) => `${ROOT}/r/${instance}/#`,
  /** A function's message to itself: proves that its subscription works. */
  echo: (instance: InstanceId, nonce: string) => `${ROOT}/r/${instance}/echo/${nonce}`,
  /** Presence, and the last will. Not retained: nobody may subscribe to it, and IoT Core takes few retained messages. */
  presence: (agent: AgentId) => `${ROOT}/p/${agent}`,
  /** Devices an agent has seen. */
  sightings: (agent: AgentId) => `${ROOT}/s/${agent}`,
  /** What the broker itself says of a connection. Nobody else may publish there. */
  connection: (event: 'connected' | 'disconnected', client: string) => `${BROKER_EVENTS}/${event}/${client}`,
};

/** Filters of the rules that feed ingest. */
export const ingestFilters = {
  results: `${ROOT}/r/+/+/result`,
  presence: `${ROOT}/p/+`,
  sightings: `${ROOT}/s/+`,
  /** Of every client, and also connections that were refused: a rule has to choose among them. */
  connections: `${BROKER_EVENTS}/+/+`,
};

const SOURCES: readonly [Source['kind'], RegExp][] = [
  ['reply', /^lr\/v1\/r\/[^/]+\/([^/]+)$/],
  ['result', /^lr\/v1\/r\/[^/]+\/([^/]+)\/result$/],
  ['presence', /^lr\/v1\/p\/([^/]+)$/],
  ['sightings', /^lr\/v1\/s\/([^/]+)$/],
  ['connection', /^\$aws\/events\/presence\/(?:connected|disconnected)\/([^/]+)$/],
];

export interface Source {
  /** `connection`: said by the broker, of the agent. The others are said by the agent. */
  kind: 'reply' | 'result' | 'presence' | 'sightings' | 'connection';
  agent: AgentId;
}

/** Which agent published on this topic, or was spoken of by the broker, and as what; null for any other topic. */
export function sourceOf(topic: string): Source | null {
  for (const [kind, pattern] of SOURCES) {
    const agent = AgentId.safeParse(pattern.exec(topic)?.[1]);
    if (agent.success) return { kind, agent: agent.data };
  }
  return null;
}

/** What each identity may do at the broker. The IoT policies and the embedded broker's ACL are both made from this. */
export const permissions = {
  agent: (agent: AgentId) => ({
    subscribe: [topics.allForAgent(agent), topics.request(agent), topics.control(agent)],
    receive: [topics.allForAgent(agent)],
    publish: [`${ROOT}/r/+/${agent}`, `${ROOT}/r/+/${agent}/result`, topics.presence(agent), topics.sightings(agent)],
  }),
  functions: (instance: InstanceId) => ({
    subscribe: [topics.allForInstance(instance)],
    receive: [topics.allForInstance(instance)],
    publish: [`${ROOT}/a/+/req`, `${ROOT}/a/+/ctl`, `${ROOT}/r/${instance}/echo/+`],
  }),
};

/** Whether a topic fits an MQTT filter (MQTT 3.1.1 section 4.7). */
export function topicMatches(filter: string, topic: string): boolean {
  // Topics of the broker's own are out of reach of wildcards (section 4.7.2).
  if (topic.startsWith('$') && !filter.startsWith('$')) return false;
  const levels = topic.split('/');
  const wanted = filter.split('/');
  for (const [i, level] of wanted.entries()) {
    if (level === '#') return true;
    if (levels[i] === undefined || (level !== '+' && level !== levels[i])) return false;
  }
  return levels.length === wanted.length;
}

/** Limits of the broker (AWS IoT Core quotas). The embedded broker enforces the same. */
export const BROKER_LIMITS = {
  packetBytes: 131_072,
  topicBytes: 256,
  topicSlashes: 7,
  subscriptionsPerConnection: 50,
  filtersPerSubscribe: 8,
  clientIdBytes: 128,
};
