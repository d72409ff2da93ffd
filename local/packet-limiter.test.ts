import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PacketLimiter } from './packet-limiter.ts';

/** A packet of MQTT 3.1.1: its type, then the length of the rest, seven bits a byte. */
function packet(type: number, body: Buffer): Buffer {
  const header = [type << 4];
  let left = body.length;
  do {
    header.push((left % 128) | (left > 127 ? 0x80 : 0));
    left = Math.floor(left / 128);
  } while (left > 0);
  return Buffer.concat([Buffer.from(header), body]);
}

function subscribe(filters: string[]): Buffer {
  const parts = filters.map((filter) => {
    const text = Buffer.from(filter);
    return Buffer.concat([Buffer.from([text.length >> 8, text.length & 0xff]), text, Buffer.from([1])]);
  });
  return packet(8, Buffer.concat([Buffer.from([0, 1]), ...parts]));
}

/** What a limiter passes on of a stream that comes in pieces, or why it ends the connection. */
function passed(stream: Buffer, cuts: number[], admits?: () => boolean): Buffer | string {
  const gate = new PacketLimiter(admits);
  const ends = [...new Set(cuts.map((cut) => cut % (stream.length + 1))), stream.length].toSorted((a, b) => a - b);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const end of ends) {
    const piece = gate.pass(stream.subarray(from, end));
    if (typeof piece === 'string') return piece;
    pieces.push(piece);
    from = end;
  }
  return Buffer.concat(pieces);
}

const Harmless = fc.oneof(
  fc
    .tuple(
      fc.integer({ min: 1, max: 14 }).filter((type) => type !== 8),
      fc.uint8Array({ maxLength: 300 }),
    )
    .map(([type, body]) => packet(type, Buffer.from(body))),
  fc.array(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 8 }).map(subscribe),
);
const Cuts = fc.array(fc.nat(), { maxLength: 20 });

test('packets within the limits pass unchanged, without the messages that are not admitted, however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(Harmless, fc.boolean()), { maxLength: 10 }), Cuts, (packets, cuts) => {
      const isMessage = ([first]: Buffer) => (first ?? 0) >> 4 === 3;
      const answers = packets.filter(([packet]) => isMessage(packet)).map(([, admitted]) => admitted);
      const wanted = packets.filter(([packet, admitted]) => admitted || !isMessage(packet)).map(([packet]) => packet);
      const stream = Buffer.concat(packets.map(([packet]) => packet));
      expect(passed(stream, cuts)).toEqual(stream);
      expect(passed(stream, cuts, () => answers.shift() ?? false)).toEqual(Buffer.concat(wanted));
      expect(answers).toEqual([]);
    }),
  );
});

const NINE = subscribe(Array.from({ length: 9 }, (_, i) => `filter/${i}`));

test.each([
  [
    'more than 128 KiB, by its length alone',
    packet(3, Buffer.alloc(131_072 - 3)).subarray(0, 4),
    /131073 bytes; at most/,
  ],
  ['nine filters', NINE, /^9 filters in one SUBSCRIBE/],
  ['a length of more than four bytes', Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff]), /more than four bytes/],
])('a packet with %s is refused, behind any others and however it is cut', (_, refused, why) => {
  fc.assert(
    fc.property(fc.array(Harmless, { maxLength: 5 }), Cuts, (packets, cuts) => {
      expect(passed(Buffer.concat([...packets, refused]), cuts)).toMatch(why);
    }),
  );
});

test('a packet of 128 KiB passes', () => {
  expect(passed(packet(3, Buffer.alloc(131_072 - 4)), [])).toHaveLength(131_072);
});
