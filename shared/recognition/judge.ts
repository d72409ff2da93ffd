/** Judges what a device is by what was observed of it. Pure: the same evidence gives the same judgement. */
import type { Observation } from '../agent/observations.ts';
import type { Kind } from './kinds.ts';
import { type Place, placeOf } from './place.ts';

/** What is known of a device. */
export interface Evidence {
  /** All observations, of all agents, and of scans. */
  observations: readonly Observation[];
  /** Whether it made its MAC up. */
  random: boolean;
}

/** Something that seems to be so. */
export interface Verdict<Value> {
  value: Value;
  /** From 0 to 1. Verdicts below THRESHOLD are not given. */
  confidence: number;
  /** The observations that speak for it, the strongest first. */
  because: readonly Observation[];
}

/** What a device seems to be; null where the evidence does not say. */
export interface Judgement {
  kind: Verdict<Kind> | null;
  vendor: Verdict<string> | null;
  model: Verdict<string> | null;
  name: Verdict<string> | null;
  place: Verdict<Place> | null;
}

/** The least confidence of a verdict that is given: a wrong one is worse than none. */
export const THRESHOLD = 0.6;

export function judge({ observations }: Evidence): Judgement {
  const named = observations.find(({ source }) => ['dns', 'mdns', 'netbios'].includes(source));
  const maker = observations.find(({ source }) => source === 'mac-vendor');
  const verdict = (of: Observation | undefined) =>
    of === undefined ? null : { value: of.value, confidence: 0.9, because: [of] };
  return { kind: null, vendor: verdict(maker), model: null, name: verdict(named), place: placeOf(observations) };
}
