import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pcapOf } from '../../test/support/agent/frames.ts';
import { MAX_FRAME_BYTES, PcapReader } from './pcap.ts';

const frames = fc.array(
  fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes)),
  { maxLength: 12 },
);

/** The stream in pieces that are cut at these places. */
function pieces(stream: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (stream.length + 1)).sort((a, b) => a - b), stream.length];
  return places.slice(1).map((end, i) => stream.subarray(places[i], end));
}

test('frames come out as they went in, in either byte order, wherever the stream is cut', () => {
  const formats = fc.record({ isLittle: fc.boolean(), magic: fc.constantFrom(0xa1b2c3d4, 0xa1b23c4d) });
  fc.assert(
    fc.property(frames, formats, fc.array(fc.nat(), { maxLength: 40 }), (all, format, cuts) => {
      const reader = new PcapReader();
      const read = pieces(pcapOf(all, format), cuts).flatMap((piece) => reader.push(piece));
      expect(read.map((frame) => frame.toString('hex'))).toEqual(all.map((frame) => frame.toString('hex')));
    }),
  );
});

test('what is no such stream is refused, and none that lies of a length is waited for', () => {
  expect(() => new PcapReader().push(Buffer.alloc(24))).toThrow('no stream of pcap');
  // Cooked captures, as of "any", have no Ethernet header.
  expect(() => new PcapReader().push(pcapOf([], { linkType: 113 }))).toThrow('link type 113');
  const long = pcapOf([Buffer.alloc(MAX_FRAME_BYTES + 1)]);
  expect(() => new PcapReader().push(long.subarray(0, 40))).toThrow(`a frame of ${MAX_FRAME_BYTES + 1} bytes`);
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (chunks) => {
      const reader = new PcapReader();
      reader.push(pcapOf([]));
      try {
        for (const chunk of chunks) {
          for (const frame of reader.push(Buffer.from(chunk)))
            expect(frame.length).toBeLessThanOrEqual(MAX_FRAME_BYTES);
        }
      } catch (error) {
        expect(String(error)).toMatch(/a frame of \d+ bytes/);
      }
    }),
  );
});
