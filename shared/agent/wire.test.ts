import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resultOf } from '../../test/support/made-up-result.ts';
import { clientIdOf } from '../identity.ts';
import { PROTOCOL_VERSION, type Result } from './messages.ts';
import { BROKER_LIMITS, topics } from './topics.ts';
import {
  headerOfResult,
  MAX_PAYLOAD_BYTES,
  MAX_RESULT_BYTES,
  packMeasurements,
  packResult,
  unpackMeasurements,
  unpackResult,
} from './wire.ts';

const ID = 'home.01890000-0000-7000-8000-000000000001';

const result = (changes: Partial<Result> = {}) => resultOf(ID, changes);

const headed = (header: object | string, body: Uint8Array = gzipSync('{}')) => {
  const line = typeof header === 'string' ? header : JSON.stringify(header);
  return Buffer.concat([Buffer.from(`${line}\n`), body]);
};
const HEADER = { v: PROTOCOL_VERSION, t: 'result', id: ID };

test('what is packed is unpacked as it was, whatever the tool printed', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 1_000 }));
  fc.assert(
    fc.property(text, fc.jsonValue(), (output, value) => {
      const packed = packResult(result({ output, result: value }));
      expect(packed?.length).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
      expect(headerOfResult(packed!)?.id).toBe(ID);
      // JSON knows no negative zero.
      expect(unpackResult(packed!)).toEqual(result({ output, result: JSON.parse(JSON.stringify(value)) }));
    }),
  );
});

test('by what plan a job was run is known without unpacking anything', () => {
  const planned = { by: 'schedule' as const, id: '5f0c2a9b1d34', turn: 8.64e15 };
  const id = `${'x'.repeat(32)}${ID.slice(ID.indexOf('.'))}`;
  const packed = packResult(result({ id, planned }))!;
  expect(headerOfResult(packed)).toMatchObject({ id, planned });
  expect(unpackResult(packed)).toEqual(result({ id, planned }));
  expect(headerOfResult(packResult(result())!)?.planned).toBeUndefined();
});

test('measurements of another version of the protocol are known by their version, and read no further', () => {
  const measured = { n: 1, changes: [], points: null };
  expect(unpackMeasurements(packMeasurements(measured))).toEqual({ v: PROTOCOL_VERSION, ...measured });
  const theirs = PROTOCOL_VERSION + 1;
  expect(unpackMeasurements(gzipSync(JSON.stringify({ v: theirs, t: 'measurements', more: 1 })))).toEqual({ theirs });
});

test('the longest payload fits into a packet of the broker, with the longest topic', () => {
  const longestName = 'x'.repeat(32);
  const stage = 's'.repeat(16);
  const topic = topics.result(`lr-${stage}-${longestName}`, clientIdOf(stage, `${longestName}:${longestName}`));
  const noise = (bytes: number) => packResult(result({ output: randomBytes(bytes).toString('base64') }));
  const packed = noise(128_000);
  expect(packed?.length).toBeGreaterThan(0.97 * MAX_PAYLOAD_BYTES);
  // MQTT 3.1.1 section 3.3: five bytes of fixed header at the most, the length of the topic, the packet identifier.
  expect(MAX_PAYLOAD_BYTES + topic.length + 5 + 2 + 2).toBeLessThan(BROKER_LIMITS.packetBytes);
  expect(noise(140_000)).toBeNull();
});

test('what would unpack to more than receivers have room for is neither packed nor unpacked', () => {
  const longest = result({ output: 'x'.repeat(MAX_RESULT_BYTES - JSON.stringify(result()).length + ID.length) });
  expect(unpackResult(packResult(longest)!)).toEqual(longest);
  expect(packResult({ ...longest, output: `${longest.output}${'x'.repeat(100)}` })).toBeNull();
  const bomb = headed(HEADER, gzipSync(Buffer.alloc(100 * MAX_RESULT_BYTES)));
  expect(bomb.length).toBeGreaterThan(MAX_PAYLOAD_BYTES); // gzip makes at most 1032 bytes of one.
  const smaller = headed(HEADER, gzipSync(Buffer.alloc(MAX_RESULT_BYTES + 1)));
  for (const payload of [bomb, smaller]) {
    expect(headerOfResult(payload)?.id).toBe(ID);
    expect(() => unpackResult(payload)).toThrow(RangeError);
  }
});

test('bytes that are no result are refused with an error and nothing worse', () => {
  const body = fc.oneof(
    fc.uint8Array(),
    fc.json().map((text) => gzipSync(text)),
    fc.uint8Array().map((bytes) => gzipSync(bytes)),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        body.map((bytes) => headed(HEADER, bytes)),
      ),
      (payload) => {
        headerOfResult(payload);
        expect(() => unpackResult(payload)).toThrow(Error);
      },
    ),
  );
});
