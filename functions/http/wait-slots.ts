/**
 * Slots for calls that wait for the end of a command, or stream events: they bound the concurrent ones of a process.
 * @promise One token cannot take all streams or all places for waiting calls: `test/api/events.test.ts`,
 *   `functions/http/wait-slots.test.ts`.
 */

/** No call waits longer, in seconds: load balancers commonly end a request after five minutes. */
export const LONGEST_WAIT_S = 280;

/** A call follows one command; a stream goes on for as long as its reader reconnects. */
export type WaitKind = 'call' | 'stream';

export type WaitSlots = ReturnType<typeof openWaitSlots>;

export function openWaitSlots(slots: Readonly<Record<WaitKind, number>>) {
  const taken: Record<WaitKind, string[]> = { call: [], stream: [] };
  return {
    /**
     * @param user may have a third of the slots of a kind
     * @returns releases the slot; null when none is free for this user
     */
    take(kind: WaitKind, user: string): (() => void) | null {
      const users = taken[kind];
      const ofUser = users.filter((other) => other === user).length;
      if (users.length >= slots[kind] || ofUser >= Math.ceil(slots[kind] / 3)) return null;
      users.push(user);
      let isTaken = true;
      return () => {
        if (isTaken) users.splice(users.indexOf(user), 1);
        isTaken = false;
      };
    },
  };
}
