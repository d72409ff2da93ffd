/** Streams of server-sent events, as `GET /jobs/{id}/events` answers. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { openStream } from './client.ts';
import { Problem } from './problem.ts';

/** The API sends a sign of life every 15 s: a stream that is silent for longer is broken. */
const SILENCE_MS = 45_000;

export interface StreamedEvent extends EventSourceMessage {
  /** In how many milliseconds to come back when the stream has ended, where the API says so with this event. */
  retryMs: number | undefined;
}

/**
 * The events of a stream until it ends.
 * @param lastEventId where to go on; empty: from the beginning
 * @throws {Problem} also for the event `error`, with which the API ends a stream that has failed
 */
export async function* follow(path: string, lastEventId: string, signal: AbortSignal): AsyncGenerator<StreamedEvent> {
  const silent = new AbortController();
  let silence = window.setTimeout(() => silent.abort(), SILENCE_MS);
  const arrived: StreamedEvent[] = [];
  let retryMs: number | undefined;
  const parser = createParser({
    onRetry(ms) {
      retryMs = ms;
    },
    onEvent(event) {
      arrived.push({ ...event, retryMs });
      retryMs = undefined;
    },
  });
  const decoder = new TextDecoder();
  try {
    const body = await openStream(path, lastEventId, AbortSignal.any([signal, silent.signal]));
    const reader = body.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      window.clearTimeout(silence);
      silence = window.setTimeout(() => silent.abort(), SILENCE_MS);
      parser.feed(decoder.decode(value, { stream: true }));
      for (const event of arrived.splice(0)) {
        if (event.event === 'error') throw streamProblem(event.data);
        yield event;
      }
    }
  } catch (error) {
    if (signal.aborted || error instanceof Problem) throw error;
    const message = silent.signal.aborted ? 'The stream of events has gone silent.' : 'The stream of events broke off.';
    throw new Problem(message, { status: null, code: 'unreachable' });
  } finally {
    window.clearTimeout(silence);
    silent.abort(); // Whoever stops reading closes the connection.
  }
}

function streamProblem(data: string): Problem {
  const { message, code, requestId } = JSON.parse(data) as { message: string; code: string; requestId?: string };
  return new Problem(message, { status: null, code, requestId });
}
