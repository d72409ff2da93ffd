/** People who sign in with an identity provider. All share one partition: there are thousands at most. */
import { createHash } from 'node:crypto';
import { type Grant, Person } from '../../../shared/api/records.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { orNull } from '../../../shared/problem.ts';
import { IS_NEW } from '../../table/condition.ts';
import { listReadable } from '../../table/readable.ts';
import { retryOnConflict } from '../../table/retry.ts';
import { PARTITIONS, PREFIXES, rows } from '../../table/rows.ts';
import { type Item, listItems, type Table } from '../../table/table.ts';

/** The id of a subject of a provider: the same for each sign-in, and no secret. */
export function personId(issuer: string, subject: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 16);
}

/** The id of a person who has not signed in yet; no subject has it. @param email in lower case */
export const invitedId = (issuer: string, email: string): string => personId(issuer, JSON.stringify([null, email]));

export function openPersonStore(table: Table) {
  return {
    /** @param options.consistent sees the latest writes, at twice the cost */
    async find(id: string, { consistent = false }: { consistent?: boolean } = {}) {
      const item = await table.get(rows.person(id), { consistent });
      return item === null ? null : personIn(item);
    },

    async list() {
      const { readable, unreadable } = await listReadable(table, PARTITIONS.people, PREFIXES.person, personIn);
      return { people: readable, unreadable };
    },

    /**
     * Adds or changes a person.
     * @param plan called again after a concurrent change; gets null for an unknown person; returns null to change nothing
     */
    change: (id: string, plan: (before: Person | null) => Person | null) =>
      retryOnConflict('This person keeps changing; try again', async () => {
        const item = await table.get(rows.person(id), { consistent: true });
        const after = plan(item === null ? null : personIn(item));
        if (after === null) return null;
        const asBefore = item === null ? IS_NEW : { equals: { d: String(item.d) } };
        return (await table.put({ ...rows.person(id), d: JSON.stringify(after) }, asBefore)) ? after : undefined;
      }),

    /** Puts a person who signs in for the first time in the place of the one who was invited. @returns whether it did */
    admit(invited: Person, person: Person) {
      return table.transact([
        { put: { ...rows.person(person.id), d: JSON.stringify(person) }, condition: IS_NEW },
        { remove: rows.person(invited.id), condition: { equals: { d: JSON.stringify(invited) } } },
      ]);
    },

    /** @returns false when there is no such person */
    async remove(id: string) {
      if ((await table.get(rows.person(id), { consistent: true })) === null) return false;
      await table.remove(rows.person(id));
      return true;
    },

    /**
     * Removes a site from all grants, and grants without another site. Unreadable rows are left: they admit no one.
     * @param isUnderWay whether the site is still being removed; checked after the people were read, so that the roles at a
     *   later site of the same id are left alone
     */
    async forgetSite(site: SiteId, isUnderWay: () => Promise<boolean>) {
      await retryOnConflict('People at this site keep changing; try again', async () => {
        const left = (await listItems(table, PARTITIONS.people, PREFIXES.person)).flatMap((item) => {
          const person = orNull(() => personIn(item));
          const grants = person?.grants.flatMap((grant) => withoutSite(grant, site) ?? []);
          const isSame = JSON.stringify(grants) === JSON.stringify(person?.grants);
          return isSame ? [] : [{ item, d: JSON.stringify({ ...person, grants }) }];
        });
        if (left.length === 0 || !(await isUnderWay())) return true;
        for (const { item, d } of left) await table.put({ ...item, d }, { equals: { d: String(item.d) } });
        return undefined;
      });
    },
  };
}

export type PersonStore = ReturnType<typeof openPersonStore>;

/** The grant at its other sites; null when there is none. */
function withoutSite(grant: Grant, site: SiteId): Grant | null {
  if (grant.sites === '*') return grant;
  const sites = grant.sites.filter((ref) => ref !== site);
  return sites.length === 0 ? null : { ...grant, sites };
}

const personIn = (item: Item): Person => Person.parse(JSON.parse(String(item.d)));
