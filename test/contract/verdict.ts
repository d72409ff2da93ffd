/** What is wrong with an answer, by what the document says of it. */
import type { Contract } from './document.ts';
import type { Sent } from './requests.ts';

export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** Headers that only stand in an answer when the document says so. */
const DECLARED_HEADERS =
  'ETag Link Location Preference-Applied LanReach-Stale-Since Content-Disposition Retry-After'.split(' ');
/** Codes that tell of a fault of the service, also where the document has them. */
const FAULTS = ['internal_error', 'unavailable'];
/** Codes that say that the request itself is wrong. */
const REFUSALS = ['validation_failed', 'unsupported_media_type', 'method_not_allowed', 'payload_too_large'];

/** @param errorSchema of the body of every failure; used where no operation of the document was asked for */
export function faultsOf(contract: Contract, sent: Sent, received: Received, allowed: readonly string[]): string[] {
  const { status, headers, text } = received;
  const faults: string[] = [];
  if ((headers.get('x-request-id') ?? '') === '') faults.push('no X-Request-Id');
  const json = jsonOf(text);
  const code = status >= 400 ? String((json as { code?: unknown } | undefined)?.code) : '';
  if (FAULTS.includes(code)) faults.push(`${status} ${code}`);

  const answer = sent.operation?.answers.get(status);
  const schema = answer === undefined ? errorSchema(status) : undefined;
  if (sent.operation === null) {
    if (status !== 405) faults.push(`${status} instead of 405`);
    const allow = headers.get('allow')?.split(', ') ?? [];
    if (allowed.some((method) => !allow.includes(method))) faults.push(`Allow: ${allow}, without one of ${allowed}`);
  } else if (answer === undefined) faults.push(`${status} is not documented`);

  const type = headers.get('content-type')?.split(';')[0] ?? null;
  const media = answer === undefined ? schema : type === null ? undefined : answer.content?.[type]?.schema;
  const isEmpty = answer !== undefined && answer.content === undefined;
  if (isEmpty && text !== '') faults.push(`a body with ${status}`);
  if (!isEmpty && media === undefined) faults.push(`the media type ${type} is not documented for ${status}`);
  if (media !== undefined && type === 'application/json') {
    const validate = contract.answers(media);
    if (json === undefined) faults.push('the body is no JSON');
    else if (!validate(json)) faults.push(`the body does not fit: ${JSON.stringify(validate.errors?.[0])}`);
  }
  if (answer !== undefined) {
    const documented = Object.keys(answer.headers ?? {});
    for (const name of DECLARED_HEADERS) {
      if (headers.has(name) && !documented.includes(name)) faults.push(`the header ${name} is not documented`);
    }
    if (documented.includes('ETag') && !headers.has('etag') && type !== 'text/event-stream') {
      const isPage =
        (headers.get('link') ?? '') !== '' || sent.path.includes('limit=') || sent.path.includes('cursor=');
      if (!isPage) faults.push('no ETag');
    }
  }
  if (status === 429) return faults; // Says nothing of the rest.
  if (sent.expected === 'accepted' && REFUSALS.includes(code)) faults.push('refused, although it fits the document');
  if (sent.expected === 'refused' && (status < 400 || status >= 500)) {
    // A stream is a success like any other.
    faults.push('accepted, although it does not fit the document');
  }
  if (sent.expected === 'forbidden' && code !== 'forbidden') faults.push(`${status} instead of 403 without a token`);
  if (sent.expected === 'unsupported media type' && status !== 415) faults.push(`${status} instead of 415`);
  return faults;
}

function errorSchema(status: number) {
  return status >= 400 ? { $ref: '#/components/schemas/Error' } : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
