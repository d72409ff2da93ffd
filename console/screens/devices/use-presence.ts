/** The recent presence and latency of the visible devices: requested in batches when scrolling pauses, and cached. */
import texts from 'messages:devices';
import { useEffect, useEffectEvent, useState } from 'react';
import type { DeviceLatency } from '../../../shared/api/device-presence.ts';
import { type AnswerOf, ask } from '../../api/client.ts';

export interface Presence {
  /** As in `GET /devices/presence`. */
  slots: string;
  latency: DeviceLatency | null;
}

interface Kept {
  presence: Presence | null;
  requestedAt: number;
}

/** The API accepts 200; half of that keeps the URL short. */
const BATCH = 100;
const PAUSE_MS = 80;
/** The age at which a visible row is refreshed. */
const OLD_MS = 60_000;
const TICK_MS = 15_000;
/** Of more devices, the oldest are dropped. */
const MAX_KEPT = 3_000;

/** @param when whether any of it is shown */
export function usePresence(site: string, inSight: readonly string[], when: boolean): ReadonlyMap<string, Kept> {
  const [state, setState] = useState<{ site: string; kept: ReadonlyMap<string, Kept> }>({ site, kept: new Map() });
  const kept = state.site === site ? state.kept : NONE;

  const load = useEffectEvent(async (signal: AbortSignal) => {
    const now = Date.now();
    const wanted = inSight.filter((key) => now - (kept.get(key)?.requestedAt ?? 0) > OLD_MS);
    for (let from = 0; from < wanted.length && !signal.aborted; from += BATCH) {
      const keys = wanted.slice(from, from + BATCH);
      const answer = await ask('GET /devices/presence', { site, query: { devices: keys.join() }, signal });
      setState((before) => ({ site, kept: withAnswer(before.site === site ? before.kept : NONE, keys, answer, now) }));
    }
  });
  const names = inSight.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each row that becomes visible restarts the pause
  useEffect(() => {
    if (!when || names === '') return undefined;
    const aborted = new AbortController();
    // Without it the list still works, and the list itself reports problems.
    const refresh = () => void load(aborted.signal).catch(() => undefined);
    const first = window.setTimeout(refresh, PAUSE_MS);
    const again = window.setInterval(() => document.visibilityState === 'visible' && refresh(), TICK_MS);
    return () => {
      aborted.abort();
      window.clearTimeout(first);
      window.clearInterval(again);
    };
  }, [site, names, when]);
  return kept;
}

const NONE: ReadonlyMap<string, Kept> = new Map();

/** Unchanged entries stay the same object, so that their rows are not rendered again. */
function withAnswer(
  before: ReadonlyMap<string, Kept>,
  keys: readonly string[],
  { devices, latency }: AnswerOf<'GET /devices/presence'>,
  requestedAt: number,
): ReadonlyMap<string, Kept> {
  const kept = new Map(before);
  for (const key of keys) {
    const slots = devices[key];
    const known = kept.get(key)?.presence ?? null;
    const found = slots === undefined ? null : { slots, latency: latency[key] ?? null };
    kept.delete(key);
    kept.set(key, { presence: isSame(known, found) ? known : found, requestedAt });
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

/** The online share of the known time in percent; null where all of it is unknown. */
export function percentOf(slots: string): number | null {
  const known = slots.replaceAll('?', '').length;
  const online = [...slots].reduce((sum, one) => sum + (one === '#' ? 1 : one === '+' ? 0.5 : 0), 0);
  return known === 0 ? null : Math.round((online / known) * 100);
}

export function presenceLabel(percent: number | null): string {
  return percent === null ? texts.presenceLabelUnknown : texts.presenceLabel({ percent });
}
