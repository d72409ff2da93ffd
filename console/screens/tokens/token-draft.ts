/** A token as somebody is about to make it. */
import type { Scope } from '../../../shared/identity.ts';
import { texts } from './texts.ts';

export interface TokenDraft {
  name: string;
  scopes: readonly Scope[];
  isForAllSites: boolean;
  sites: readonly string[];
  expiry: Expiry;
  /** `2026-12-31`, for the expiry `date`. */
  date: string;
}

export type Expiry = keyof typeof texts.expiries;

/** The token of the session, which can make none that may do more or lives longer. */
export interface Maker {
  scopes: readonly Scope[];
  sites: '*' | readonly string[];
  expiresAt: string | null;
}

export interface TokenBody {
  name: string;
  scopes: Scope[];
  sites: '*' | string[];
  expiresAt?: string;
}

export type DraftErrors = Partial<Record<'name' | 'scopes' | 'sites' | 'date', string>>;

const DAY_MS = 86_400_000;
const SCOPES = Object.keys(texts.scopes) as Scope[];

export function newDraft(maker: Maker): TokenDraft {
  return {
    name: '',
    scopes: offeredScopes(maker).slice(0, 1),
    isForAllSites: false,
    sites: maker.sites !== '*' && maker.sites.length === 1 ? maker.sites : [],
    expiry: maker.expiresAt === null ? '90' : 'own',
    date: '',
  };
}

export function offeredScopes({ scopes }: Maker): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}

export function offeredExpiries({ expiresAt }: Maker, now: number): Expiry[] {
  const end = expiresAt === null ? Infinity : Date.parse(expiresAt);
  const days = (['1', '7', '30', '90', '365'] as const).filter((count) => now + Number(count) * DAY_MS <= end);
  return [expiresAt === null ? 'never' : 'own', ...days, 'date'];
}

export function errorsOf({ name, scopes, isForAllSites, sites, expiry, date }: TokenDraft): DraftErrors {
  return {
    ...(name.trim() === '' ? { name: texts.nameMissing } : {}),
    ...(scopes.length === 0 ? { scopes: texts.scopesMissing } : {}),
    ...(!isForAllSites && sites.length === 0 ? { sites: texts.sitesMissing } : {}),
    ...(expiry === 'date' && endOfDay(date) === null ? { date: texts.dateMissing } : {}),
  };
}

export function bodyOf({ name, scopes, isForAllSites, sites, expiry, date }: TokenDraft, now: number): TokenBody {
  const expiresAt = expiryTime(expiry, date, now);
  return {
    name: name.trim(),
    scopes: [...scopes],
    sites: isForAllSites ? '*' : [...sites],
    ...(expiresAt === null ? {} : { expiresAt }),
  };
}

/** Null: as long as the API lets it live. */
function expiryTime(expiry: Expiry, date: string, now: number): string | null {
  if (expiry === 'own' || expiry === 'never') return null;
  if (expiry === 'date') return endOfDay(date)?.toISOString() ?? null;
  return new Date(now + Number(expiry) * DAY_MS).toISOString();
}

/** The last second of a day in the viewer's zone. */
function endOfDay(date: string): Date | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? [];
  if (year === undefined) return null;
  const end = new Date(Number(year), Number(month) - 1, Number(day), 23, 59, 59);
  return end.getMonth() === Number(month) - 1 ? end : null;
}
