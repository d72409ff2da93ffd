/** What a text of slots says is what the turns say of each slot. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StateChange } from './presence.ts';
import { OnlineCount, SLOTS, slotText } from './presence-slots.ts';

const SLOT = 4;
const span = { from: 1_000, slotSeconds: SLOT };
const Turns = fc
  .array(
    fc.record({ at: fc.integer({ min: 990, max: 1_000 + SLOTS * SLOT - 1 }), is: fc.constantFrom(true, false, null) }),
  )
  .map((turns): StateChange[] => {
    const byTime = new Map(turns.map((turn) => [turn.at, turn]));
    return [...byTime.values()].sort((a, b) => a.at - b.at);
  });

test('slots say what each second in them says', () => {
  fc.assert(
    fc.property(fc.array(Turns, { maxLength: 4 }), (devices) => {
      const at = (turns: StateChange[], second: number) => turns.findLast((turn) => turn.at <= second)?.is ?? null;
      const online = new OnlineCount();
      for (const turns of devices) {
        online.add(turns, span);
        const text = slotText(turns, span);
        const expected = Array.from({ length: SLOTS }, (_, slot) => {
          const seconds = Array.from({ length: SLOT }, (_, i) => at(turns, span.from + slot * SLOT + i));
          if (seconds.every((is) => is === null)) return '?';
          if (seconds.every((is) => is !== true)) return '.';
          return seconds.every((is) => is === true) ? '#' : '+';
        });
        expect(text).toBe(expected.join(''));
      }
      const last = devices.map((turns) => at(turns, span.from + SLOTS * SLOT - 1)).filter((is) => is !== null);
      expect(online.counts.at(-1)).toBe(last.length === 0 ? null : last.filter(Boolean).length);
    }),
  );
});
