/**
 * A stretch of network between clients and a server, such as agents and the broker, that can be dead, or cut in the ways
 * a network is. The lab has two relays of its own, because they cross network namespaces: `lab/lab.ts` and
 * `lambda/lab-relay.mjs`.
 */
import { createServer, type Socket, connect as tcpConnect } from 'node:net';
import { listenOnLoopback } from './loopback.ts';

/**
 * What becomes of a connection: it is passed on, it is reset, it waits until others are passed again (`hold`), or it is
 * cut when the client has spoken TLS with the broker and has said who it is, but has heard nothing
 * (`cut-after-handshake`).
 */
export type Treatment = 'pass' | 'refuse' | 'hold' | 'cut-after-handshake';

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** When each connection was tried (`performance.now`), those that were refused too. */
  readonly attempts: number[];
  /** What becomes of connections that are opened from now on, and of those that are held. */
  newConnections: Treatment;
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

export async function startTcpProxy(brokerPort: () => number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  const attempts: number[] = [];
  let treatment: Treatment = 'pass';
  let held: Pair[] = [];

  const server = createServer({ noDelay: true }, (client) => {
    attempts.push(performance.now());
    client.on('error', () => {});
    if (treatment === 'refuse') return void client.resetAndDestroy();
    const pair: Pair = { client, broker: null, dead: false };
    pairs.add(pair);
    client.once('close', () => pairs.delete(pair));
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
    forward(pair, client, broker);
    forward(pair, broker, client);
    client.resume();
  }

  /** Called before anything else listens, so that what follows the handshake is not forwarded. */
  function cutAfterHandshake(client: Socket): void {
    let flights = 0;
    client.on('data', () => {
      if (++flights > FLIGHTS_OF_HANDSHAKE) client.removeAllListeners('data').destroy();
    });
  }

  function forward(pair: Pair, from: Socket, to: Socket): void {
    from.on('data', (bytes) => {
      if (!pair.dead && !to.destroyed) to.write(bytes);
    });
    from.on('end', () => {
      if (!pair.dead && !to.destroyed) to.end();
    });
    from.on('close', () => {
      if (!pair.dead) to.destroy();
    });
  }

  const port = await listenOnLoopback(server);

  const proxy: TcpProxy = {
    port,
    attempts,
    get newConnections() {
      return treatment;
    },
    set newConnections(changed) {
      treatment = changed;
      if (treatment !== 'pass') return;
      for (const pair of held) passOn(pair);
      held = [];
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
