/** The rules of IoT Core: what agents publish comes into the queues that ingest works on. */
import type { Ingest } from '../../functions/sightings/ingest.ts';
import type { Queued } from '../../functions/sightings/queue.ts';
import { ConnectionEvent } from '../../shared/agent/messages.ts';
import { instanceId, topics } from '../../shared/agent/topics.ts';
import { type AgentId, clientIdOf, type Stage } from '../../shared/identity.ts';
import type { MessageQueue } from './queue.ts';

/** The broker does not tell us the topic but what it read from it; ingest does not look at the instance either. */
const someInstance = (stage: Stage) => instanceId(stage, '0000000000000000');

/**
 * What the broker hands messages to.
 * @param ofSightings the queue for them; the other one is for everything else
 */
export function rulesTo(stage: Stage, queue: MessageQueue, ofSightings: MessageQueue): Ingest {
  const clientOf = (agent: AgentId) => clientIdOf(stage, agent);
  const put = async (topic: string, payload: Uint8Array, into = queue) => into.send(queued(topic, payload));
  return {
    result: (agent, payload) => put(topics.result(someInstance(stage), clientOf(agent)), payload),
    presence: (agent, payload) => put(topics.presence(clientOf(agent)), payload),
    sightings: (agent, payload) => put(topics.sightings(clientOf(agent)), payload, ofSightings),
    measurements: (agent, payload) => put(topics.measurements(clientOf(agent)), payload, ofSightings),
    connection(agent, payload) {
      const { eventType } = ConnectionEvent.parse(JSON.parse(Buffer.from(payload).toString()));
      return put(topics.connection(eventType, clientOf(agent)), payload);
    },
  };
}

/** What a rule makes of a message. */
export function queued(topic: string, payload: Uint8Array): string {
  const message: Queued = { topic, payload: Buffer.from(payload).toString('base64') };
  return JSON.stringify(message);
}
