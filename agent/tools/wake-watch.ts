/** The schedule of packets to a sleeping device, and of searches for it. */
import type { Verified } from '../../shared/tools/wake-on-lan.ts';
import type { DeviceSearch } from './tool.ts';

export interface WakeSteps {
  /** A monotonic clock, ms: `performance.now()`. */
  now(): number;
  /** Rejects when the command is stopped. */
  pause(ms: number): Promise<void>;
  /** @param afterMs time since the first packets */
  send(afterMs: number): Promise<void>;
  scan: DeviceSearch['scan'];
  /** Called before each search after the first packet. */
  watching(elapsedMs: number): void;
}

/**
 * Wakes a device and watches for it. Only an answer of its own MAC that is newer than the packet proves that it has woken;
 * an earlier one proves that it was awake already. Such a device gets the packet too, because some network cards answer
 * ARP while their host sleeps.
 * @param knowsAddress whether the device has a known address. Searches of whole networks, some hundred broadcasts each,
 *   are rarer then, but still needed, because it may wake with another address.
 * @returns null without an answer in `watchMs` after the first packet
 */
export async function watchItWake(
  steps: WakeSteps,
  { watchMs, knowsAddress }: { watchMs: number; knowsAddress: boolean },
): Promise<Verified | null> {
  const before = await steps.scan(steps.now(), !knowsAddress, 15_000);
  const sentAt = steps.now();
  await steps.send(0);
  if (before !== null) return { awake: true, already: true, afterMs: 0, ip: before };

  const elapsed = () => steps.now() - sentAt;
  // A packet may be lost, and a device that is just falling asleep receives only the later ones.
  const sendAgain = [5_000, 15_000];
  const everywhereEveryMs = knowsAddress ? 15_000 : 2_000;
  let everywhereAt = knowsAddress ? everywhereEveryMs : 0;
  for (let lookedAt = 0; lookedAt < watchMs; lookedAt = elapsed()) {
    if (lookedAt >= (sendAgain[0] ?? Number.POSITIVE_INFINITY)) {
      sendAgain.shift();
      await steps.send(lookedAt);
    }
    steps.watching(lookedAt);
    const everywhere = lookedAt >= everywhereAt;
    if (everywhere) everywhereAt = lookedAt + everywhereEveryMs;
    const ip = await steps.scan(sentAt, everywhere, watchMs - lookedAt);
    if (ip !== null) return { awake: true, already: false, afterMs: Math.round(elapsed()), ip };
    await steps.pause(Math.max(0, Math.min(lookedAt + 1_000, watchMs) - elapsed())); // One search a second.
  }
  return null;
}
