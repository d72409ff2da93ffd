/** Since when the overview counts. */
import { useMemo } from 'react';
import { useNow } from '../../ui/time.tsx';
import { beginOfDay, daysBefore } from '../changes/days.ts';

/** The beginning of yesterday, by the clock of the viewer: the same all day. */
export function useYesterday(): string {
  const day = new Date(useNow()).toDateString();
  return useMemo(() => beginOfDay(daysBefore(new Date(day), 1)) ?? new Date(day).toISOString(), [day]);
}
