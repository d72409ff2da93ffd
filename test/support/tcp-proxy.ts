/**
 * A stretch of network between clients and a server, such as agents and the broker, that can be slow, dead, or cut in the ways a network is. The
 * lab has two relays of its own, because they cross network namespaces: `lab/lab.ts` and `lambda/lab-relay.mjs`.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket, connect as tcpConnect } from 'node:net';

/**
 * What becomes of a connection: it is passed on, it is reset, it is accepted and nothing ever comes back (`swallow`), it
 * waits until others are passed again (`hold`), or it is cut when the client has spoken TLS with the broker and has said
 * who it is, but has heard nothing (`cut-after-handshake`).
 */
export type Treatment = 'pass' | 'refuse' | 'swallow' | 'hold' | 'cut-after-handshake';

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** When each connection was tried (`performance.now`), those that were refused too. */
  readonly attempts: number[];
  /** Connections that exist. */
  readonly connections: number;
  /** Bytes that clients have sent over connections that are dead. */
  readonly swallowed: number;
  /** What becomes of connections that are opened from now on, and of those that are held. */
  newConnections: Treatment;
  /** Holds back every byte on its way to the broker, or from it, for so long. The order stays. */
  delay(direction: 'to-broker' | 'from-broker', ms: number): void;
  /** Ends every connection in order, on both sides. */
  closeAll(): void;
  /** Ends every connection with a reset, on both sides. */
  resetAll(): void;
  /** Every connection that exists goes silent for ever: what is sent is taken, and nothing arrives. */
  blackHole(): void;
}

interface Pair {
  client: Socket;
  broker: Socket | null;
  dead: boolean;
}

/** What a client sends before it is certified: ClientHello; its certificate and the end of the handshake. CONNECT follows. */
const FLIGHTS_OF_HANDSHAKE = 2;

/** @param path of a socket in the file system on which it listens, instead of a port of its own on loopback */
export async function startTcpProxy(brokerPort: () => number, path?: string): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  const attempts: number[] = [];
  let swallowed = 0;
  let treatment: Treatment = 'pass';
  let held: Pair[] = [];
  const delayMs = { 'to-broker': 0, 'from-broker': 0 };

  const server = createServer({ noDelay: true }, (client) => {
    attempts.push(performance.now());
    client.on('error', () => {});
    if (treatment === 'refuse') return void client.resetAndDestroy();
    const pair: Pair = { client, broker: null, dead: treatment === 'swallow' };
    pairs.add(pair);
    client.once('close', () => pairs.delete(pair));
    client.on('data', ({ length }) => {
      if (pair.dead) swallowed += length;
    });
    if (pair.dead) return;
    if (treatment === 'cut-after-handshake') cutAfterHandshake(client);
    if (treatment !== 'hold') return passOn(pair);
    client.pause(); // What it sends meanwhile is read when there is somewhere to send it.
    held.push(pair);
  });

  function passOn(pair: Pair): void {
    const { client } = pair;
    const broker = tcpConnect({ host: '127.0.0.1', port: brokerPort(), noDelay: true });
    pair.broker = broker;
    broker.on('error', () => client.destroy());
    forward(pair, client, broker, 'to-broker');
    forward(pair, broker, client, 'from-broker');
    client.resume();
  }

  /** Called before anything else listens, so that what follows the handshake is not forwarded. */
  function cutAfterHandshake(client: Socket): void {
    let flights = 0;
    client.on('data', () => {
      if (++flights > FLIGHTS_OF_HANDSHAKE) client.removeAllListeners('data').destroy();
    });
  }

  /** Each piece waits for its time, and for the pieces before it; the end of the stream comes after all of them. */
  function forward(pair: Pair, from: Socket, to: Socket, direction: keyof typeof delayMs): void {
    let last = 0;
    const later = (act: () => void) => {
      const dueAt = Math.max(last, performance.now() + delayMs[direction]);
      last = dueAt;
      if (delayMs[direction] === 0 && dueAt <= performance.now()) act();
      else setTimeout(act, dueAt - performance.now()).unref();
    };
    from.on('data', (bytes) => {
      if (!pair.dead) later(() => void (to.destroyed || pair.dead || to.write(bytes)));
    });
    from.on('end', () => {
      if (!pair.dead) later(() => void (to.destroyed || pair.dead || to.end()));
    });
    from.on('close', () => {
      if (!pair.dead && delayMs[direction] === 0) to.destroy();
    });
  }

  if (path === undefined) server.listen(0, '127.0.0.1');
  else server.listen(path);
  await once(server, 'listening');
  const port = path === undefined ? (server.address() as AddressInfo).port : 0;

  const proxy: TcpProxy = {
    port,
    attempts,
    get connections() {
      return pairs.size;
    },
    get swallowed() {
      return swallowed;
    },
    get newConnections() {
      return treatment;
    },
    set newConnections(changed) {
      treatment = changed;
      if (treatment !== 'pass') return;
      for (const pair of held) passOn(pair);
      held = [];
    },
    delay(direction, ms) {
      delayMs[direction] = ms;
    },
    closeAll() {
      for (const { client, broker } of pairs) {
        client.end();
        broker?.end();
      }
    },
    resetAll() {
      for (const { client, broker } of pairs) {
        client.resetAndDestroy();
        broker?.resetAndDestroy();
      }
    },
    blackHole() {
      for (const pair of pairs) pair.dead = true;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const { client, broker } of pairs) {
        client.destroy();
        broker?.destroy();
      }
    },
  };
  return proxy;
}
