/** Places for calls that wait for the end of a command, or send a stream of events: they bound how many do at a time. */

/** No call waits for longer, in seconds: load balancers commonly end a request after five minutes. */
export const LONGEST_WAIT_S = 280;

/** A stream lasts longer than other calls that wait. */
export type WaitingKind = 'call' | 'stream';

export interface WaitingPlaces {
  /**
   * Takes a place at most until a moment (Unix, ms).
   * @returns gives the place back; null when none is free. Never throws
   */
  take(kind: WaitingKind, until: number): Promise<(() => Promise<void>) | null>;
}

/** How many places a kind may use: streams leave half of them to other calls. */
export function placesFor(kind: WaitingKind, places: number): number {
  return kind === 'stream' ? Math.ceil(places / 2) : places;
}

/** Places of one process that answers all requests. */
export function placesInProcess(places: number): WaitingPlaces {
  const taken = { call: 0, stream: 0 };
  return {
    async take(kind) {
      if (taken.call + taken.stream >= places || taken[kind] >= placesFor(kind, places)) return null;
      taken[kind]++;
      return async () => void taken[kind]--;
    },
  };
}
