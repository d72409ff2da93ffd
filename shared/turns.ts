/**
 * Who comes next, where many want what all share. Sites take turns, and within a site those who use it, so that nobody
 * waits longer for how much another one wants; and nobody may take more than they leave to others.
 */

/** Whose work it is. */
export interface Holder {
  /** The site that it is about. Of work over many sites: its user. */
  site: string;
  /** Who wants it: a token with all that were made of it, or an agent. */
  user: string;
}

/** What waits, in the order in which it comes to its turn. */
export class Turns<Waiting> {
  /** By site and by user; those that have had their turn go to the end. */
  readonly #sites = new Map<string, Map<string, Waiting[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add({ site, user }: Holder, waiting: Waiting): void {
    const users = this.#sites.get(site) ?? new Map<string, Waiting[]>();
    const own = users.get(user) ?? [];
    own.push(waiting);
    users.set(user, own);
    this.#sites.set(site, users);
    this.#size++;
  }

  /** How much of a holder's waits, and how much of its site's. */
  has({ site, user }: Holder): Share {
    const users = this.#sites.get(site);
    let ofSite = 0;
    for (const { length } of users?.values() ?? []) ofSite += length;
    return { site: ofSite, user: users?.get(user)?.length ?? 0 };
  }

  /** Takes out what is next, of a site that may have it now; undefined when nothing is. */
  next(mayHave: (site: string) => boolean = () => true): Waiting | undefined {
    for (const [site, users] of this.#sites) {
      if (!mayHave(site)) continue;
      for (const [user, own] of users) {
        const first = own.shift();
        users.delete(user);
        if (own.length > 0) users.set(user, own);
        this.#sites.delete(site);
        if (users.size > 0) this.#sites.set(site, users);
        this.#size--;
        return first;
      }
    }
    return undefined;
  }

  /** Takes out what does not wait any more. Does nothing when it has had its turn. */
  remove({ site, user }: Holder, waiting: Waiting): void {
    const users = this.#sites.get(site);
    const own = users?.get(user);
    const at = own?.indexOf(waiting) ?? -1;
    if (users === undefined || own === undefined || at === -1) return;
    own.splice(at, 1);
    this.#size--;
    if (own.length === 0) users.delete(user);
    if (users.size === 0) this.#sites.delete(site);
  }
}

/** How much somebody has of something that is shared. */
export interface Share {
  site: number;
  user: number;
}

/**
 * Whether somebody may have one more of what is shared: a site may have as much as it leaves to other sites, and a user as
 * much as it leaves to others of its site. So one alone has a third, and whoever comes later finds room.
 */
export function mayTakeMore({ site, user }: Share, left: number): boolean {
  return site + user < left;
}
