import type { ObservationSource } from '../agent/observations.ts';
import type { Kind } from './kinds.ts';

/**
 * A rule of recognition: the conclusion from a text of a device. `$1` in vendor and model stands for the first group of the
 * pattern, `$&` for the match. Patterns have no nested repetition, so that no text of 200 characters takes long.
 */
export interface Rule {
  source: ObservationSource;
  pattern: RegExp;
  kind?: Kind;
  /** The weight of the evidence for the kind, from 0 to 1. Default: 0.8. */
  weight?: number;
  vendor?: string;
  model?: string;
  /**
   * Software that others embed or imitate announces the same (AirPlay, Samba's `fruit`, Roku in televisions): the rule counts
   * only where neither the MAC nor the description names another maker than the vendor.
   */
  platform?: true;
  /** A platform of computers that may be attached to docks and adapters of other makers. */
  docks?: true;
  /** A word of a name that a person chose: it yields to announcements of the device itself. */
  word?: true;
}

export type Facts = Omit<Rule, 'source' | 'pattern'>;
/** A pattern and its facts: kind and weight, and any others. */
export type Row = readonly [RegExp, Facts] | readonly [RegExp, Kind, number, Facts?];

/** Rules of one source. */
export function rulesOf(source: ObservationSource, rows: readonly Row[]): Rule[] {
  return rows.map(([pattern, first, weight, more]) =>
    typeof first === 'string'
      ? { source, pattern, kind: first, weight: weight!, ...more }
      : { source, pattern, ...first },
  );
}
