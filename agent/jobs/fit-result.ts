/** Makes a result fit into one packet of the broker. */
import { MAX_MESSAGE_CHARACTERS, type Result } from '../../shared/agent/messages.ts';
import { packResult } from '../../shared/agent/wire.ts';
import { startOf } from '../../shared/text.ts';

/** The output is cut behind its last whole line, unless that would take away more than so many characters. */
const LONGEST_LINE = 1_000;
/** Each halves the part of the output of which it is not known whether it fits: to a thousandth of the whole. */
const ATTEMPTS = 10;

interface Fitted {
  result: Result;
  payload: Buffer;
}

/**
 * The result itself where it fits, as almost all do: a scan with version detection of 256 hosts with up to six services
 * each has 113 KB when compressed. Else its output is cut at the end and, where its `result` alone is too long, that is left out.
 * The beginning is kept because whoever followed the command has seen it, and can go on from there; what stands at the
 * end of an output, such as a summary or a reason, is also in `result` or in the message.
 * @throws {TypeError} when its `result` is no JSON
 */
export function fitResult(whole: Result): Fitted {
  const result = { ...whole, message: whole.message === null ? null : startOf(whole.message, MAX_MESSAGE_CHARACTERS) };
  const payload = packResult(result);
  if (payload !== null) return { result, payload };
  const fitted = withShorterOutput(result) ?? withShorterOutput({ ...result, result: null });
  if (fitted === null) throw new TypeError(`the result of ${whole.id} does not fit into a packet without its output`);
  return fitted;
}

/** With as much of its output as there is room for; null when there is none even without. */
function withShorterOutput(result: Result): Fitted | null {
  const { length } = result.output;
  let best = withOutput(result, length) ?? withOutput(result, 0);
  let [fits, tooLong] = best?.result.output.length === length ? [length, length] : [0, length];
  for (let attempt = 0; best !== null && attempt < ATTEMPTS && tooLong - fits > 1; attempt++) {
    const middle = Math.floor((fits + tooLong) / 2);
    const fitted = withOutput(result, middle);
    if (fitted === null) {
      tooLong = middle;
    } else {
      fits = middle;
      best = fitted;
    }
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
