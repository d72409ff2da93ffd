/**
 * When packets are sent to a device that is to wake, and when it is looked for. Only an answer of the device's own MAC that
 * is newer than the packet proves that it is awake: a sent packet says nothing, and a script goes on only with a success.
 */
import type { Verified } from '../../shared/tools/wake-on-lan.ts';
import type { DeviceSearch } from './tool.ts';

/** A packet may be lost, and a device that is just falling asleep hears only the later ones. After the first packet. */
const SEND_AGAIN_AFTER_MS: readonly number[] = [5_000, 15_000];
/** From the start of one look to the start of the next, so that a look which answers at once is not repeated at once. */
const LOOK_EVERY_MS = 1_000;
/**
 * From the start of one look at whole networks to the start of the next, for a device that has an address and may wake with
 * another one, and for one of which no address is known. Each sends some hundred broadcasts.
 */
const LOOK_EVERYWHERE_EVERY_MS = { withAddress: 15_000, withoutAddress: 2_000 };
/** Limit of the look before the first packet. */
const LOOK_BEFORE_WITHIN_MS = 15_000;

export interface WakeSteps {
  /** Milliseconds of a clock that never goes back: `performance.now()`. */
  now(): number;
  /** Waits. Rejects when the command is stopped. */
  pause(ms: number): Promise<void>;
  /** Sends the packets. @param afterMs time since they were sent first */
  send(afterMs: number): Promise<void>;
  look: DeviceSearch['look'];
  /** Called before each look after the first packet. */
  watching(elapsedMs: number): void;
}

/**
 * Wakes a device and watches for it. Only an answer that is newer than the packet proves that it has woken; one from before
 * it proves that it was awake already. The packet is sent to such a device too, because some network cards answer ARP
 * while their host sleeps.
 * @param knowsAddress whether the device can be looked for at one address. If so, looks everywhere are still made from time
 *   to time, because it may wake with another address.
 * @returns null when there was no sign of it in `watchMs` after the first packet
 */
export async function watchItWake(
  steps: WakeSteps,
  { watchMs, knowsAddress }: { watchMs: number; knowsAddress: boolean },
): Promise<Verified | null> {
  const before = await steps.look(steps.now(), !knowsAddress, LOOK_BEFORE_WITHIN_MS);
  const sentAt = steps.now();
  await steps.send(0);
  if (before !== null) return { awake: true, already: true, afterMs: 0, ip: before };

  const elapsed = () => steps.now() - sentAt;
  const sendAgain = [...SEND_AGAIN_AFTER_MS];
  const everywhereEveryMs = LOOK_EVERYWHERE_EVERY_MS[knowsAddress ? 'withAddress' : 'withoutAddress'];
  let everywhereAt = knowsAddress ? everywhereEveryMs : 0;
  for (let lookedAt = 0; lookedAt < watchMs; lookedAt = elapsed()) {
    if (lookedAt >= (sendAgain[0] ?? Number.POSITIVE_INFINITY)) {
      sendAgain.shift();
      await steps.send(lookedAt);
    }
    steps.watching(lookedAt);
    const everywhere = lookedAt >= everywhereAt;
    if (everywhere) everywhereAt = lookedAt + everywhereEveryMs;
    const ip = await steps.look(sentAt, everywhere, watchMs - lookedAt);
    if (ip !== null) return { awake: true, already: false, afterMs: Math.round(elapsed()), ip };
    await steps.pause(Math.max(0, Math.min(lookedAt + LOOK_EVERY_MS, watchMs) - elapsed()));
  }
  return null;
}
