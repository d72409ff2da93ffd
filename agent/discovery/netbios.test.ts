import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameInNodeStatus, nodeStatusRequest } from './netbios.ts';

/** An answer as hosts give it. */
function nodeStatus(id: number, entries: readonly { name: string; suffix: number; isGroup: boolean }[]): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x8400, 2);
  header.writeUInt16BE(1, 6);
  const data = Buffer.concat([
    Buffer.from([entries.length]),
    ...entries.map(({ name, suffix, isGroup }) =>
      Buffer.concat([Buffer.from(name.padEnd(15), 'latin1'), Buffer.from([suffix, isGroup ? 0x84 : 0x04, 0])]),
    ),
    Buffer.alloc(46),
  ]);
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(0x21, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([header, nodeStatusRequest(id).subarray(12, 46), fields, data]);
}

const ids = fc.integer({ min: 0, max: 0xffff });
const names = fc.stringMatching(/^[A-Z0-9_-]{1,15}$/);

test('the name of the workstation is found among the others', () => {
  const others = fc.array(
    fc.oneof(
      fc.record({ name: names, suffix: fc.integer({ min: 1, max: 255 }), isGroup: fc.boolean() }),
      fc.record({ name: names, suffix: fc.constant(0), isGroup: fc.constant(true) }),
    ),
    { maxLength: 10 },
  );
  fc.assert(
    fc.property(ids, names, others, others, (id, name, before, after) => {
      const answer = nodeStatus(id, [...before, { name, suffix: 0, isGroup: false }, ...after]);
      expect(nameInNodeStatus(answer, id)).toBe(name);
      expect(nameInNodeStatus(answer, (id + 1) & 0xffff)).toBeNull();
    }),
  );
});

test('an answer that is cut anywhere before the name gives none, and never fails', () => {
  fc.assert(
    fc.property(ids, names, fc.nat(), (id, name, cut) => {
      const answer = nodeStatus(id, [{ name, suffix: 0, isGroup: false }]);
      const end = cut % answer.length;
      expect(nameInNodeStatus(answer.subarray(0, end), id)).toBe(end >= 75 ? name : null);
    }),
  );
});

test('random bytes, and answers that were changed in one byte, never fail', () => {
  const answer = nodeStatus(7, [{ name: 'NAS', suffix: 0, isGroup: false }]);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.nat({ max: answer.length - 1 }),
      fc.nat({ max: 255 }),
      (bytes, at, value) => {
        nameInNodeStatus(Buffer.from(bytes), 7);
        const changed = Buffer.from(answer);
        changed[at] = value;
        const name = nameInNodeStatus(changed, 7);
        expect(name === null || name.length <= 15).toBe(true);
      },
    ),
  );
});

test('a request asks for the status of all names', () => {
  // Header with one question; the name "*" in letters; its end; NBSTAT, IN.
  expect(nodeStatusRequest(0x1234).toString('hex')).toBe(
    `1234${'0000'}0001${'0000'.repeat(3)}20434b${'41'.repeat(30)}0000210001`,
  );
});
