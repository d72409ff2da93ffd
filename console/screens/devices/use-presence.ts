/**
 * When the devices in sight were online lately, and how fast they answer: asked for in batches when scrolling pauses, and kept
 * while the screen is shown.
 */
import texts from 'messages:devices';
import { useEffect, useEffectEvent, useState } from 'react';
import type { DeviceLatency } from '../../../shared/api/device-presence.ts';
import { ask } from '../../api/client.ts';

/** Of a device. */
export interface Presence {
  /** As `GET /devices/presence` has them. */
  slots: string;
  latency: DeviceLatency | null;
}

interface Kept {
  presence: Presence | null;
  askedAt: number;
}

/** The API takes 200; half of that keeps the address short. */
const BATCH = 100;
const PAUSE_MS = 80;
/** What is older is asked for again while it is in sight. */
const OLD_MS = 60_000;
const TICK_MS = 15_000;
/** Devices that are remembered; the ones that were asked for first are forgotten. */
const MAX_KEPT = 3_000;

/** @param when whether anything of it is shown */
export function usePresence(site: string, inSight: readonly string[], when: boolean): ReadonlyMap<string, Kept> {
  const [state, setState] = useState<{ site: string; kept: ReadonlyMap<string, Kept> }>({ site, kept: new Map() });
  const kept = state.site === site ? state.kept : NONE;

  const askFor = useEffectEvent(async (signal: AbortSignal) => {
    const now = Date.now();
    const wanted = inSight.filter((key) => now - (kept.get(key)?.askedAt ?? 0) > OLD_MS);
    for (let from = 0; from < wanted.length && !signal.aborted; from += BATCH) {
      const keys = wanted.slice(from, from + BATCH);
      const answer = await ask('GET /devices/presence', { site, query: { devices: keys.join() }, signal });
      setState((before) => ({ site, kept: withAnswer(before.site === site ? before.kept : NONE, keys, answer, now) }));
    }
  });
  const names = inSight.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pause begins anew with each row that comes into sight
  useEffect(() => {
    if (!when || names === '') return undefined;
    const aborted = new AbortController();
    // It is an ornament: where it cannot be had, the list says what is wrong by itself.
    const look = () => void askFor(aborted.signal).catch(() => undefined);
    const first = window.setTimeout(look, PAUSE_MS);
    const again = window.setInterval(() => document.visibilityState === 'visible' && look(), TICK_MS);
    return () => {
      aborted.abort();
      window.clearTimeout(first);
      window.clearInterval(again);
    };
  }, [site, names, when]);
  return kept;
}

const NONE: ReadonlyMap<string, Kept> = new Map();

interface Answer {
  devices: Record<string, string>;
  latency: Record<string, DeviceLatency>;
}

/** What has not changed stays the same object, so that its row is not rendered again. */
function withAnswer(
  before: ReadonlyMap<string, Kept>,
  keys: readonly string[],
  { devices, latency }: Answer,
  askedAt: number,
): ReadonlyMap<string, Kept> {
  const kept = new Map(before);
  for (const key of keys) {
    const slots = devices[key];
    const known = kept.get(key)?.presence ?? null;
    const found = slots === undefined ? null : { slots, latency: latency[key] ?? null };
    kept.delete(key);
    kept.set(key, { presence: isSame(known, found) ? known : found, askedAt });
  }
  for (const key of [...kept.keys()].slice(0, Math.max(0, kept.size - MAX_KEPT))) kept.delete(key);
  return kept;
}

function isSame(one: Presence | null, other: Presence | null): boolean {
  return (
    one?.slots === other?.slots &&
    one?.latency?.ms === other?.latency?.ms &&
    one?.latency?.isHigh === other?.latency?.isHigh
  );
}

/** How much of the time it was online, of that which is known; in percent, null where nothing is. */
export function percentOf(slots: string): number | null {
  const known = slots.replaceAll('?', '').length;
  const online = [...slots].reduce((sum, one) => sum + (one === '#' ? 1 : one === '+' ? 0.5 : 0), 0);
  return known === 0 ? null : Math.round((online / known) * 100);
}

export function presenceLabel(percent: number | null): string {
  return percent === null ? texts.presenceLabelUnknown : texts.presenceLabel({ percent });
}
