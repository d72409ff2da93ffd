/** Events as they happen (HTML Living Standard, server-sent events). */

export interface ServerEvent {
  event: string;
  /** Where the stream goes on when the client comes back with it. */
  id?: string;
  data: unknown;
}

/** Below the idle times of proxies. */
const HEARTBEAT_MS = 15_000;

/** A body of events: ends when they do, and ends them when the client leaves. */
export class EventStream {
  readonly #events: AsyncGenerator<ServerEvent>;

  constructor(events: AsyncGenerator<ServerEvent>) {
    this.#events = events;
  }

  stream(): ReadableStream<Uint8Array> {
    const events = this.#events;
    const encoder = new TextEncoder();
    let heartbeat: NodeJS.Timeout | undefined;
    return new ReadableStream<Uint8Array>({
      start(controller) {
        heartbeat = setInterval(() => {
          // A reader that has fallen behind needs no sign of life.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still there\n\n'));
        }, HEARTBEAT_MS);
      },
      async pull(controller) {
        try {
          const { value, done } = await events.next();
          if (!done) return controller.enqueue(encoder.encode(format(value)));
          clearInterval(heartbeat);
          controller.close();
        } catch (error) {
          clearInterval(heartbeat);
          controller.error(error);
        }
      },
      async cancel() {
        clearInterval(heartbeat);
        await events.return(undefined);
      },
    });
  }
}

function format({ event, id, data }: ServerEvent): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
