/**
 * How a result becomes the payload of one MQTT packet, and the payload a result.
 *
 * A payload is a line of JSON that says whose result it is, and then the result itself, as JSON compressed with gzip.
 * Receivers read the line first, and unpack only what they wait for: a few kilobytes that an agent sends can unpack to
 * megabytes. All other messages are plain JSON.
 *
 * This is the one file of `shared/` that imports a module of Node.js: both sides have to pack and unpack in the same way, and
 * compression is no I/O. `shared/api`, which pages of a browser may import, does not need it.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import type * as z from 'zod';
import type { JobId } from '../identity.ts';
import { Result } from './messages.ts';
import { BROKER_LIMITS } from './topics.ts';

/** The largest payload: the broker counts the topic and the headers of the packet as well. */
export const MAX_PAYLOAD_BYTES = BROKER_LIMITS.packetBytes - BROKER_LIMITS.topicBytes - 16;
/**
 * The longest result as JSON. The most compressible text that a real tool prints, a fast scan of many hosts, shrinks to a
 * fourteenth: more than this would not fit into a packet anyway.
 */
export const MAX_RESULT_BYTES = 2 * 1024 * 1024;
/** The first line is 90 to 120 bytes long. */
const MAX_HEADER_BYTES = 256;
const NEWLINE = 0x0a;

const Header = Result.pick({ v: true, t: true, id: true });
const Body = Result.omit({ v: true, t: true, id: true });

/** The payload of a result; null when it is too long for one packet, or for its receivers. */
export function packResult({ v, t, id, ...body }: Result): Buffer | null {
  const json = Buffer.from(JSON.stringify(body));
  if (json.length > MAX_RESULT_BYTES) return null;
  const header: z.infer<typeof Header> = { v, t, id };
  const payload = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), gzipSync(json)]);
  return payload.length > MAX_PAYLOAD_BYTES ? null : payload;
}

/** The job whose result this payload says it is; null when it is no payload of a result. Unpacks nothing. */
export function jobOfResult(payload: Uint8Array): JobId | null {
  return headerOf(payload)?.id ?? null;
}

/** The result in a payload. Throws when there is none; its `result` has not been checked yet. */
export function unpackResult(payload: Uint8Array): Result {
  const header = headerOf(payload);
  if (header === null) throw new TypeError('the payload does not begin with the header of a result');
  const json = gunzipSync(payload.subarray(payload.indexOf(NEWLINE) + 1), { maxOutputLength: MAX_RESULT_BYTES });
  return { ...header, ...Body.parse(JSON.parse(json.toString('utf8'))) };
}

function headerOf(payload: Uint8Array): z.infer<typeof Header> | null {
  const end = payload.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE);
  if (end === -1) return null;
  try {
    return Header.parse(JSON.parse(Buffer.from(payload.subarray(0, end)).toString('utf8')));
  } catch {
    return null;
  }
}
