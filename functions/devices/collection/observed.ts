/** Stored observations: JSON by observer. Text in memory, too: for 20,000 devices of a collection it is hardly ever requested. */
import * as z from 'zod';
import { type Observation, ObservationSource } from '../../../shared/agent/observations.ts';
import { AgentName } from '../../../shared/identity.ts';

/** The observer of what scans find that people request. No agent can have this name. */
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

/** @throws when the text is not from `packObserved` */
export function unpackObserved(text: string | undefined): Observed {
  if (text === undefined) return {};
  const by = Object.entries(Stored.parse(JSON.parse(text)));
  return Object.fromEntries(
    by.map(([observer, all]) => [
      observer,
      all.flatMap(([number, value, at]) => {
        const source = SOURCES[number];
        return source === undefined ? [] : [{ source, value, at: at * 1000 }];
      }),
    ]),
  );
}

/** Longest packed text, so that a device fits into an item: room for six agents that each report all they may of a device. */
const MAX_PACKED_CHARACTERS = 24_000;

/** Undefined without observations. Those beyond the limit are omitted. */
export function packObserved(observed: Observed): string | undefined {
  const packed: Record<string, unknown[]> = {};
  let characters = 0;
  for (const observer of Object.keys(observed).sort()) {
    for (const { source, value, at } of observed[observer] ?? []) {
      const one = [NUMBERS.get(source) ?? 0, value, Math.floor(at / 1000)];
      characters += JSON.stringify(one).length + 1;
      if (characters > MAX_PACKED_CHARACTERS) break;
      packed[observer] = [...(packed[observer] ?? []), one];
    }
  }
  return characters === 0 ? undefined : JSON.stringify(packed);
}

/** All observations of a device, by any observer; of equal ones the oldest. */
export function allObserved(observed: Observed): Observation[] {
  const all = new Map<string, Observation>();
  for (const each of Object.values(observed).flat()) {
    const key = `${each.source} ${each.value}`;
    const known = all.get(key);
    if (known === undefined || each.at < known.at) all.set(key, each);
  }
  return [...all.values()];
}
