/**
 * The MQTT topics between the functions and the agents. One level per identity, because policy variables (IoT Core)
 * and ACL patterns (mosquitto) fill exactly one level.
 */
import * as z from 'zod';
import { AgentId } from '../identity.ts';

const ROOT = 'lr/v1';
/** Lifecycle events of AWS IoT Core; the embedded broker has the same. */
const BROKER_EVENTS = '$aws/events/presence';

/** One connection of a function: its MQTT client id, and a level of the topics on which it receives answers. */
export const InstanceId = z.string().regex(/^lr-api-[a-z0-9]{8,32}$/);
export type InstanceId = z.infer<typeof InstanceId>;

export const topics = {
  /** Requests to one agent. */
  request: (agent: AgentId) => `${ROOT}/a/${agent}/req`,
  /** Control messages (cancel, watch, stored) about requests that were sent before. */
  control: (agent: AgentId) => `${ROOT}/a/${agent}/ctl`,
  /** Both of them, as the filter of the agent's subscription. */
  allForAgent: (agent: AgentId) => `${ROOT}/a/${agent}/+`,
  /** Acks, output and progress from an agent to a waiting function. */
  reply: (instance: InstanceId, agent: AgentId) => `${ROOT}/r/${instance}/${agent}`,
  /** Results, which ingest receives as well. */
  result: (instance: InstanceId, agent: AgentId) => `${ROOT}/r/${instance}/${agent}/result`,
  /** Replies of all agents, as the filter of the function's subscription; `#` also matches its own echo. */
  allForInstance: (instance: InstanceId) => `${ROOT}/r/${instance}/#`,
  /** A function's message to itself, which proves that its subscription works. */
  echo: (instance: InstanceId, nonce: string) => `${ROOT}/r/${instance}/echo/${nonce}`,
  /**
   * Presence, and the last will. Not retained, because nobody may subscribe to it, and IoT Core limits retained
   * messages.
   */
  presence: (agent: AgentId) => `${ROOT}/p/${agent}`,
  /** Devices an agent has seen. */
  sightings: (agent: AgentId) => `${ROOT}/s/${agent}`,
  /** Lifecycle events of the broker, where nobody else may publish. */
  connection: (event: 'connected' | 'disconnected', client: string) => `${BROKER_EVENTS}/${event}/${client}`,
};

/** Filters of the rules that feed ingest. */
export const ingestFilters = {
  results: `${ROOT}/r/+/+/result`,
  presence: `${ROOT}/p/+`,
  sightings: `${ROOT}/s/+`,
  /** Events of all clients, including refused connections; a rule selects among them. */
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
  /** `connection` is published by the broker about the agent, all others by the agent. */
  kind: 'reply' | 'result' | 'presence' | 'sightings' | 'connection';
  agent: AgentId;
}

/** The agent of a topic, and the kind of message; null for any other topic. */
export function sourceOf(topic: string): Source | null {
  for (const [kind, pattern] of SOURCES) {
    const agent = AgentId.safeParse(pattern.exec(topic)?.[1]);
    if (agent.success) return { kind, agent: agent.data };
  }
  return null;
}

/** The permissions of each identity at the broker. Both the IoT policies and the embedded broker use them. */
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
  // Wildcards do not match topics that begin with `$` (section 4.7.2).
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
