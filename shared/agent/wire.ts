/**
 * Encodes a result as the payload of one MQTT packet, and decodes it.
 *
 * A payload is a line of JSON with the job id and, if planned, its run, followed by the result as JSON in gzip. Receivers
 * read the line first, and decompress only results that they wait for, because a few kilobytes can expand to megabytes.
 * All other messages are plain JSON. Imports `node:zlib`, so `shared/api`, which web pages import, must not import this.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { MeasurementsBody } from './measurements.ts';
import { otherVersionOf, PROTOCOL_VERSION, ProtocolVersion, Result } from './messages.ts';
import { Plan } from './plan.ts';
import { BROKER_LIMITS } from './topics.ts';

/** The largest payload: the broker also counts the topic and the headers of the packet. */
export const MAX_PAYLOAD_BYTES = BROKER_LIMITS.packetBytes - BROKER_LIMITS.topicBytes - 16;
/** The longest result as JSON. Real output shrinks to a fourteenth at best: a longer one would not fit. */
export const MAX_RESULT_BYTES = 2 * 1024 * 1024;
/** The first line is 90 to 190 bytes long. */
const MAX_HEADER_BYTES = 256;
const NEWLINE = 0x0a;

const Header = Result.pick({ v: true, t: true, id: true, planned: true });
const Body = Result.omit({ v: true, t: true, id: true, planned: true });

/** The payload of a result; null when it exceeds one packet, or the limit of its receivers. */
export function packResult({ v, t, id, planned, ...body }: Result): Buffer | null {
  const json = Buffer.from(JSON.stringify(body));
  if (json.length > MAX_RESULT_BYTES) return null;
  const header: z.infer<typeof Header> = { v, t, id, ...(planned === undefined ? {} : { planned }) };
  const payload = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), gzipSync(json)]);
  return payload.length > MAX_PAYLOAD_BYTES ? null : payload;
}

/** The job and the planned run that a payload claims, without decompression; null when it is not the payload of a result. */
export function headerOfResult(payload: Uint8Array): z.infer<typeof Header> | null {
  const end = payload.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE);
  if (end === -1) return null;
  try {
    return Header.parse(JSON.parse(Buffer.from(payload.subarray(0, end)).toString('utf8')));
  } catch {
    return null;
  }
}

/** Decodes a payload. Throws when it is malformed. The field `result` is not validated yet. */
export function unpackResult(payload: Uint8Array): Result {
  const header = headerOfResult(payload);
  if (header === null) throw new TypeError('the payload does not begin with the header of a result');
  const json = gunzipSync(payload.subarray(payload.indexOf(NEWLINE) + 1), { maxOutputLength: MAX_RESULT_BYTES });
  return { ...header, ...Body.parse(JSON.parse(json.toString('utf8'))) };
}

/** The longest plan and the longest measurements as JSON. */
const MAX_JSON_BYTES = 1024 * 1024;
const UNPACK = { maxOutputLength: MAX_JSON_BYTES } as const;

/** The body of a message with a plan. */
export function packPlan(plan: z.input<typeof Plan>): string {
  return gzipSync(JSON.stringify(plan)).toString('base64');
}

/** @throws when the text is no plan */
export function unpackPlan(text: string): Plan {
  return Plan.parse(JSON.parse(gunzipSync(Buffer.from(text, 'base64'), UNPACK).toString('utf8')));
}

/** The payload of measurements: JSON in gzip. @throws {RangeError} when it is too long for one packet */
export function packMeasurements(body: MeasurementsBody): Buffer {
  const payload = gzipSync(JSON.stringify({ v: PROTOCOL_VERSION, t: 'measurements', ...body }));
  if (payload.length > MAX_PAYLOAD_BYTES) throw new RangeError(`measurements of ${payload.length} bytes`);
  return payload;
}

const Measurements = z.object({ v: ProtocolVersion, ...MeasurementsBody.shape });

/** @throws when the payload is malformed. @returns the version of a sender that speaks another one */
export function unpackMeasurements(payload: Uint8Array): z.infer<typeof Measurements> | { theirs: number } {
  const json: unknown = JSON.parse(gunzipSync(payload, UNPACK).toString('utf8'));
  const theirs = otherVersionOf(json);
  return theirs === null ? Measurements.parse(json) : { theirs };
}
