import { createHash, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHUNK_BYTES, Chunk, MAX_CHUNKS, PROTOCOL_VERSION, type Result } from './messages.ts';
import { BROKER_LIMITS } from './topics.ts';
import { encodeMessage, MAX_MESSAGE_BYTES, MAX_PENDING_BYTES, MAX_VALUES, MessageAssembler } from './wire.ts';

const ID = 'home.01890000-0000-7000-8000-000000000001';

function result(output: string, id = ID): Result {
  return {
    v: PROTOCOL_VERSION,
    id,
    t: 'result',
    state: 'succeeded',
    reason: null,
    message: null,
    output,
    truncated: false,
    data: null,
    startedAt: 1,
    endedAt: 2,
  };
}

/** Text that does not compress well: it needs several chunks. */
const noise = (bytes: number) => randomBytes(bytes).toString('base64');
const chunkOf = (payload: Buffer) => Chunk.parse(JSON.parse(payload.toString()));

test('short messages travel as they are, longer ones compressed, long ones in chunks that fit into a packet', () => {
  expect(encodeMessage(result('short')).map((payload) => JSON.parse(payload.toString()))).toEqual([result('short')]);
  const compressed = encodeMessage(result('line\n'.repeat(100_000)));
  expect(compressed).toHaveLength(1);
  expect(chunkOf(compressed[0]!)).toMatchObject({ t: 'chunk', i: 0, n: 1, id: ID });
  const longest = encodeMessage(result(noise(1_000_000), `${'s'.repeat(32)}${ID.slice(4)}`));
  expect(longest.length).toBeGreaterThan(10);
  // The topic, of 256 bytes at the most, travels in the same packet.
  for (const payload of longest) expect(payload.length).toBeLessThan(BROKER_LIMITS.packetBytes - 300);
});

test('messages arrive whole, in whatever order and however often their chunks do', () => {
  const sizes = fc.oneof(fc.nat(6_000), fc.nat(400_000));
  fc.assert(
    fc.property(fc.array(sizes, { minLength: 1, maxLength: 3 }), fc.infiniteStream(fc.nat()), (lengths, random) => {
      const messages = lengths.map((length, i) => result(noise(length), `${ID.slice(0, -1)}${i}`));
      const payloads = messages.flatMap((message) => encodeMessage(message));
      const shuffled = [...payloads, ...payloads]
        .map((payload) => ({ payload, at: random.next().value }))
        .sort((a, b) => a.at - b.at);
      const assembler = new MessageAssembler();
      const arrived = shuffled.map(({ payload }) => assembler.accept(payload)).filter((message) => message !== null);
      for (const message of messages) expect(arrived).toContainEqual(message);
      for (const message of arrived) expect(messages).toContainEqual(message);
    }),
    { numRuns: 60 },
  );
});

test('a message is not there before its last chunk, and what is missing is known', () => {
  const payloads = encodeMessage(result(noise(300_000)));
  expect(payloads.length).toBeGreaterThan(3);
  const assembler = new MessageAssembler();
  expect(assembler.missing(ID)).toEqual([]);
  const late = [2, 0];
  for (const [i, payload] of payloads.entries()) {
    if (!late.includes(i)) expect(assembler.accept(payload)).toBeNull();
  }
  expect(assembler.missing(ID)).toEqual([0, 2]);
  expect(assembler.accept(payloads[2]!)).toBeNull();
  expect(assembler.accept(payloads[0]!)).toEqual(result(expect.any(String)));
  expect(assembler.missing(ID)).toEqual([]);
});

test('chunks that come again after their message is complete leave nothing that is asked for', () => {
  const payloads = encodeMessage(result(noise(300_000)));
  const assembler = new MessageAssembler();
  for (const payload of payloads) assembler.accept(payload);
  expect(assembler.accept(payloads[1]!)).toBeNull();
  expect(assembler.missing(ID)).toEqual([]);
});

test('a message that is sent again as a whole arrives again', () => {
  const payloads = encodeMessage(result(noise(300_000)));
  const assembler = new MessageAssembler();
  const arrived = [...payloads, payloads[0]!, ...payloads].map((payload) => assembler.accept(payload));
  expect(arrived.filter((message) => message !== null)).toHaveLength(2);
});

test('chunks that do not belong together are refused', () => {
  const [first, second] = encodeMessage(result(noise(150_000))).map(chunkOf) as [Chunk, Chunk];
  const send = (assembler: MessageAssembler, chunk: object) => assembler.accept(Buffer.from(JSON.stringify(chunk)));
  const assembler = new MessageAssembler();
  send(assembler, first);
  expect(() => send(assembler, { ...second, n: second.n + 1 })).toThrow('does not fit');
  expect(() => send(assembler, { ...second, len: second.len + 1 })).toThrow('does not fit');
  expect(() => send(assembler, { ...second, i: second.n })).toThrow('does not fit');
  const n = encodeMessage(result('x'.repeat(5_000))).map(chunkOf)[0]!;
  expect(() => send(new MessageAssembler(), { ...n, sha: '0'.repeat(64) })).toThrow('checksum');
  expect(() => send(new MessageAssembler(), { ...n, n: MAX_CHUNKS + 1 })).toThrow();
  const tooLong = Buffer.alloc(CHUNK_BYTES + 3).toString('base64');
  expect(() => send(new MessageAssembler(), { ...first, d: tooLong })).toThrow();
});

test('nothing unpacks to more than 8 MiB', () => {
  const bomb = gzipSync(Buffer.alloc(MAX_MESSAGE_BYTES + 1));
  const payloads = encodeMessage(result('x'.repeat(5_000)));
  const chunk = chunkOf(payloads[0]!);
  expect(gunzipSync(Buffer.from(chunk.d, 'base64')).length).toBeGreaterThan(5_000);
  const sha = createHash('sha256').update(bomb).digest('hex');
  const payload = Buffer.from(JSON.stringify({ ...chunk, len: bomb.length, sha, d: bomb.toString('base64') }));
  expect(() => new MessageAssembler().accept(payload)).toThrow(RangeError);
});

test('neither side packs or unpacks more values than are allowed', () => {
  const data = (values: number) => ({ ...result(''), data: Array.from({ length: values }, () => ({})) });
  const envelope = JSON.stringify(result('')).match(/[,[{]/g)!.length;
  // A list, and for each object in it a brace and, but for the first, a comma.
  const most = data((MAX_VALUES - envelope) / 2);
  const [payload] = encodeMessage(most);
  expect(new MessageAssembler().accept(payload!)).toEqual(most);
  const more = data((MAX_VALUES - envelope) / 2 + 1);
  expect(() => encodeMessage(more)).toThrow(RangeError);
  const compressed = gzipSync(JSON.stringify(more));
  const sha = createHash('sha256').update(compressed).digest('hex');
  const chunk = { ...chunkOf(payload!), len: compressed.length, sha, d: compressed.toString('base64') };
  expect(() => new MessageAssembler().accept(Buffer.from(JSON.stringify(chunk)))).toThrow(RangeError);
});

test('incomplete messages are forgotten after a while, and make room', () => {
  let now = 0;
  const assembler = new MessageAssembler(1_000, () => now);
  const waiting = encodeMessage(result(noise(150_000)));
  assembler.accept(waiting[0]!);
  now = 900;
  expect(assembler.missing(ID)).not.toEqual([]);
  now = 2_000;
  expect(assembler.missing(ID)).toEqual([]);
  // 32 MiB of pieces are held, not more; after a while there is room again.
  const piece = Buffer.alloc(CHUNK_BYTES).toString('base64');
  const fill = (k: number) => {
    const id = `${ID.slice(0, -4)}${k.toString(16).padStart(4, '0')}`;
    const chunk = { v: 1, id, t: 'chunk', i: 0, n: 2, len: 2 * CHUNK_BYTES, sha: 'a'.repeat(64), d: piece };
    return assembler.accept(Buffer.from(JSON.stringify(chunk)));
  };
  const room = Math.floor(MAX_PENDING_BYTES / CHUNK_BYTES);
  for (let k = 0; k < room; k++) expect(fill(k)).toBeNull();
  expect(() => fill(room)).toThrow('too many incomplete messages');
  now = 4_000;
  expect(fill(room)).toBeNull();
});

test('what is longer than a receiver would unpack is refused by the sender, and nothing shorter needs more chunks than are allowed', () => {
  const envelope = JSON.stringify(result('')).length;
  const longest = noise(MAX_MESSAGE_BYTES).slice(0, MAX_MESSAGE_BYTES - envelope);
  expect(() => encodeMessage(result(`${longest}x`))).toThrow(RangeError);
  const assembler = new MessageAssembler();
  const arrived = encodeMessage(result(longest)).map((payload) => assembler.accept(payload));
  expect(arrived.at(-1)).toEqual(result(longest));
}, 60_000);

test('bytes that are no message are refused with an error and nothing worse', () => {
  const assembler = new MessageAssembler();
  for (const text of ['', '{', 'null', '3', '"text"', '{"t":"chunk"}']) {
    expect(() => assembler.accept(Buffer.from(text)), text).toThrow();
  }
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        try {
          const message = assembler.accept(bytes);
          expect(typeof message).toBe('object');
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      },
    ),
  );
});
