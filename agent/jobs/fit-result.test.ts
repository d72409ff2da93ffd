import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Result } from '../../shared/agent/messages.ts';
import { MAX_PAYLOAD_BYTES, unpackResult } from '../../shared/agent/wire.ts';
import { resultOf as madeUpResult } from '../../test/support/made-up-result.ts';
import { fitResult } from './fit-result.ts';

const ID = 'home.01890000-0000-7000-8000-000000000001';

const resultOf = (changes: Partial<Result>) => madeUpResult(ID, changes);

const noise = (characters: number) => randomBytes(characters).toString('base64').slice(0, characters);
/** Texts that compress badly or well, with long, short and no lines, of characters that take one byte of JSON to twelve. */
const text = fc.tuple(fc.constantFrom('noise', 'lines', 'zeros', 'emoji'), fc.nat(300_000)).map(([kind, length]) => {
  if (kind === 'noise') return noise(length);
  if (kind === 'lines') return noise(length).replace(/.{60}/g, '$&\n');
  return (kind === 'zeros' ? '\0' : '😀').repeat(length);
});

test('whatever a tool prints and means, it becomes one packet that says nothing else, and says so if it says less', () => {
  const long = text.map((value) => ({ value }));
  const data = fc.oneof(long, fc.jsonValue(), fc.constant(null));
  fc.assert(
    fc.property(text, data, fc.boolean(), fc.option(text), (output, value, truncated, message) => {
      const whole = resultOf({ output, result: JSON.parse(JSON.stringify(value)), truncated, message });
      const { result, payload } = fitResult(whole);
      expect(payload.length).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
      const received = unpackResult(payload);
      expect(received).toEqual(result);
      const { output: start, result: kept } = received;
      const isCut = start.length < output.length || (kept === null && whole.result !== null);
      expect(output.startsWith(start)).toBe(true);
      expect(start).not.toMatch(/\p{Surrogate}/u);
      expect(whole.message?.startsWith(received.message ?? '') ?? true).toBe(true);
      expect({ ...received, output, message }).toEqual({
        ...whole,
        result: kept === null ? null : whole.result,
        truncated: truncated || isCut,
      });
    }),
    { numRuns: 15 },
  );
});

test('what does not fit is cut behind a line, and nearly all of the packet is used', () => {
  const output = noise(400_000).replace(/.{60}/g, '$&\n');
  const { result, payload } = fitResult(resultOf({ output, result: { hostsUp: 3 } }));
  expect(result.output).toMatch(/\n$/);
  expect(result.result).toEqual({ hostsUp: 3 });
  expect(payload.length).toBeGreaterThan(0.97 * MAX_PAYLOAD_BYTES);
});

test('data that alone are too long are left out, and the output has the room', () => {
  const output = noise(50_000);
  const { result } = fitResult(resultOf({ output, result: { text: noise(200_000) } }));
  expect(result).toEqual(resultOf({ output, truncated: true }));
});

test('data that are no JSON are a defect, and no reason to send something else', () => {
  expect(() => fitResult(resultOf({ result: { big: 1n } }))).toThrow(TypeError);
});
