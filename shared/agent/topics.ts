/**
 * The MQTT topics between the functions and the agents of a stage. One level per identity, because policy variables (IoT
 * Core) and ACL patterns (mosquitto) fill exactly one level; and one level for the stage, so that rules and policies can
 * select what belongs to it.
 */
import * as z from 'zod';
import { type AgentId, type ClientId, clientIdOf, readClientId, type Stage } from '../identity.ts';

/** What only ingest receives: the level of its topics, and the rule behind them. */
const TO_INGEST = {
  presence: { level: 'p', rule: 'Presence' },
  sightings: { level: 's', rule: 'Sightings' },
  measurements: { level: 'm', rule: 'Measurements' },
} as const;
export type ToIngest = keyof typeof TO_INGEST;
const KINDS_TO_INGEST = Object.keys(TO_INGEST) as ToIngest[];

/** Lifecycle events of AWS IoT Core; the embedded broker has the same. */
const BROKER_EVENTS = '$aws/events/presence';

/** `lr-<stage>-<random>`: one connection of a function: its MQTT client id, and a level of its reply topics. */
export const InstanceId = z.string().regex(/^lr-[a-z][a-z0-9]{0,15}-[a-z0-9]{8,32}$/);
export type InstanceId = z.infer<typeof InstanceId>;

export function instanceId(stage: Stage, random: string): InstanceId {
  return `lr-${stage}-${random}`;
}

/** In place of a waiting function's id: no function waits for the result of a command that an agent ran by its plan. */
export const plannedInstance = (stage: Stage): InstanceId => instanceId(stage, 'planned0');

export function stageOfInstance(instance: InstanceId): Stage {
  return instance.split('-')[1] ?? '';
}

const root = (stage: Stage) => `lr/v1/${stage}`;
/** The first level of a client id. Patterns, such as `prod:*`, are allowed as well. */
const stageOfClient = (client: ClientId): Stage => client.slice(0, client.indexOf(':'));
const ofClient = (client: ClientId) => root(stageOfClient(client));
const toIngest = (stage: Stage, kind: ToIngest, client: string) => `${root(stage)}/${TO_INGEST[kind].level}/${client}`;
const direct = (stage: Stage, kind: ToIngest, client: string) =>
  `$aws/rules/${ruleName(stage, TO_INGEST[kind].rule)}/${toIngest(stage, kind, client)}`;
const ofInstance = (instance: InstanceId) => root(stageOfInstance(instance));

export const topics = {
  /** Requests to one agent. */
  request: (client: ClientId) => `${ofClient(client)}/a/${client}/req`,
  /** Control messages (cancel, watch, stored) about requests that were sent before. */
  control: (client: ClientId) => `${ofClient(client)}/a/${client}/ctl`,
  /** Both of them, as the filter of the agent's subscription. */
  allForAgent: (client: ClientId) => `${ofClient(client)}/a/${client}/+`,
  /** Acks, output and progress from an agent to a waiting function. */
  reply: (instance: InstanceId, client: ClientId) => `${ofClient(client)}/r/${instance}/${client}`,
  /** Results, which ingest receives as well. */
  result: (instance: InstanceId, client: ClientId) => `${ofClient(client)}/r/${instance}/${client}/result`,
  /** Replies of all agents, as the filter of the function's subscription; `#` also matches its own echo. */
  allForInstance: (instance: InstanceId) => `${ofInstance(instance)}/r/${instance}/#`,
  /** A function's message to itself, which proves that its subscription works. */
  echo: (instance: InstanceId, nonce: string) => `${ofInstance(instance)}/r/${instance}/echo/${nonce}`,
  /** Presence, and the last will. Not retained: no client may subscribe to it, and IoT Core limits retained messages. */
  presence: (client: ClientId) => toIngest(stageOfClient(client), 'presence', client),
  /** Devices an agent has seen. */
  sightings: (client: ClientId) => toIngest(stageOfClient(client), 'sightings', client),
  /** Measurements of an agent, and the changes that they show. */
  measurements: (client: ClientId) => toIngest(stageOfClient(client), 'measurements', client),
  /** The same, straight to its rule ("Basic Ingest" of AWS IoT Core): not billed as a message; the rule sees the plain topic. */
  direct: (kind: ToIngest, client: ClientId) => direct(stageOfClient(client), kind, client),
  /** Lifecycle events of the broker about any client; only the broker may publish there. */
  connection: (event: 'connected' | 'disconnected', client: string) => `${BROKER_EVENTS}/${event}/${client}`,
};

/** Filters of the rules that feed the ingest of a stage. */
export const ingestFilters = (stage: Stage) => ({
  results: `${root(stage)}/r/+/+/result`,
  presence: toIngest(stage, 'presence', '+'),
  sightings: toIngest(stage, 'sightings', '+'),
  measurements: toIngest(stage, 'measurements', '+'),
  /** Events of all clients of all stages, including refused connections; a rule selects among them. */
  connections: `${BROKER_EVENTS}/+/+`,
});

/** A stage has no underscore, so the rules of one stage never begin like those of another. */
export function ruleName(stage: Stage, name: string): string {
  return `LanReach_${stage}_${name}`;
}

/** The groups are the stage, if the topic has a level for it, and the client id. */
const SOURCES: readonly [Source['kind'], RegExp][] = [
  ['reply', /^lr\/v1\/([^/]+)\/r\/[^/]+\/([^/]+)$/],
  ['result', /^lr\/v1\/([^/]+)\/r\/[^/]+\/([^/]+)\/result$/],
  ['presence', /^lr\/v1\/([^/]+)\/p\/([^/]+)$/],
  ['sightings', /^lr\/v1\/([^/]+)\/s\/([^/]+)$/],
  ['measurements', /^lr\/v1\/([^/]+)\/m\/([^/]+)$/],
  ['connection', /^\$aws\/events\/presence\/(?:connected|disconnected)\/()([^/]+)$/],
];

interface Source {
  /** `connection` is published by the broker about the agent, all others by the agent. */
  kind: 'reply' | 'result' | 'presence' | 'sightings' | 'measurements' | 'connection';
  stage: Stage;
  agent: AgentId;
}

/** The stage and the agent of a topic, and the kind of message; null for any other topic. */
export function sourceOf(topic: string): Source | null {
  if (!topic.startsWith('$aws/rules/')) return sourceOfPlain(topic);
  const source = sourceOfPlain(topic.split('/').slice(3).join('/'));
  if (source === null || !isToIngest(source.kind)) return null;
  return topic === direct(source.stage, source.kind, clientIdOf(source.stage, source.agent)) ? source : null;
}

const isToIngest = (kind: Source['kind']): kind is ToIngest => kind in TO_INGEST;

function sourceOfPlain(topic: string): Source | null {
  for (const [kind, pattern] of SOURCES) {
    const [, level = '', client = ''] = pattern.exec(topic) ?? [];
    const identity = readClientId(client);
    if (identity !== null && (kind === 'connection' || level === identity.stage)) return { kind, ...identity };
  }
  return null;
}

/** The permissions of each identity at the broker. Both the IoT policies and the embedded broker use them. */
export const permissions = {
  /** @param client the client id of one agent, or a policy variable that stands for it */
  agent: (stage: Stage, client: string) => ({
    subscribe: ['+', 'req', 'ctl'].map((channel) => `${root(stage)}/a/${client}/${channel}`),
    receive: [`${root(stage)}/a/${client}/+`],
    publish: [
      `${root(stage)}/r/+/${client}`,
      `${root(stage)}/r/+/${client}/result`,
      ...KINDS_TO_INGEST.flatMap((kind) => [toIngest(stage, kind, client), direct(stage, kind, client)]),
    ],
  }),
  functions: (instance: InstanceId) => ({
    subscribe: [topics.allForInstance(instance)],
    receive: [topics.allForInstance(instance)],
    publish: [
      `${ofInstance(instance)}/a/+/req`,
      `${ofInstance(instance)}/a/+/ctl`,
      `${ofInstance(instance)}/r/${instance}/echo/+`,
    ],
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
