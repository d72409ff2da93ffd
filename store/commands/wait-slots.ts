/** Slots for calls that wait for the end of a command, or send a stream of events: they bound how many do at a time. */
import { type Holder, mayTakeMore, type Share } from '../../shared/turns.ts';

/** No call waits for longer, in seconds: load balancers commonly end a request after five minutes. */
export const LONGEST_WAIT_S = 280;

/** A stream lasts longer than other calls that wait. */
export type WaitKind = 'call' | 'stream';

export interface WaitSlots {
  /**
   * Takes a slot at most until a moment (Unix, ms).
   * @param holder who waits; has a third of the slots at most, and fewer where others wait
   * @returns gives the slot back; null when none is free for this holder. Never throws
   */
  take(kind: WaitKind, until: number, holder: Holder): Promise<(() => Promise<void>) | null>;
}

/** How many slots a kind may use: streams leave half of them to other calls. */
export function slotsFor(kind: WaitKind, slots: number): number {
  return kind === 'stream' ? Math.ceil(slots / 2) : slots;
}

/** A slot that is taken. */
export interface TakenSlot {
  kind: WaitKind;
  holder: Holder;
}

/** Whether one more may be taken, beside those that are. */
export function mayTakeSlot({ kind, holder }: TakenSlot, taken: readonly TakenSlot[], slots: number): boolean {
  const same = taken.filter((one) => one.kind === kind);
  const ofSite = same.filter((one) => one.holder.site === holder.site);
  const share: Share = { site: ofSite.length, user: ofSite.filter((one) => one.holder.user === holder.user).length };
  return mayTakeMore(share, Math.min(slots - taken.length, slotsFor(kind, slots) - same.length));
}

/** Slots of one process that answers all requests. */
export function slotsInProcess(slots: number): WaitSlots {
  const taken: TakenSlot[] = [];
  return {
    async take(kind, _until, holder) {
      const slot = { kind, holder };
      if (!mayTakeSlot(slot, taken, slots)) return null;
      taken.push(slot);
      return async () => {
        const at = taken.indexOf(slot);
        if (at !== -1) taken.splice(at, 1);
      };
    },
  };
}
