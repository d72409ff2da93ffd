/**
 * What was observed of a device, as it is stored: JSON of the observations by who made them. It stays a text in memory,
 * because a collection can have 20,000 devices with evidence, and hardly anybody asks for it.
 */
import * as z from 'zod';
import { type Observation, ObservationSource } from '../../../shared/agent/observations.ts';
import { AgentName } from '../../../shared/identity.ts';

/** Who observes what scans find that a person asked for. No agent can have this name. */
export const SCANS = '#scans';

/** By agent, or SCANS. */
export type Observed = Readonly<Record<string, readonly Observation[]>>;

/** Sources are numbers on disk; times are seconds. */
const Stored = z.record(
  z.union([AgentName, z.literal(SCANS)]),
  z.array(z.tuple([z.int().min(0), z.string(), z.int()])),
);

const SOURCES = ObservationSource.options;
const NUMBERS = new Map(SOURCES.map((source, i) => [source, i]));

/** @throws when it is not what `packObserved` gives */
export function unpackObserved(text: string | undefined): Observed {
  if (text === undefined) return {};
  const by = Object.entries(Stored.parse(JSON.parse(text)));
  return Object.fromEntries(
    by.map(([who, all]) => [
      who,
      all.flatMap(([number, value, at]) => {
        const source = SOURCES[number];
        return source === undefined ? [] : [{ source, value, at: at * 1000 }];
      }),
    ]),
  );
}

/**
 * Longest packed text, so that a device stays below the size of an item. Six agents that each tell as much as they may of
 * one device have room.
 */
const MAX_PACKED_CHARACTERS = 24_000;

/** Undefined when there are none. What there is no room for is left out. */
export function packObserved(observed: Observed): string | undefined {
  const packed: Record<string, unknown[]> = {};
  let characters = 0;
  for (const who of Object.keys(observed).sort()) {
    for (const { source, value, at } of observed[who] ?? []) {
      const one = [NUMBERS.get(source) ?? 0, value, Math.floor(at / 1000)];
      characters += JSON.stringify(one).length + 1;
      if (characters > MAX_PACKED_CHARACTERS) break;
      packed[who] = [...(packed[who] ?? []), one];
    }
  }
  return characters === 0 ? undefined : JSON.stringify(packed);
}

/** All that was observed of a device, by whomever; of equal observations the first. */
export function allObserved(observed: Observed): Observation[] {
  const all = new Map<string, Observation>();
  for (const each of Object.values(observed).flat()) {
    const key = `${each.source} ${each.value}`;
    const known = all.get(key);
    if (known === undefined || each.at < known.at) all.set(key, each);
  }
  return [...all.values()];
}
