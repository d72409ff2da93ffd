/** What of the events is shown: in the query of the address, so that it can be linked to and kept. */
import texts from 'messages:events';
import { EventType } from '../../../shared/api/events.ts';
import { EVENT_GROUPS } from '../../text/event-groups.ts';

export interface Filters {
  /** Types separated by commas, as the API takes them; empty: all. */
  type: string;
  period: Period;
  /** The key of a device; empty: all. */
  device: string;
  /** Looked for in what is loaded, because the API knows no search of events. */
  text: string;
}

export type Period = keyof typeof texts.periods;

export const NO_FILTERS: Filters = { type: '', period: '', device: '', text: '' };

export const TYPES: readonly EventType[] = EventType.options;

/** Types that are often wanted together. */
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

/** What nobody could have chosen is left out. */
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

/** The beginning of a period that ends now; null for all of the past. To the minute, so that a link asks for the same. */
export function beginOf(period: Period, now: number): string | null {
  const length = PERIODS_MS[period];
  if (length === Infinity) return null;
  return new Date(Math.floor((now - length) / 60_000) * 60_000).toISOString();
}

/** Whether every word of the wanted text is in the other one, in any letter case. */
export function hasWords(text: string, wanted: string): boolean {
  const lower = text.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
