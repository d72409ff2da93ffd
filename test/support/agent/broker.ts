/** A real broker on a loopback port, and the cloud's end of the conversation, for tests of the agent. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import { MeasurementsBody } from '../../../shared/agent/measurements.ts';
import {
  PROTOCOL_VERSION,
  type Presence,
  type Reply,
  type Request,
  type Result,
} from '../../../shared/agent/messages.ts';
import { CLOCK_SKEW_MS } from '../../../shared/agent/timing.ts';
import { type InstanceId, sourceOf, topics } from '../../../shared/agent/topics.ts';
import { unpackMeasurements, unpackResult } from '../../../shared/agent/wire.ts';
import { type AgentId, clientIdOf, type JobId, LOCAL_STAGE } from '../../../shared/identity.ts';
import { waitFor } from '../wait-for.ts';

export const AGENT: AgentId = 'home:main';
export const CLIENT = clientIdOf(LOCAL_STAGE, AGENT);
export const INSTANCE: InstanceId = 'lr-local-00000000test';
/** For what only keeps it, or passes it on. */
export const IDENTITY = {
  ...{ agent: AGENT, stage: LOCAL_STAGE, broker: 'mqtts://127.0.0.1:1', api: 'http://127.0.0.1:1' },
  ...{ key: 'k', certificate: 'c', authority: 'a' },
};

/** What an agent says of a request. */
export type Said = Reply | Result;

/** What an agent has published on one of its reply topics; not checked, because tests publish anything. */
function readSaid(topic: string, payload: Uint8Array): Said {
  if (sourceOf(topic)?.kind === 'result') return unpackResult(payload);
  return JSON.parse(Buffer.from(payload).toString('utf8')) as Said;
}

export type TestBroker = Awaited<ReturnType<typeof startTestBroker>>;

/** @param tls makes it a broker that wants client certificates */
export async function startTestBroker(tls?: { key: string; cert: string; ca: string }) {
  /** Whether agents may hand messages to rules; a connection that does so nevertheless is ended. */
  const allows = { rules: true };
  const aedes = await Aedes.createBroker({
    authorizePublish: (_client, { topic }, done) =>
      done(!allows.rules && topic.startsWith('$aws/rules/') ? new Error('no right to publish on the topic') : null),
  });
  /** What agents have said of requests, in the order of its arrival, and that of it which went to one instance. */
  const replies: Said[] = [];
  const byInstance = new Map<InstanceId, Said[]>();
  const presences: Presence[] = [];
  /** What agents have reported of their checks. */
  const measured: MeasurementsBody[] = [];
  /** Topics on which agents have published, in their order, and those of messages that were to be retained. */
  const [published, retained]: [string[], string[]] = [[], []];
  /** Client ids in the order in which they connected. */
  const connections: string[] = [];
  const sockets = new Set<Socket>();
  let port = 0;
  let server: Server;
  aedes.on('client', (client) => connections.push(client.id));
  aedes.on('publish', (packet) => {
    const payload = Buffer.from(packet.payload);
    if (packet.retain) retained.push(packet.topic);
    const source = sourceOf(packet.topic);
    if (source !== null) published.push(packet.topic);
    const [, , , channel, instance = ''] = packet.topic.replace(/^\$aws\/rules\/\w+\//, '').split('/');
    if (channel === 'r') {
      const received = byInstance.get(instance) ?? [];
      byInstance.set(instance, received);
      const said = readSaid(packet.topic, payload);
      for (const list of [replies, received]) list.push(said);
    }
    if (channel === 'p') presences.push(JSON.parse(payload.toString()));
    if (channel === 'm') measured.push(MeasurementsBody.parse(unpackMeasurements(payload)));
  });

  async function start(): Promise<void> {
    server = tls
      ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true, noDelay: true }, (socket) =>
          aedes.handle(socket),
        )
      : createServer({ noDelay: true }, (socket) => aedes.handle(socket));
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  /** Stops to listen and cuts every connection; `start` brings it back on the same port. */
  async function stop(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  }
  const sendRaw = (topic: string, payload: Buffer) =>
    new Promise<void>((resolve, reject) => {
      const packet = { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false } as const;
      aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
    });

  await start();
  return {
    get port() {
      return port;
    },
    ...{ replies, presences, measured, topics: published, retained, connections },
    ...{ allows, cut, stop, start, sendRaw },
    repliesTo: (instance: InstanceId) => byInstance.get(instance) ?? [],
    send: (kind: 'req' | 'ctl', message: unknown) =>
      sendRaw(kind === 'req' ? topics.request(CLIENT) : topics.control(CLIENT), Buffer.from(JSON.stringify(message))),
    /** Waits until a reply with these properties is there. */
    reply: <T extends Said['t']>(t: T, id: JobId, matches: Partial<Said> = {}) =>
      waitFor(`a ${t} for ${id}`, () =>
        replies.find(
          (reply): reply is Extract<Said, { t: T }> =>
            reply.t === t &&
            reply.id === id &&
            Object.entries(matches).every(([key, value]) => (reply as Record<string, unknown>)[key] === value),
        ),
      ),
    presence: (state: Presence['state']) =>
      waitFor(`presence ${state}`, () => presences.findLast((presence) => presence.state === state)),
    async [Symbol.asyncDispose]() {
      if (server.listening) await stop();
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
    },
  };
}

let counter = 0;

/** A new job id each time. */
export function newJobId(site = 'home'): JobId {
  counter++;
  const time = Date.now().toString(16).padStart(12, '0');
  const tail = counter.toString(16).padStart(12, '0');
  return `${site}.${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`;
}

/** By a clock some seconds ahead, which agents put up with: a machine that stands still makes none too old. */
export function sentNow(): Pick<Request, 'sentAt' | 'deadline'> {
  const now = Date.now();
  return { sentAt: now + CLOCK_SKEW_MS - 1_000, deadline: now + 30_000 };
}

/** A request that was sent just now. */
export function requestFor(command: Request['command'], changes: Partial<Request> = {}): Request {
  return { v: PROTOCOL_VERSION, id: newJobId(), t: 'request', replyTo: INSTANCE, ...sentNow(), command, ...changes };
}
