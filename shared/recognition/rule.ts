/** What a rule of recognition is. */
import type { ObservationSource } from '../agent/observations.ts';
import type { Kind } from './kinds.ts';

/**
 * What follows from a text of a device. `$1` in vendor and model stands for the first group of the pattern. Patterns ignore
 * letter case, and repeat nothing within a repetition, so that no text of 200 characters takes long.
 */
export interface Rule {
  source: ObservationSource;
  pattern: RegExp;
  kind?: Kind;
  /** How much it speaks for the kind, from 0 to 1. Default: 0.8. */
  weight?: number;
  vendor?: string;
  model?: string;
  /**
   * Software that others build in or imitate says so as well (AirPlay, Samba's `fruit`, Roku in televisions): it counts only
   * where neither the MAC nor the description names another maker than the vendor.
   */
  platform?: true;
  /** A platform of computers that are also at docks and adapters of other makers. */
  docks?: true;
  /** A word of a name that a person chose: it gives way to what the device itself says. */
  word?: true;
}

/** Rules of one source, by their patterns. */
export function rulesOf(
  source: ObservationSource,
  rules: readonly [RegExp, Omit<Rule, 'source' | 'pattern'>][],
): Rule[] {
  return rules.map(([pattern, rest]) => ({ source, pattern, ...rest }));
}
