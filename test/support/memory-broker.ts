/** The broker of `local/` without a network: real MQTT over WebSockets in memory, whose failures a test decides. */
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import { Aedes, type Client } from 'aedes';
import type { IClientOptions } from 'mqtt';
import { LOCAL_STAGE, type Stage } from '../../shared/identity.ts';

export interface MemoryBroker extends AsyncDisposable {
  stage: Stage;
  /** Options of one connection, as the functions' settings give them. */
  dial(): IClientOptions;
  /** The client ids of those that have connected, in their order. */
  connected: string[];
  /** What clients have published, in the order of its arrival, without what they have sent to themselves. */
  published: { topic: string; payload: Buffer; from: string }[];
  /** Publishes as another client would. */
  publish(topic: string, payload: Buffer): Promise<void>;
  /** Whether clients may open a WebSocket, and subscribe. */
  lets: { connect: boolean; subscribe: boolean };
  /** Whether new connections stay silent: what is sent is taken, and nothing arrives. */
  isSilent: boolean;
  /** Every connection that exists goes silent for ever. */
  blackHole(): void;
  isConnected(client: string): boolean;
  /** Ends the connections of a client. */
  disconnect(client: string): void;
  /** Ends every connection. */
  cut(): void;
}

/** What happens at the broker, as the rules of IoT Core would tell it. */
export interface BrokerEvents {
  onPublish?(topic: string, payload: Buffer, from: string): void;
  onConnection?(event: 'connected' | 'disconnected', client: string): void;
}

export async function startMemoryBroker(events: BrokerEvents = {}): Promise<MemoryBroker> {
  const sockets = new Set<MemoryWebSocket>();
  const clients = new Set<Client>();
  const aedes = await Aedes.createBroker({
    authorizeSubscribe: (_client, subscription, done) => done(null, broker.lets.subscribe ? subscription : null),
  });
  const broker: MemoryBroker = {
    stage: LOCAL_STAGE,
    connected: [],
    published: [],
    lets: { connect: true, subscribe: true },
    isSilent: false,
    dial: () => ({
      protocol: 'ws',
      hostname: 'memory.invalid',
      createWebsocket: () => {
        const socket = new MemoryWebSocket();
        socket.isSilent = broker.isSilent;
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        if (broker.lets.connect) aedes.handle(socket.peer);
        else setImmediate(() => socket.refuse());
        return socket;
      },
    }),
    publish: (topic, payload) =>
      new Promise((resolve, reject) => {
        const packet = { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false } as const;
        aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
      }),
    blackHole() {
      for (const socket of sockets) socket.isSilent = true;
    },
    isConnected: (id) => [...clients].some((client) => client.id === id),
    disconnect(id) {
      for (const client of clients) if (client.id === id) client.close();
    },
    cut() {
      for (const socket of sockets) socket.terminate();
    },
    async [Symbol.asyncDispose]() {
      broker.cut();
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
    },
  };
  aedes.on('client', (client: Client) => {
    clients.add(client);
    broker.connected.push(client.id);
    events.onConnection?.('connected', client.id);
  });
  aedes.on('clientDisconnect', (client: Client) => {
    if (clients.delete(client)) events.onConnection?.('disconnected', client.id);
  });
  aedes.on('publish', ({ topic, payload }, client) => {
    if (client === null || topic.includes('/echo/')) return;
    broker.published.push({ topic, payload: Buffer.from(payload), from: client.id });
    events.onPublish?.(topic, Buffer.from(payload), client.id);
  });
  return broker;
}

/** As much of the class of `ws` as its streams use. */
class MemoryWebSocket extends EventEmitter {
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSED = 3;
  readyState = 1;
  isPaused = false;
  /** Nothing is written later than it is sent. */
  readonly _socket = { _writableState: { finished: true } };
  /** The broker's end. */
  readonly peer: Duplex;
  isSilent = false;

  constructor() {
    super();
    this.peer = new Duplex({
      read() {},
      write: (chunk: Buffer, _, done) => {
        setImmediate(() => {
          if (this.readyState === this.OPEN && !this.isSilent) this.emit('message', chunk, true);
          done();
        });
      },
    });
    // What the broker has written last arrives before the end.
    this.peer.once('close', () => setImmediate(() => this.terminate()));
  }

  send(chunk: Buffer, done: (error?: Error) => void): void {
    if (this.readyState === this.OPEN && !this.isSilent) this.peer.push(chunk);
    setImmediate(done);
  }

  /** As a signed URL without the right to connect is refused. */
  refuse(): void {
    this.emit('error', new Error('Unexpected server response: 403'));
    this.terminate();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(): void {
    this.terminate();
  }

  terminate(): void {
    if (this.readyState === this.CLOSED) return;
    this.readyState = this.CLOSED;
    this.peer.destroy();
    setImmediate(() => this.emit('close'));
  }
}
