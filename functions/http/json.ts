/** Bodies in JSON. */
import { ServiceError } from '../../shared/errors.ts';
import { yieldToEventLoop } from '../table/slices.ts';
import { invalid } from './errors.ts';

/** No request needs more than five levels. JSON.parse takes half a second for four million. */
const MAX_DEPTH = 64;
/** Lists, objects and the values in them: twice the items of the longest list of a request. */
const MAX_VALUES = 200_000;

/**
 * @throws {ServiceError} `validation_failed` for a body that is not JSON in UTF-8, or is nested deeper or holds more values
 *   than any request needs, which is checked before it is parsed
 */
export async function parseJson(bytes: Uint8Array): Promise<unknown> {
  const expected = await checkShape(bytes);
  if (expected !== null) throw invalid('', expected);
  try {
    const text = UTF_8.decode(bytes);
    if (bytes.length > SLICE_BYTES) await yieldToEventLoop();
    return JSON.parse(text);
  } catch {
    throw new ServiceError('validation_failed', 'The body is not JSON in UTF-8', {
      fields: [{ path: '', message: 'expected JSON in UTF-8' }],
    });
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes that are checked before the event loop may handle other requests. */
const SLICE_BYTES = 1024 * 1024;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');

/** @returns what was expected instead; null if depth and number of values are acceptable, even if it is not JSON */
async function checkShape(bytes: Uint8Array): Promise<string | null> {
  let depth = 0;
  let values = 0;
  let isText = false;
  for (let i = 0; i < bytes.length; i++) {
    if (i % SLICE_BYTES === SLICE_BYTES - 1) await yieldToEventLoop();
    const byte = bytes[i];
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) {
      isText = true;
    } else if (byte === COMMA) {
      values++;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++;
      depth++;
      if (depth > MAX_DEPTH) return `expected JSON with at most ${MAX_DEPTH} levels`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth--;
    }
    if (values > MAX_VALUES) return `expected JSON with at most ${MAX_VALUES} values`;
  }
  return null;
}
