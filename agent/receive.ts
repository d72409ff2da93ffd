/** Parses the messages that the broker delivers, and dispatches each to its handler. */
import type { Logger } from 'pino';
import {
  Control,
  type DiscoveryControl,
  type JobControl,
  otherVersionOf,
  type PlanControl,
  PROTOCOL_VERSION,
  Request,
} from '../shared/agent/messages.ts';
import { topics } from '../shared/agent/topics.ts';
import { type AgentId, clientIdOf, type Stage, siteOfAgent, siteOfJob } from '../shared/identity.ts';
import { parseJson } from '../shared/json.ts';

interface Receivers {
  jobs: { request(message: Request): Promise<void>; control(message: JobControl): Promise<void> };
  discovery: { control(message: DiscoveryControl): Promise<void> };
  plan: { control(message: Extract<PlanControl, { t: 'plan' }>): Promise<void> };
  measurements: { measured(n: number): void };
  /** Called with each settings message of a server that was restored from a backup, at this time (Unix, ms). */
  restored(at: number): Promise<void>;
  /** Called with whether ingest-only messages may go directly to the broker's rules. */
  direct(isOffered: boolean): void;
}

interface ReceiverIdentity {
  stage: Stage;
  agent: AgentId;
}

/** Handles a message; acknowledged, and the next one read, when this resolves. Never rejects or awaits the broker. */
type Receive = (topic: string, payload: Uint8Array) => Promise<void>;

export function createReceive(
  identity: ReceiverIdentity,
  { jobs, discovery, plan, measurements, restored, direct }: Receivers,
  log: Logger,
): Receive {
  return async (topic, payload) => {
    const message = readMessage(identity, topic, payload, log);
    if (message === null) return;
    try {
      if (message.t === 'settings') {
        if (message.restoredAt !== undefined) await restored(message.restoredAt);
        direct(message.direct === true);
      }
      if (message.t === 'request') await jobs.request(message);
      else if (message.t === 'settings' || message.t === 'sighted' || message.t === 'digest')
        await discovery.control(message);
      else if (message.t === 'plan') await plan.control(message);
      else if (message.t === 'measured') measurements.measured(message.n);
      else await jobs.control(message);
    } catch (error) {
      const ids = 'id' in message ? { jobId: message.id } : {};
      log.error({ t: message.t, err: error, ...ids }, 'a message could not be handled');
    }
  };
}

/** Null for an invalid message, which is logged and ignored. */
function readMessage(
  { stage, agent }: ReceiverIdentity,
  topic: string,
  payload: Uint8Array,
  log: Logger,
): Request | Control | null {
  const client = clientIdOf(stage, agent);
  const schema = topic === topics.request(client) ? Request : topic === topics.control(client) ? Control : null;
  if (schema === null) {
    log.warn({ topic }, 'ignoring a message on an unexpected topic');
    return null;
  }
  const json = parseJson(Buffer.from(payload).toString('utf8'));
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const theirs = otherVersionOf(json);
    if (theirs !== null) {
      log.warn({ topic, theirs, ours: PROTOCOL_VERSION }, 'ignoring a message of another version; update the agent');
      return null;
    }
    const faults = parsed.error.issues.map(({ path, code }) => `${path.join('.')} ${code}`).slice(0, 5);
    log.warn({ topic, bytes: payload.length, faults }, 'ignoring an invalid message');
    return null;
  }
  const message = parsed.data;
  if ('id' in message && siteOfJob(message.id) !== siteOfAgent(agent)) {
    log.warn({ jobId: message.id }, 'ignoring a message about a job of another site');
    return null;
  }
  return message;
}
