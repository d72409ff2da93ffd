/** The time span of charts, up to now. */

export const SPAN_MS = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
  '1y': 365 * 86_400_000,
} as const;
export type SpanName = keyof typeof SPAN_MS;
export const SPAN_NAMES = Object.keys(SPAN_MS) as SpanName[];

/** The start moves in steps, so that the request stays the same for a while. */
const STEP_MS: Record<SpanName, number> = {
  '1h': 60_000,
  '24h': 300_000,
  '7d': 3_600_000,
  '30d': 3_600_000,
  '1y': 86_400_000,
};

/** Unix, ms. */
export interface TimeSpan {
  from: number;
  to: number;
}

export function timeSpan(name: SpanName, now: number): TimeSpan {
  const step = STEP_MS[name];
  return { from: Math.floor((now - SPAN_MS[name]) / step) * step, to: now };
}

export function isSpanName(text: string | null): text is SpanName {
  return text !== null && Object.hasOwn(SPAN_MS, text);
}
