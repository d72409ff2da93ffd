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

/** Sites without anything waiting of which is known when they are due. */
const SITES_REMEMBERED = 1_000;

/**
 * What waits, in the order in which it comes to its turn: start-time fair queueing. A site is due again when it has paid for
 * its last turn, and one that comes anew is due at once.
 */
export class Turns<Waiting> {
  /** By site and by user; those that have had their turn go to the end. */
  readonly #sites = new Map<string, Map<string, Waiting[]>>();
  /** When sites are due, by what they have paid; those that are not listed are due now. */
  readonly #dueAt = new Map<string, number>();
  #now = 0;
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

  /**
   * Takes out what is next, of a site that may have it now; undefined when nothing is.
   * @param cost what the site pays for it; what is not known before is paid later
   */
  next(mayHave: (site: string) => boolean = () => true, cost = 1): Waiting | undefined {
    let next: string | null = null;
    for (const site of this.#sites.keys()) {
      if (mayHave(site) && (next === null || this.#due(site) < this.#due(next))) next = site;
    }
    const users = next === null ? undefined : this.#sites.get(next);
    const [user, own] = users?.entries().next().value ?? [];
    if (next === null || users === undefined || user === undefined || own === undefined) return undefined;
    const first = own.shift();
    users.delete(user);
    if (own.length > 0) users.set(user, own);
    this.#sites.delete(next);
    if (users.size > 0) this.#sites.set(next, users);
    this.#size--;
    this.#now = Math.max(this.#now, this.#due(next));
    this.pay(next, cost);
    return first;
  }

  /** Has a site pay for a turn that it has had. */
  pay(site: string, cost: number): void {
    this.#dueAt.set(site, this.#due(site) + cost);
    if (this.#dueAt.size <= this.#sites.size + SITES_REMEMBERED) return;
    for (const [one, at] of this.#dueAt) if (at <= this.#now) this.#dueAt.delete(one);
    const [first] = this.#dueAt.keys();
    if (first !== undefined && this.#dueAt.size > this.#sites.size + SITES_REMEMBERED) this.#dueAt.delete(first);
  }

  #due(site: string): number {
    return Math.max(this.#dueAt.get(site) ?? 0, this.#now);
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
