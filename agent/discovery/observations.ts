/** The observations of a device: what it announces of itself, and for how long that holds. */

import type * as z from 'zod';
import { fitToReport } from '../../shared/agent/fit-text.ts';
import {
  MANY_VALUED,
  MAX_OBSERVATION_CHARACTERS,
  MAX_OBSERVATIONS,
  MAX_OBSERVED_CHARACTERS,
  Observation,
  ObservationSource,
} from '../../shared/agent/observations.ts';
import { DAY_MS, Millis } from '../../shared/time.ts';

/** A received announcement, unchanged. */
export interface Heard {
  source: ObservationSource;
  value: string;
}

/** The announcements among these values, in their order: those that are neither absent nor empty. */
export function announced(values: Partial<Record<ObservationSource, string | null | undefined>>): Heard[] {
  return Object.entries(values).flatMap(([source, value]) =>
    value ? [{ source: source as ObservationSource, value }] : [],
  );
}

export const KnownObservation = Observation.extend({
  /** When the device last repeated it (Unix, ms). */
  confirmedAt: Millis,
});
export type KnownObservation = z.infer<typeof KnownObservation>;

/** Observations expire unless repeated. */
const EXPIRE_AFTER_MS = 30 * DAY_MS;

/**
 * The observations of a device after these announcements. A source with one value at a time replaces it; each key of a TXT
 * record is such a source. Returns the same array when the report stays equal.
 * @param complete sources of which `heard` has all: their former observations go
 */
export function withHeard(
  former: readonly KnownObservation[],
  heard: readonly Heard[],
  at: number,
  complete?: ReadonlySet<ObservationSource>,
) {
  const holds = ({ source, value, confirmedAt }: KnownObservation) =>
    Math.abs(at - confirmedAt) < EXPIRE_AFTER_MS &&
    (complete?.has(source) !== true || heard.some((each) => each.source === source && each.value === value));
  const all = new Map(former.filter(holds).map((each) => [keyOf(each), each]));
  let isOther = all.size < former.length;
  for (const { source, value: text } of heard) {
    const value = fitToReport(text, MAX_OBSERVATION_CHARACTERS);
    if (value === null) continue;
    const key = keyOf({ source, value });
    const known = all.get(key);
    if (known?.value === value) known.confirmedAt = at;
    else {
      all.set(key, { source, value, at, confirmedAt: at });
      isOther = true;
    }
  }
  if (!isOther) return former;
  const kept = fitting([...all.values()]);
  const isSame = ({ source, value }: Heard, i: number) => source === former[i]?.source && value === former[i].value;
  return kept.length === former.length && kept.every(isSame) ? former : kept;
}

/** The later of two observations with the same key holds. */
function keyOf({ source, value }: Heard): string {
  if (source === 'mdns-text') return `${source} ${value.split('=', 1)[0]}`;
  return MANY_VALUED.has(source) ? `${source} ${value}` : source;
}

const RANKS = new Map(ObservationSource.options.map((source, i) => [source, i + (MANY_VALUED.has(source) ? 100 : 0)]));

/** As many as fit into a report, in its order: first the sources with one value, then the oldest. */
function fitting(all: readonly KnownObservation[]): KnownObservation[] {
  const rank = ({ source }: KnownObservation) => RANKS.get(source) ?? 0;
  const inOrder = [...all].sort((a, b) => rank(a) - rank(b) || a.at - b.at || (a.value < b.value ? -1 : 1));
  let characters = 0;
  return inOrder.slice(0, MAX_OBSERVATIONS).filter(({ value }) => {
    if (characters + value.length > MAX_OBSERVED_CHARACTERS) return false;
    characters += value.length;
    return true;
  });
}
