/** Lengths of time as people type them: 90s, 5m, 6h, 1d. */
import { InvalidArgumentError } from 'commander';

const UNITS_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 7 * 86_400 };

/** Seconds. For an option of commander. @throws {InvalidArgumentError} */
export function toSeconds(text: string): number {
  const [, count, unit = ''] = /^(\d{1,7})([smhdw])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Expected a number with s, m, h, d or w, such as 6h.');
  return Number(count) * (UNITS_S[unit] ?? 0);
}

/** As `toSeconds` takes it. */
export function durationText(seconds: number): string {
  const unit = ['w', 'd', 'h', 'm'].find((one) => seconds > 0 && seconds % UNITS_S[one]! === 0) ?? 's';
  return `${seconds / UNITS_S[unit]!}${unit}`;
}
