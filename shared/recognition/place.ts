/** Where a device seems to hang, by what switches, neighbours and routes say of it. Pure. */
import type { Observation, ObservationSource } from '../agent/observations.ts';
import { parseMac } from '../network.ts';

/** Where a device hangs. */
export interface Place {
  /** MAC of the switch, access point or router. */
  parent: string;
  /** Its port; empty when it is not known. */
  port: string;
}

export interface PlaceVerdict {
  value: Place;
  /** From 0 to 1. */
  confidence: number;
  /** The observations that speak for it, the strongest first. */
  because: readonly Observation[];
}

/** How sure each source is: who hangs on a port says so itself, a switch has seen it there, or packets go that way. */
const CONFIDENCE: Partial<Record<ObservationSource, number>> = {
  'parent-lldp': 0.95,
  'parent-bridge': 0.85,
  'parent-route': 0.7,
};

/**
 * Every place that the observations speak for, the surest first, and of equally sure ones that which was observed last.
 * Places at one parent are one place: a port that one of them lacks is taken from the next that has it.
 */
export function placesOf(observations: readonly Observation[]): PlaceVerdict[] {
  const told = observations
    .flatMap((observation) => {
      const confidence = CONFIDENCE[observation.source];
      const place = confidence === undefined ? null : readPlace(observation.value);
      return confidence === undefined || place === null ? [] : [{ confidence, place, observation }];
    })
    .sort((a, b) => b.confidence - a.confidence || b.observation.at - a.observation.at);
  return [...new Set(told.map(({ place }) => place.parent))].map((parent) => {
    const some = told.filter(({ place }) => place.parent === parent);
    return {
      value: { parent, port: some.find(({ place }) => place.port !== '')?.place.port ?? '' },
      confidence: some[0]?.confidence ?? 0,
      because: some.map(({ observation }) => observation),
    };
  });
}

/** The place that the observations speak for most. */
export function placeOf(observations: readonly Observation[]): PlaceVerdict | null {
  return placesOf(observations)[0] ?? null;
}

/** Reads `AA:BB:CC:DD:EE:FF Gi0/4`; null when it begins with no MAC. */
function readPlace(value: string): Place | null {
  const [first = '', ...rest] = value.split(' ');
  const parent = parseMac(first);
  return parent === null ? null : { parent, port: rest.join(' ').trim() };
}
