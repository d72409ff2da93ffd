/** HTTP connections that another process opens for us and hands over. */
import { Agent } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AT_ONCE } from '../store/client.ts';

type Created = (error: Error | null, socket: Duplex) => void;

/**
 * When the first connection is needed, all that may be needed are requested. This process receives only one of them per
 * round of its event loop, so in a rush the last of many would arrive too late.
 */
export class HandedOverSockets extends Agent {
  readonly #ask: () => boolean;
  /** Connections that exist, in use or not. */
  #open = 0;
  /** Connections that were requested and have not arrived yet. */
  #asked = 0;
  readonly #spare = new Set<Socket>();
  readonly #waiting: Created[] = [];

  /** @param ask requests one connection from the other process; returns false when there is no such process */
  constructor(ask: () => boolean) {
    super({ keepAlive: true, maxSockets: AT_ONCE });
    this.#ask = ask;
  }

  override createConnection(_options: unknown, created: Created): Socket | undefined {
    for (const socket of this.#spare) {
      this.#spare.delete(socket);
      if (socket.writable) return socket;
    }
    this.#waiting.push(created);
    // For many simultaneous requests Node.js asks for more sockets than the limit, and closes the surplus later.
    const isWanted = () => this.#asked < this.#waiting.length || this.#open + this.#asked < AT_ONCE;
    while (isWanted() && this.#ask()) this.#asked++;
    if (this.#asked === 0) process.nextTick(() => this.#fail('ECONNREFUSED'));
    return undefined;
  }

  /** To be called with every message of the other process: a connection, or an error code. */
  receive(message: unknown, handle: unknown): void {
    this.#asked = Math.max(0, this.#asked - 1);
    // The socket may have been closed on its way.
    if (handle instanceof Socket) this.#add(handle);
    else this.#fail((message as { error?: string }).error ?? 'ECONNRESET');
  }

  /** To be called when the other process has ended, and with it the server. */
  lost(): void {
    this.#asked = 0;
    for (const socket of this.#spare) socket.destroy();
    while (this.#waiting.length > 0) this.#fail('ECONNRESET');
  }

  #add(socket: Socket): void {
    this.#open++;
    socket.setNoDelay(true);
    socket.once('close', () => {
      this.#open--;
      this.#spare.delete(socket);
    });
    const created = this.#waiting.shift();
    if (created === undefined) {
      this.#spare.add(socket);
      socket.on('error', () => {}).resume(); // Reading detects its end.
    } else {
      created(null, socket);
    }
  }

  #fail(code: string): void {
    const failure = Object.assign(new Error(`Cannot connect to the embedded database: ${code}`), { code });
    this.#waiting.shift()?.(failure, new Socket());
  }
}
