/** How many devices a page of the list of a large site has. */

/** The first page. */
export const PAGE = 500;
/** The API gives no larger pages. */
export const LARGE_PAGE = 10_000;

/**
 * The limit of the next page: as many devices as are loaded already. After a change every page is asked for again, and
 * this way there are few of them, however far somebody has scrolled.
 */
export function nextLimit(pages: readonly { devices: readonly unknown[] }[]): number {
  const loaded = pages.reduce((sum, { devices }) => sum + devices.length, 0);
  return Math.min(Math.max(loaded, PAGE), LARGE_PAGE);
}
