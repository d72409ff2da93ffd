/** A moment as the viewer's clock has it; the exact time in UTC is the tooltip. */
import { useSyncExternalStore } from 'react';
import { parseTime, timeText, utcText } from '../text/format.ts';
import { common } from '../text/texts.ts';

const TICK_MS = 10_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer = 0;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    timer = window.setInterval(() => {
      now = Date.now();
      for (const one of listeners) one();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}

/** The present, to within ten seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** @param at ISO 8601, or as device records have it; empty and null are shown as "never" */
export function Time({ at }: { at: string | null | undefined }) {
  const present = useNow();
  const time = parseTime(at);
  if (time === null) return <span>{common.never}</span>;
  return (
    <time dateTime={time.toISOString()} title={utcText(time)}>
      {timeText(time, Math.max(present, Date.now() - TICK_MS))}
    </time>
  );
}
