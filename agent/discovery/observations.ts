/** What a device has been heard to say of itself, and for how long that holds. */

import type * as z from 'zod';
import { fitToTell } from '../../shared/agent/fit-text.ts';
import {
  MANY_VALUED,
  MAX_OBSERVATION_CHARACTERS,
  MAX_OBSERVATIONS,
  MAX_OBSERVED_CHARACTERS,
  Observation,
  ObservationSource,
} from '../../shared/agent/observations.ts';
import { Millis } from '../../shared/time.ts';

/** What was heard, as the device said it. */
export interface Heard {
  source: ObservationSource;
  value: string;
}

export const KnownObservation = Observation.extend({
  /** When the device last said so (Unix, ms). */
  confirmedAt: Millis,
});
export type KnownObservation = z.infer<typeof KnownObservation>;

/** What a device has not said again for so long no longer holds. */
const KEPT_MS = 30 * 86_400_000;

/**
 * What is known of a device after it has said this. A source that has one value at a time takes the new one in place of the
 * old; of a TXT record each key is such a source. The same array when nothing is different that is told.
 */
export function withHeard(
  former: readonly KnownObservation[],
  heard: readonly Heard[],
  at: number,
): readonly KnownObservation[] {
  const all = new Map(
    former.filter(({ confirmedAt }) => Math.abs(at - confirmedAt) < KEPT_MS).map((each) => [keyOf(each), each]),
  );
  let isOther = all.size < former.length;
  for (const { source, value: text } of heard) {
    const value = fitToTell(text, MAX_OBSERVATION_CHARACTERS);
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
  const isAlike = kept.length === former.length && kept.every((each, i) => isSame(each, former[i]));
  return isAlike ? former : kept;
}

function isSame(one: KnownObservation, other: KnownObservation | undefined): boolean {
  return one.source === other?.source && one.value === other.value;
}

/** Of two observations with the same key the later one holds. */
function keyOf({ source, value }: Heard): string {
  if (source === 'mdns-text') return `${source} ${value.split('=', 1)[0]}`;
  return MANY_VALUED.has(source) ? `${source} ${value}` : source;
}

const RANKS = new Map(ObservationSource.options.map((source, i) => [source, i + (MANY_VALUED.has(source) ? 100 : 0)]));

/** As many as may be told, in the order in which they are told: first those of which a device has one, then the oldest. */
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
