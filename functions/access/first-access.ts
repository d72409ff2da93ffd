/** The initial site and token of every installation. */
import { SCOPES, type SiteId } from '../../shared/identity.ts';
import { digestOf } from '../http/token.ts';
import type { NewSite } from '../sites/site-store.ts';
import { addSite } from '../sites/sites.ts';
import type { StoredToken } from './token-row.ts';

export const HOME: SiteId = 'home';

/** Creates the site `home`. @returns null when it exists already */
export async function createHomeSite(context: Parameters<typeof addSite>[0]): Promise<NewSite | null> {
  if ((await context.sites.find(HOME)) !== null) return null;
  const site = { id: HOME, name: 'Home', createdAt: context.now().toISOString() };
  return (await addSite(context, site)) ? site : null;
}

/** The row of a token with all rights and without an expiry. */
export function rootTokenRow(token: string, name: string, now: Date): StoredToken {
  return {
    name,
    scopes: [...SCOPES],
    sites: '*',
    defaultSite: HOME,
    createdAt: now.toISOString(),
    createdBy: null,
    ancestor: null,
    expiresAt: null,
    person: null,
    purpose: 'api',
    digest: digestOf(token),
  };
}
