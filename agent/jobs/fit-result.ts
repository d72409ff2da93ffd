/** Shortens a result until it fits into one MQTT packet. */
import { MAX_MESSAGE_CHARACTERS, type Result } from '../../shared/agent/messages.ts';
import { packResult } from '../../shared/agent/wire.ts';
import { startOf } from '../../shared/text.ts';

/** The output is cut after its last complete line, unless that would remove more characters than this. */
const LONGEST_LINE = 1_000;
/** Steps of the binary search for the longest output that fits: accurate to a thousandth. */
const ATTEMPTS = 10;

interface Fitted {
  result: Result;
  payload: Buffer;
}

/**
 * Almost all results fit: a scan with version detection of 256 hosts with up to six services each has 113 KB when
 * compressed. Otherwise the end of the output is cut and, if the field `result` alone is too long, that field is dropped.
 * The beginning stays because followers have seen it and streams resume from it; what a tool prints at the end, such as
 * a summary, is also in `result` or in the message.
 * @throws {TypeError} when the field `result` cannot be written as JSON
 */
export function fitResult(whole: Result): Fitted {
  const result = { ...whole, message: whole.message === null ? null : startOf(whole.message, MAX_MESSAGE_CHARACTERS) };
  const payload = packResult(result);
  if (payload !== null) return { result, payload };
  const fitted = withShorterOutput(result) ?? withShorterOutput({ ...result, result: null });
  if (fitted === null) throw new TypeError(`the result of ${whole.id} does not fit into a packet without its output`);
  return fitted;
}

/** The result with as much output as fits; null when it does not fit even without output. */
function withShorterOutput(result: Result): Fitted | null {
  const { length } = result.output;
  let best = withOutput(result, length) ?? withOutput(result, 0);
  let [fits, tooLong] = best?.result.output.length === length ? [length, length] : [0, length];
  for (let attempt = 0; best !== null && attempt < ATTEMPTS && tooLong - fits > 1; attempt++) {
    const middle = Math.floor((fits + tooLong) / 2);
    const fitted = withOutput(result, middle);
    if (fitted === null) tooLong = middle;
    else [fits, best] = [middle, fitted];
  }
  return best;
}

function withOutput(whole: Result, length: number): Fitted | null {
  const lineEnd = length === 0 ? 0 : whole.output.lastIndexOf('\n', length - 1) + 1;
  const cut = length < whole.output.length && length - lineEnd <= LONGEST_LINE ? lineEnd : length;
  const result = { ...whole, output: startOf(whole.output, cut), truncated: true };
  const payload = packResult(result);
  return payload === null ? null : { result, payload };
}
