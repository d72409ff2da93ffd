/** The limits of a new token: no more scopes, and no longer a life, than the one that makes it. */
import texts from 'messages:tokens';
import type { Scope } from '../../../shared/identity.ts';
import type { Selection } from '../../api/selection.ts';

export type Expiry = keyof typeof texts.expiries;

/** The token of the session. */
export interface Maker {
  scopes: readonly Scope[];
  sites: Selection;
  expiresAt: string | null;
}

const DAY_MS = 86_400_000;
const SCOPES = Object.keys(texts.scopes) as Scope[];

export function offeredScopes({ scopes }: Maker): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}

export function offeredExpiries({ expiresAt }: Maker, now: number): Expiry[] {
  const end = expiresAt === null ? Infinity : Date.parse(expiresAt);
  const days = (['1', '7', '30', '90', '365'] as const).filter((count) => now + Number(count) * DAY_MS <= end);
  return [expiresAt === null ? 'never' : 'own', ...days, 'date'];
}

/**
 * For the API; null for as long as it allows.
 * @param lastDay `2026-12-31`, for the expiry `date`; returned as it is if it is no date
 */
export function expiryTime(expiry: Expiry, lastDay: string, now: number): string | null {
  if (expiry === 'own' || expiry === 'never') return null;
  if (expiry === 'date') return endOfDay(lastDay)?.toISOString() ?? lastDay;
  return new Date(now + Number(expiry) * DAY_MS).toISOString();
}

/** The last second of a day in the viewer's zone. */
function endOfDay(date: string): Date | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? [];
  if (year === undefined) return null;
  const end = new Date(Number(year), Number(month) - 1, Number(day), 23, 59, 59);
  return end.getMonth() === Number(month) - 1 ? end : null;
}
