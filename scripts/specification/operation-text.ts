/** The descriptions and examples of operations in the OpenAPI document. */
import { EXPORT_DESCRIPTION } from '../../shared/api/export.ts';
import type { Operation } from '../../shared/api/operation.ts';

export const EVENT_STREAM = 'text/event-stream';

export function describe({ scope, perSite, isCommand, otherMedia = [], mediaType, upload }: Operation): string {
  const sentences = [
    neededToken(scope),
    ...(perSite ? ['It is about one site.'] : []),
    ...(upload === undefined ? [] : [`The body is a form with the file in its field \`${upload}\`, or JSON.`]),
    ...(isCommand
      ? [
          'It runs a command on an agent of the site. `Prefer` sets how long to wait for its end; if the wait ends first, the answer is 202 and the job.',
          'With `Accept: text/event-stream` the answer is a stream of the events `accepted`, `output`, `progress` and, at its end, `result` with the job, or `error`.',
        ]
      : []),
    ...(mediaType === 'text/csv' ? [EXPORT_DESCRIPTION] : []),
    ...(mediaType === EVENT_STREAM ? ['The answer is always a stream of events.'] : []),
    ...(otherMedia.includes(EVENT_STREAM) && !isCommand
      ? [
          'With `Accept: text/event-stream` the answer is a stream: `ready`, a `message` for each event, and `end`. After `Last-Event-ID`, a stream sends at most some 1,000 changes: then `gap` stands for the rest, and the stream continues with new events: read the list again. Beyond the limit of streams, of which one token may have a tenth, a stream ends after the existing events; `retry` is the time until the client should reconnect.',
        ]
      : []),
  ];
  return sentences.join(' ');
}

function neededToken(scope: Operation['scope']): string {
  if (scope === null) return 'Needs no token.';
  return scope === 'any' ? 'Needs a valid token, whatever its scopes.' : `Needs a token with the scope \`${scope}\`.`;
}

export function otherContent(type: string, operation: Operation): Record<string, unknown> {
  return { schema: { type: 'string' }, ...exampleOf(type, operation) };
}

function exampleOf(type: string, { isCommand, mediaType, example }: Operation): Record<string, unknown> {
  if (type === mediaType && type !== EVENT_STREAM) return { example: example.response };
  if (type === 'application/x-ndjson') return { example: `${JSON.stringify(example.line ?? {})}\n` };
  if (type === 'text/csv') {
    return {
      example:
        'devName,devMAC,devIP,devType,devFavorite,devStatus\r\nnas,00:1E:06:AA:BB:01,192.168.1.20,NAS,1,online\r\n',
    };
  }
  if (type !== EVENT_STREAM) return {};
  const isFollowed = mediaType === EVENT_STREAM;
  if (isCommand || isFollowed) {
    return {
      example: `event: accepted\ndata: {"id":"home.01934c1e-5f00-7a11-8a22-0123456789ab","state":"running"}\n\nevent: output\nid: 5\ndata: {"at":0,"text":"line\\n"}\n\nevent: result\ndata: ${isFollowed ? JSON.stringify(example.response) : '{"id":"home.01934c1e-5f00-7a11-8a22-0123456789ab","state":"succeeded"}'}\n\n`,
    };
  }
  const { events } = example.response as { events?: unknown[] };
  return {
    example: `event: ready\nid: 1763800000001\nretry: 2000\ndata: {}\n\nevent: message\nid: 1763800000002.0\ndata: ${JSON.stringify(events?.[0] ?? {})}\n\n`,
  };
}
