/** When devices were online, in slots: short enough for a list of many devices, and for a picture of a few pixels. */
import { onlineIn, type Turn } from './presence.ts';

export const SLOTS = 48;

/** Slots of the same length, one after the other; Unix, s. */
export interface SlotSpan {
  from: number;
  slotSeconds: number;
}

/** Of each slot: `#` online all of it, `+` some of it, `.` not there as far as that is known, `?` not known. */
export function slotText(turns: readonly Turn[], { from, slotSeconds }: SlotSpan): string {
  let text = '';
  for (let slot = 0; slot < SLOTS; slot++) {
    const start = from + slot * slotSeconds;
    const { online, known } = onlineIn(turns, { from: start, until: start + slotSeconds });
    text += known === 0 ? '?' : online === 0 ? '.' : online === slotSeconds ? '#' : '+';
  }
  return text;
}

/** How many devices are online at the end of each slot. */
export class OnlineCount {
  /** Null as long as nothing is known of any device. */
  readonly counts: (number | null)[] = Array.from({ length: SLOTS }, () => null);

  add(turns: readonly Turn[], { from, slotSeconds }: SlotSpan): void {
    let at = -1;
    for (let slot = 0; slot < SLOTS; slot++) {
      const end = from + (slot + 1) * slotSeconds;
      while ((turns[at + 1]?.at ?? Infinity) < end) at++;
      const is = turns[at]?.is ?? null;
      if (is !== null) this.counts[slot] = (this.counts[slot] ?? 0) + (is ? 1 : 0);
    }
  }
}
