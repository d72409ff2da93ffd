/** Server-sent events (HTML Living Standard). */

export interface ServerEvent {
  event: string;
  /** The position after which a reconnecting client continues. */
  id?: string;
  /** After how many milliseconds a client should reconnect when the stream has ended. */
  retry?: number;
  data: unknown;
}

export interface StreamOptions {
  /** The content of the last event, `error`, for a failure. */
  explain(error: unknown): unknown;
  /**
   * Calls `end` with an error when the caller may not see the rest; the last event then explains it.
   * @returns stops watching; called when the stream is over
   */
  watch(end: (error: unknown) => void): () => void;
}

/** How long a stream lasts; the client then reconnects and continues. Each open stream is billed as function time. */
export const STREAM_MS = 120_000;
/** When the client should reconnect: soon after a whole stream, later when no slot was free. */
export const RETRY_MS = { afterStream: 1_000, withoutSlot: 5_000 };

/** Shorter than the idle timeouts of proxies. */
const HEARTBEAT_MS = 15_000;

/** A body of events, which stops their source when the client disconnects. */
export class EventStream {
  readonly #events: (signal: AbortSignal) => AsyncGenerator<ServerEvent>;

  /** @param events generates the events as they are read. Must end when the signal is aborted: the reader is gone */
  constructor(events: (signal: AbortSignal) => AsyncGenerator<ServerEvent>) {
    this.#events = events;
  }

  /**
   * Never rejects: a failure becomes an event, because the status has been sent already, and because in Lambda an error of
   * the stream ends the process.
   */
  stream({ explain, watch }: StreamOptions): ReadableStream<Uint8Array> {
    const unread = new AbortController();
    const events = this.#events(unread.signal);
    const encoder = new TextEncoder();
    let heartbeat: NodeJS.Timeout | undefined;
    let unwatch = () => {};
    let isOver = false;
    let isCancelled = false;

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
      // No work may remain when the stream has ended, because Lambda freezes the function then. The client already has the
      // first failure.
      finish()
        .catch(() => {})
        .finally(() => !isCancelled && controller.close());
    }

    return new ReadableStream<Uint8Array>({
      start(controller) {
        heartbeat = setInterval(() => {
          // A reader that has fallen behind needs no heartbeat.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': heartbeat\n\n'));
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
      async cancel() {
        isCancelled = true;
        await finish();
      },
    });
  }
}

function format({ event, id, retry, data }: ServerEvent): string {
  const fields = [
    `event: ${event}`,
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    `data: ${JSON.stringify(data)}`,
  ];
  return `${fields.join('\n')}\n\n`;
}
