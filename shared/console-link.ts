/** Where the web console is, and the link that signs a browser in. */
import type { SiteId } from './identity.ts';

/** @param api the URL of the API, without a trailing slash */
export function consoleUrl(api: string): string {
  return `${api}/console/`;
}

/** The page of a share. Its secret is in the fragment, which browsers send to no server. */
export function shareLink(api: string, secret: string): string {
  return `${consoleUrl(api)}shared.html#${secret}`;
}

/**
 * A link with the token in its fragment, which browsers send to no server. The console removes it from the address bar at
 * once.
 * @param site whose devices to show; without it, the console starts at its first page
 */
export function signInLink(api: string, token: string, site?: SiteId): string {
  const route = site === undefined ? '' : `&to=/sites/${site}/devices`;
  return `${consoleUrl(api)}#token=${encodeURIComponent(token)}${route}`;
}
