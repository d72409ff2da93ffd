/** Presence in slots: compact enough for a list of many devices, and for charts of a few pixels. */
import { onlineIn, type StateChange } from './presence.ts';

export const SLOTS = 48;

/** Consecutive slots of the same length; Unix, s. */
export interface SlotSpan {
  from: number;
  slotSeconds: number;
}

/** One character per slot: `#` online throughout, `+` in part, `.` not online as far as known, `?` unknown. */
export function slotText(states: readonly StateChange[], { from, slotSeconds }: SlotSpan): string {
  let text = '';
  for (let slot = 0; slot < SLOTS; slot++) {
    const start = from + slot * slotSeconds;
    const { online, known } = onlineIn(states, { from: start, until: start + slotSeconds });
    text += known === 0 ? '?' : online === 0 ? '.' : online === slotSeconds ? '#' : '+';
  }
  return text;
}

export class OnlineCount {
  /** Null while nothing is known of any device. */
  readonly counts: (number | null)[] = Array.from({ length: SLOTS }, () => null);

  add(states: readonly StateChange[], { from, slotSeconds }: SlotSpan): void {
    let at = -1;
    for (let slot = 0; slot < SLOTS; slot++) {
      const end = from + (slot + 1) * slotSeconds;
      while ((states[at + 1]?.at ?? Infinity) < end) at++;
      const is = states[at]?.is ?? null;
      if (is !== null) this.counts[slot] = (this.counts[slot] ?? 0) + (is ? 1 : 0);
    }
  }
}
