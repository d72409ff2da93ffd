/** Slots for calls that wait for the end of a command, or send a stream of events: they bound how many do at a time. */

/** No call waits for longer, in seconds: load balancers commonly end a request after five minutes. */
export const LONGEST_WAIT_S = 280;

/** A stream lasts longer than other calls that wait. */
export type WaitKind = 'call' | 'stream';

export interface WaitSlots {
  /**
   * Takes a slot at most until a moment (Unix, ms).
   * @param holder id of the token that waits
   * @returns gives the slot back; null when none is free. Never throws
   */
  take(kind: WaitKind, until: number, holder: string): Promise<(() => Promise<void>) | null>;
}

/** How many slots a kind may use: streams leave half of them to other calls. */
export function slotsFor(kind: WaitKind, slots: number): number {
  return kind === 'stream' ? Math.ceil(slots / 2) : slots;
}

/** How many of them one holder may use: a tenth of those for streams, so that nobody keeps all others from theirs. */
export function slotsForEach(kind: WaitKind, slots: number): number {
  return kind === 'stream' ? Math.ceil(slotsFor(kind, slots) / 10) : slots;
}

/** Slots of one process that answers all requests. */
export function slotsInProcess(slots: number): WaitSlots {
  const taken = { call: 0, stream: 0 };
  /** By kind and holder; those who have none are left out. */
  const held = new Map<string, number>();
  return {
    async take(kind, _until, holder) {
      const own = `${kind} ${holder}`;
      const has = held.get(own) ?? 0;
      const isFull = taken.call + taken.stream >= slots || taken[kind] >= slotsFor(kind, slots);
      if (isFull || has >= slotsForEach(kind, slots)) return null;
      taken[kind]++;
      held.set(own, has + 1);
      let isBack = false;
      return async () => {
        if (isBack) return;
        isBack = true;
        taken[kind]--;
        const rest = (held.get(own) ?? 1) - 1;
        if (rest === 0) held.delete(own);
        else held.set(own, rest);
      };
    },
  };
}
