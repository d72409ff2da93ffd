/** Events as they happen (HTML Living Standard, server-sent events). */

export interface ServerEvent {
  event: string;
  /** Where the stream goes on when the client comes back with it. */
  id?: string;
  data: unknown;
}

export interface StreamOptions {
  /** What the last event, `error`, says of a failure. */
  explain(error: unknown): unknown;
  /**
   * Calls `end` when the caller may not see the rest, with what the last event is to explain.
   * @returns what stops that; it is called when the stream is over
   */
  watch(end: (error: unknown) => void): () => void;
}

/** Below the idle times of proxies. */
const HEARTBEAT_MS = 15_000;

/** A body of events: ends when they do, and ends them when the client leaves. */
export class EventStream {
  readonly #events: (signal: AbortSignal) => AsyncGenerator<ServerEvent>;

  /**
   * @param events makes the events, once somebody reads them. They must end when the signal is aborted, because nobody
   *   reads them any more
   */
  constructor(events: (signal: AbortSignal) => AsyncGenerator<ServerEvent>) {
    this.#events = events;
  }

  /**
   * Never fails: a failure is an event, because the status has been sent long ago. Lambda's streams end the process
   * with an error that is left in a body.
   */
  stream({ explain, watch }: StreamOptions): ReadableStream<Uint8Array> {
    const unread = new AbortController();
    const events = this.#events(unread.signal);
    const encoder = new TextEncoder();
    let heartbeat: NodeJS.Timeout | undefined;
    let unwatch = () => {};
    let isOver = false;

    async function finish(): Promise<void> {
      isOver = true;
      clearInterval(heartbeat);
      unwatch();
      unread.abort();
      await events.return(undefined);
    }

    function fail(controller: ReadableStreamDefaultController<Uint8Array>, error: unknown): void {
      if (isOver) return;
      controller.enqueue(encoder.encode(format({ event: 'error', data: explain(error) })));
      controller.close();
      finish().catch(() => {}); // The client has been sent the first failure.
    }

    return new ReadableStream<Uint8Array>({
      start(controller) {
        heartbeat = setInterval(() => {
          // A reader that has fallen behind needs no sign of life.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still there\n\n'));
        }, HEARTBEAT_MS);
        unwatch = watch((error) => fail(controller, error));
      },
      async pull(controller) {
        try {
          const { value, done } = await events.next();
          if (isOver) return;
          if (!done) return controller.enqueue(encoder.encode(format(value)));
          controller.close();
          await finish();
        } catch (error) {
          fail(controller, error);
        }
      },
      cancel: finish,
    });
  }
}

function format({ event, id, data }: ServerEvent): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
