/** The events of a `text/event-stream`, as a browser's EventSource reads them (WHATWG HTML, section 9.2.6). */
import { EventEmitter, once } from 'node:events';

export interface StreamEvent {
  event: string;
  /** The last id that the stream has sent, up to this event; empty before the first. */
  id: string;
  data: unknown;
}

export interface EventStream {
  status: number;
  headers: Headers;
  /** What has come so far. */
  events: StreamEvent[];
  /** Settles when the server has ended the stream; rejects when the connection broke. */
  ended: Promise<void>;
  /** The first event of this kind, as soon as it is there. Rejects when the stream ends without one. */
  first(event: string): Promise<StreamEvent>;
  /** Goes away, as a caller does that closes the connection. */
  leave(): void;
}

export function readEventStream(response: Response, abort: AbortController): EventStream {
  const events: StreamEvent[] = [];
  const progress = new EventEmitter();
  let over = false;
  const ended = read(response, events, () => progress.emit('some')).finally(() => {
    over = true;
    progress.emit('some');
  });
  ended.catch(() => {}); // Whoever looks at `ended` gets it; a caller that left does not.
  return {
    status: response.status,
    headers: response.headers,
    events,
    ended,
    async first(event) {
      for (;;) {
        const found = events.find((one) => one.event === event);
        if (found !== undefined) return found;
        if (over) throw new Error(`the stream ended without "${event}": ${JSON.stringify(events)}`);
        await once(progress, 'some');
      }
    },
    leave: () => abort.abort(),
  };
}

async function read(response: Response, events: StreamEvent[], onProgress: () => void): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push({ event: event || 'message', id, data: JSON.parse(data.join('\n')) });
        event = '';
        data = [];
        continue;
      }
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
      if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
      else if (field === 'id') id = value;
    }
    onProgress();
  }
}
