/**
 * What rows must say otherwise when they come out of a backup, because others have seen what came after it.
 *
 * - Agents act on the settings with the greatest revision, and may have some that are younger than the backup.
 * - Clients may have versions of a collection that are younger, with other devices in them: it goes on with a version that
 *   nobody has, and to which no entry of the journal leads, so that whoever is behind it loads the collection again.
 */

import { withVersion } from '../../devices/collection/collection-row.ts';
import { decodeSite, encodeSite } from '../../sites/site-row.ts';
import { type Key, rows } from '../../table/rows.ts';
import type { Item } from '../../table/table.ts';
import { siteOf } from './row-text.ts';

/** The row of a site, with a revision of its settings that no agent has. One that cannot be read stays as it is. */
function siteRestored(item: Item, now: Date): Item {
  try {
    const { revision, ...settings } = decodeSite(item);
    return { ...item, d: encodeSite({ ...settings, revision: Math.max(now.getTime(), revision + 1) }) };
  } catch {
    return item;
  }
}

/** The row of a collection, with a version that nobody has. */
function collectionRestored(item: Item, now: Date): Item {
  return withVersion(Math.max(now.getTime(), Number(item.ver) + 2), item);
}

/** The rows of all sites, in the order of their keys: a collection comes before its journal. */
export class RestoredRows {
  readonly #now: Date;
  /** A collection, as long as an entry of its journal may follow. */
  #collection: Item | null = null;
  #isChanging = false;

  constructor(now: Date) {
    this.#now = now;
  }

  *take(item: Item): Generator<Item> {
    if (this.#collection !== null && this.#collection.pk !== item.pk) yield* this.end();
    const site = siteOf(item);
    if (site !== null && isAt(item, rows.collection(site))) {
      this.#collection = item;
      return;
    }
    // The next writer carries out a change that is in the journal and no further, under the version that follows.
    const ver = Number(this.#collection?.ver);
    if (site !== null && this.#collection !== null && isAt(item, rows.change(site, ver + 1))) this.#isChanging = true;
    yield site !== null && isAt(item, rows.site(site)) ? siteRestored(item, this.#now) : item;
  }

  /** What was kept back. */
  *end(): Generator<Item> {
    const collection = this.#collection;
    if (collection === null) return;
    const isChanging = this.#isChanging || collection.gone === 0;
    this.#collection = null;
    this.#isChanging = false;
    yield isChanging ? collection : collectionRestored(collection, this.#now);
  }
}

const isAt = ({ pk, sk }: Item, key: Key) => pk === key.pk && sk === key.sk;
