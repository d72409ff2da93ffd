/** A connection with the functions' certificate that says what a test wants, as often and in what order it wants. */
import { join } from 'node:path';
import mqtt from 'mqtt';
import { openCertificateAuthority } from '../../local/certificate-authority.ts';
import { type Request as ParsedRequest, PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { topics } from '../../shared/agent/topics.ts';
import { type AgentId, clientIdOf, type JobId, LOCAL_STAGE } from '../../shared/identity.ts';
import type { CommandJson } from '../../shared/tools/list.ts';
import type { TestSystem } from '../test-system.ts';
import { readSaid, type Said, sentNow } from './agent/broker.ts';

/** As JSON. */
type Request = Omit<ParsedRequest, 'command'> & { command: CommandJson };

export interface RawFunction extends AsyncDisposable {
  instance: string;
  /** Messages that have arrived. */
  replies: Said[];
  send(agent: AgentId, request: Request): Promise<void>;
  /** A request of now. */
  requestFor(id: JobId, command: CommandJson): Request;
}

export async function connectRawFunction(system: TestSystem): Promise<RawFunction> {
  const authority = await openCertificateAuthority(join(system.system.dataFolder, 'ca'), ['127.0.0.1']);
  const instance = `lr-local-${Math.random().toString(16).slice(2, 12).padEnd(10, '0')}`;
  const client = mqtt.connect({
    protocol: 'mqtts',
    host: '127.0.0.1',
    port: system.system.parts.broker.port,
    ca: authority.certificate,
    cert: authority.functions.certificate,
    key: authority.functions.key,
    clientId: instance,
    protocolVersion: 4,
    clean: true,
    reconnectPeriod: 0,
  });
  const replies: Said[] = [];
  client.on('message', (topic, payload) => void replies.push(readSaid(topic, payload)));
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve()).once('error', reject);
  });
  await client.subscribeAsync(topics.allForInstance(instance), { qos: 1 });
  return {
    instance,
    replies,
    async send(agent, request) {
      await client.publishAsync(topics.request(clientIdOf(LOCAL_STAGE, agent)), JSON.stringify(request), { qos: 1 });
    },
    requestFor(id, command) {
      return { v: PROTOCOL_VERSION, t: 'request', id, replyTo: instance, ...sentNow(), command };
    },
    async [Symbol.asyncDispose]() {
      await client.endAsync(true);
    },
  };
}
