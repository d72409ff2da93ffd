/** Attacks of an agent on the server as a whole; what each does to one part has tests beside that part. */
import { randomBytes } from 'node:crypto';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { endpointOf } from '../../../agent/link/session.ts';
import { PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import { BROKER_LIMITS, topics } from '../../../shared/agent/topics.ts';
import { MAX_RESULT_BYTES } from '../../../shared/agent/wire.ts';
import type { AgentId } from '../../../shared/identity.ts';
import type { ApiClient } from '../../api-client.ts';
import { ackFor, type EnrolledAgent, type StandIn } from '../../support/enrolled-agent.ts';
import { ENDED } from '../../support/made-up-result.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Loot } from './attacks.ts';

export interface World {
  brokerPort: number;
  /** With the token that may do everything. */
  api: ApiClient;
  loot: Loot;
  /** An agent that has fallen into the wrong hands, with a site of its own, and a token for that site. */
  rogue: { enrolled: EnrolledAgent; agent: StandIn; site: string; token: string };
  /** The agent of this machine. */
  victim: AgentId;
}

/** What went wrong; empty when nothing did. */
type Faults = Promise<string[]>;

export const KNOWN_ATTACKS = {
  'gzip bombs from an agent, for commands that wait, have ended, or never were': bombs,
  'broken packets and half handshakes at the broker': brokenPackets,
  'a flood of small messages from an agent': smallMessages,
} as const satisfies Record<string, (world: World) => Faults>;
export type KnownAttack = keyof typeof KNOWN_ATTACKS;

/** What is open is closed again at the end. */
async function withSockets(count: number, open: () => Socket, use: (sockets: Socket[]) => Faults): Faults {
  const sockets = Array.from({ length: count }, open);
  for (const socket of sockets) socket.on('error', () => {});
  try {
    return await use(sockets);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/**
 * A command that the rogue agent has taken and does not answer. Where its connection has been cut or taken over, it
 * connects again by itself, and until then a command may be refused or get lost. What is sent to it twice, because its
 * word was late, it takes twice.
 */
async function runningCommand({ api, rogue }: World): Promise<{ id: string; replyTo: string }> {
  const giveUpAt = performance.now() + WAIT_MS;
  for (;;) {
    const answered = new AbortController();
    const options = { site: rogue.site, token: rogue.token, headers: { prefer: 'respond-async' } };
    const sent = api.request('GET', '/nettools/interfaces', options).finally(() => answered.abort());
    const next = () => rogue.agent.request(answered.signal).catch(() => null);
    for (let request = await next(); request !== null; request = await next()) {
      await rogue.agent.say(request.replyTo, ackFor(request));
    }
    const { status, text } = await sent;
    const taken = rogue.agent.requests.find(({ id }) => text.includes(id));
    if (status === 202 && taken !== undefined) return taken;
    if (performance.now() > giveUpAt) throw new Error(`a command for the rogue agent: ${status} ${text}`);
    await sleep(100);
  }
}

async function endCommand({ rogue }: World, { id, replyTo }: { id: string; replyTo: string }): Promise<void> {
  await rogue.agent.publish(topics.result(replyTo, rogue.agent.client), resultPayload(id, RESULT));
  await rogue.agent.control('stored', id);
}

const RESULT = JSON.stringify({ ...ENDED, result: {} });

/** What an agent publishes as the result of a job: with this text as its JSON, or with this as its gzip. */
function resultPayload(id: string, content: string | Buffer): Buffer {
  const header = JSON.stringify({ v: PROTOCOL_VERSION, t: 'result', id });
  return Buffer.concat([Buffer.from(`${header}\n`), typeof content === 'string' ? gzipSync(content) : content]);
}

async function bombs(world: World): Faults {
  const { rogue } = world;
  const objects = gzipSync(`{"result":[${'{},'.repeat(MAX_RESULT_BYTES / 3 - 20)}{}]}`);
  const beyond = gzipSync(Buffer.alloc(90 * 1024 * 1024)); // Above every limit when it is unpacked.
  const waiting = await runningCommand(world);
  const ended = await runningCommand(world);
  await endCommand(world, ended);
  const invented = `${rogue.site}.01890000-0000-7000-8000-000000000001`;
  for (let i = 0; i < 60; i++) {
    for (const id of [invented, ended.id, world.loot.job]) {
      const instance = i % 2 === 0 ? ended.replyTo : 'lr-local-00000000';
      const payload = resultPayload(id, i % 3 === 0 ? beyond : objects);
      await rogue.agent.publish(topics.result(instance, rogue.agent.client), payload);
    }
  }
  await rogue.agent.publish(topics.result(waiting.replyTo, rogue.agent.client), resultPayload(waiting.id, beyond));
  await rogue.agent.control('stored', waiting.id);
  const job = await world.api.request('GET', `/jobs/${waiting.id}`);
  const { state, reason } = job.json as { state: string; reason: string };
  return state === 'failed' && reason === 'malformed_result' ? [] : [`the command that waited: ${job.text}`];
}

async function brokenPackets(world: World): Faults {
  const { brokerPort, rogue } = world;
  const { identity } = rogue.enrolled;
  const tcp = () => connectTcp(brokerPort, '127.0.0.1');
  const tls = () =>
    connectTls({ ...endpointOf(identity, `mqtts://127.0.0.1:${brokerPort}`), servername: 'localhost' } as object);
  const packets = [
    Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]), // CONNECT with 256 MB to come
    Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0xff]), // a length without end
    Buffer.from([0x30, 0x05, 0x00, 0x03, 0x61, 0x2f, 0x62]), // PUBLISH before CONNECT
    Buffer.from([0x00, 0x00]), // a type that does not exist
    Buffer.from([0x10, 0x0c, 0x00, 0x04, 0x4d, 0x51, 0x54, 0x54, 0x04, 0xff, 0x00, 0x3c, 0xff, 0xff]), // reserved flags
    Buffer.from([0x82, 0x00]), // SUBSCRIBE to nothing
    Buffer.concat([Buffer.from([0x30, 0x80, 0x80, 0x80, 0x01]), Buffer.alloc(BROKER_LIMITS.packetBytes * 2)]),
    randomBytes(2_000),
    Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  ];
  const hello = Buffer.from([0x16, 0x03, 0x01, 0x40, 0x00, 0x01, 0x00, 0x3f, 0xfc, 0x03, 0x03]);
  return withSockets(200, tcp, async (sockets) => {
    for (const [i, socket] of sockets.entries())
      socket.write(i % 3 === 0 ? hello : i % 3 === 1 ? randomBytes(500) : '\r\n');
    return withSockets(packets.length * 3, tls, async (secured) => {
      let closed = 0;
      for (const [i, socket] of secured.entries()) {
        socket.resume().once('close', () => closed++);
        socket.write(packets[i % packets.length]!);
      }
      await waitFor('broken packets to end their connections', () => closed === secured.length, WAIT_MS);
      await endCommand(world, await runningCommand(world));
      return [];
    });
  });
}

async function smallMessages(world: World): Faults {
  const { rogue } = world;
  const payload = Buffer.from('{"v":1,"t":"ack"}');
  const published = Array.from({ length: 3_000 }, (_, i) => {
    const topic =
      i % 2 === 0 ? topics.reply('lr-local-00000000', rogue.agent.client) : topics.presence(rogue.agent.client);
    return rogue.agent.publish(topic, payload).catch(() => {}); // Its link refuses what is too much at once.
  });
  await Promise.all(published);
  await endCommand(world, await runningCommand(world));
  return [];
}

const WAIT_MS = 60_000;
