/** Where a device is attached, according to switches, neighbours and routes. Pure. */
import type { Observation, ObservationSource } from '../agent/observations.ts';
import { parseMac } from '../network.ts';
import type { Conclusion } from './product.ts';

export interface Place {
  /** MAC of the switch, access point or router. */
  parent: string;
  /** Its port; empty when unknown. */
  port: string;
}
export type PlaceConclusion = Conclusion<Place>;

/** The device or its neighbour announces the port, a controller names it, a switch has seen it there, or packets take that route. */
const CONFIDENCE: Partial<Record<ObservationSource, number>> = {
  'parent-lldp': 0.95,
  'parent-source': 0.9,
  'parent-bridge': 0.85,
  'parent-route': 0.7,
};

/**
 * Every place that the observations support, by confidence, then the latest first. Places at one parent are one place: a
 * missing port is taken from the next of them that has one.
 */
export function placesOf(observations: readonly Observation[]): PlaceConclusion[] {
  const found = observations
    .flatMap((observation) => {
      const confidence = CONFIDENCE[observation.source];
      const place = confidence === undefined ? null : readPlace(observation.value);
      return confidence === undefined || place === null ? [] : [{ confidence, place, observation }];
    })
    .sort((a, b) => b.confidence - a.confidence || b.observation.at - a.observation.at);
  return [...new Set(found.map(({ place }) => place.parent))].map((parent) => {
    const some = found.filter(({ place }) => place.parent === parent);
    return {
      value: { parent, port: some.find(({ place }) => place.port !== '')?.place.port ?? '' },
      confidence: some[0]?.confidence ?? 0,
      because: some.map(({ observation }) => observation),
    };
  });
}

/** Reads `AA:BB:CC:DD:EE:FF Gi0/4`; null when it begins with no MAC. */
function readPlace(value: string): Place | null {
  const [first = '', ...rest] = value.split(' ');
  const parent = parseMac(first);
  return parent === null ? null : { parent, port: rest.join(' ').trim() };
}
