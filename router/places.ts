/**
 * Where tokens and sites are. A token is a row of the cell, or of each cell, that has made it, and only there it is valid:
 * the router keeps no token and no right, it remembers which cells knew one. So what a cell refuses is refused, whatever
 * the router remembers. See docs/decisions/035-cells.md.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Cell } from './config.ts';

const ANSWER_WITHIN_MS = 5_000;
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 50_000;

export interface Found {
  /** Cells that know it. */
  cells: Cell[];
  /** Cells that did not answer, so that nobody knows. */
  silent: Cell[];
}

export interface Places {
  /** The cells in which a token is valid. */
  ofToken(authorization: string): Promise<Found>;
  /** Those of some cells that show the site to this token. */
  ofSite(authorization: string, site: string, among: readonly Cell[]): Promise<Found>;
  /** Forgets both, because a cell has refused what it was thought to know. */
  forget(authorization: string, site: string | null): void;
}

export function openPlaces(cells: readonly Cell[], now: () => number = () => performance.now()): Places {
  /** By a digest, so that no token stands in memory for longer than its request. */
  const remembered = new Map<string, { found: Promise<Found>; until: number }>();
  const tokenKey = (authorization: string) => createHash('sha256').update(authorization).digest('base64url');
  const siteKey = (authorization: string, site: string) => `${tokenKey(authorization)} ${site}`;

  /** Asks all, and keeps what all have answered. */
  function ask(key: string, authorization: string, path: string, among: readonly Cell[]): Promise<Found> {
    const known = remembered.get(key);
    if (known !== undefined && known.until > now()) return known.found;
    const found = Promise.all(among.map(async (cell) => ({ cell, is: await knownAt(cell, path, authorization) }))).then(
      (answers): Found => ({
        // Where a site has moved away from, it can still be read, as long as no other cell has it.
        cells: ['here', 'moved'].flatMap((as) => answers.filter(({ is }) => is === as).map(({ cell }) => cell)),
        silent: answers.filter(({ is }) => is === null).map(({ cell }) => cell),
      }),
    );
    remembered.delete(key);
    remembered.set(key, { found, until: now() + REMEMBER_MS });
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    // Nothing is remembered of a token that no cell knows, or of which a cell has said nothing.
    found.then(({ cells, silent }) => (cells.length === 0 || silent.length > 0) && remembered.delete(key));
    return found;
  }

  return {
    ofToken: (authorization) => ask(tokenKey(authorization), authorization, '/tokens/self', cells),
    ofSite: (authorization, site, among) =>
      ask(siteKey(authorization, site), authorization, `/sites/${encodeURIComponent(site)}`, among),
    forget(authorization, site) {
      remembered.delete(tokenKey(authorization));
      if (site !== null) remembered.delete(siteKey(authorization, site));
    },
  };
}

/** A site as the cell shows it which it has moved away from. */
const Moved = z.object({ movedTo: z.string() });

/** Null when the cell does not say. */
async function knownAt(
  { url }: Cell,
  path: string,
  authorization: string,
): Promise<'here' | 'moved' | 'unknown' | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(`${url}${path}`, { headers: { authorization }, signal, redirect: 'error' });
    if (response.ok) return Moved.safeParse(await response.json()).success ? 'moved' : 'here';
    await response.body?.cancel();
    return response.status === 401 || response.status === 403 || response.status === 404 ? 'unknown' : null;
  } catch {
    return null;
  }
}
