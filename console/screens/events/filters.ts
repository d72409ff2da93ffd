/** The filters of the events, kept in the query of the address. */
import texts from 'messages:events';
import type { EventType } from '../../../shared/api/events.ts';
import { EVENT_TYPES } from '../../../shared/words.ts';
import { EVENT_GROUPS } from '../../text/event-groups.ts';

export interface Filters {
  /** Separated by commas, as in the API; empty: all. */
  type: string;
  period: Period;
  device: string;
  /** Searched in the loaded events, because the API has no search. */
  text: string;
}

export type Period = keyof typeof texts.periods;

export const NO_FILTERS: Filters = { type: '', period: '', device: '', text: '' };

export const TYPES: readonly EventType[] = EVENT_TYPES;

export const GROUPS = [
  { label: texts.presence, type: 'online,offline,down' },
  { label: texts.problems, type: 'offline,down' },
  { label: texts.edits, type: 'renamed,edited,archived' },
  { label: texts.outages, type: 'outage,outage-over,site-dark,site-back,internet-lost,internet-back' },
  ...EVENT_GROUPS.map(({ label, types }) => ({ label: texts.allOf({ group: label }), type: types.join(',') })),
] satisfies { label: string; type: string }[];

const HOUR_MS = 3_600_000;
const PERIODS_MS: Record<Period, number> = {
  '': Infinity,
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

export function filtersIn(query: URLSearchParams): Filters {
  const types = (query.get('type') ?? '').split(',').filter((type) => (TYPES as readonly string[]).includes(type));
  const period = query.get('since') ?? '';
  return {
    type: [...new Set(types)].join(','),
    period: Object.hasOwn(PERIODS_MS, period) ? (period as Period) : '',
    device: (query.get('device') ?? '').slice(0, 100),
    text: (query.get('text') ?? '').slice(0, 200),
  };
}

export function queryOf({ type, period, device, text }: Filters): URLSearchParams {
  const all = { type, since: period, device, text };
  return new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''));
}

/** Start of a period that ends now; null: unlimited. To the minute, so that a link repeats its request. */
export function beginOf(period: Period, now: number): string | null {
  const length = PERIODS_MS[period];
  if (length === Infinity) return null;
  return new Date(Math.floor((now - length) / 60_000) * 60_000).toISOString();
}

export function hasWords(text: string, wanted: string): boolean {
  const lower = text.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
