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

function refusal(stream: Buffer, cuts: number[]): string | null {
  const gate = new PacketLimiter();
  const ends = [...new Set(cuts.map((cut) => cut % (stream.length + 1))), stream.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    const reason = gate.refusal(stream.subarray(from, end));
    if (reason !== null) return reason;
    from = end;
  }
  return null;
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

test('packets within the limits pass, however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(Harmless, { maxLength: 10 }), Cuts, (packets, cuts) => {
      expect(refusal(Buffer.concat(packets), cuts)).toBe(null);
    }),
  );
});

test('a packet of more than 128 KiB is refused by its length alone, behind any others and however it is cut', () => {
  expect(refusal(packet(3, Buffer.alloc(131_072 - 4)), [])).toBe(null);
  const tooLong = packet(3, Buffer.alloc(131_072 - 3)).subarray(0, 4);
  fc.assert(
    fc.property(fc.array(Harmless, { maxLength: 5 }), Cuts, (packets, cuts) => {
      expect(refusal(Buffer.concat([...packets, tooLong]), cuts)).toMatch(/131073 bytes; at most 131072/);
    }),
  );
});

test('nine filters in one SUBSCRIBE are refused, behind any others and however it is cut', () => {
  const nine = subscribe(Array.from({ length: 9 }, (_, i) => `filter/${i}`));
  fc.assert(
    fc.property(fc.array(Harmless, { maxLength: 5 }), Cuts, (packets, cuts) => {
      expect(refusal(Buffer.concat([...packets, nine]), cuts)).toMatch(/^9 filters in one SUBSCRIBE/);
    }),
  );
});

test('a length of more than four bytes is refused', () => {
  expect(refusal(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff]), [])).toMatch(/more than four bytes/);
});
