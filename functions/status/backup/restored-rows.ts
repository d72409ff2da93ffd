/**
 * What changes in rows that come out of a backup, because others have seen later states.
 *
 * - Agents act on the settings with the greatest revision, and may have later ones than the backup.
 * - Clients may have later versions of a collection, with other devices: it continues with an unused version, to which no
 *   entry of the journal leads, so that clients behind it reload the collection.
 */
import { withVersion } from '../../devices/collection/collection-row.ts';
import { decodeSite, encodeSite } from '../../sites/site-row.ts';
import { type Key, rows } from '../../table/rows.ts';
import type { Item } from '../../table/table.ts';
import { siteOf } from './row-text.ts';

/** The row of a site, with a revision that no agent has. One that cannot be read stays as it is. */
function siteRestored(item: Item, now: Date): Item {
  try {
    const { revision, ...settings } = decodeSite(item);
    return { ...item, d: encodeSite({ ...settings, revision: Math.max(now.getTime(), revision + 1) }) };
  } catch {
    return item;
  }
}

/** The row of a collection, with an unused version. */
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
    // The next writer carries out a change that only the journal has, with the next version.
    const ver = Number(this.#collection?.ver);
    if (site !== null && this.#collection !== null && isAt(item, rows.change(site, ver + 1))) this.#isChanging = true;
    yield site !== null && isAt(item, rows.site(site)) ? siteRestored(item, this.#now) : item;
  }

  /** The row that was held back. */
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
