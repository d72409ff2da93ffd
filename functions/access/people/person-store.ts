/** People who sign in with an identity provider. All of them stand in one partition: there are thousands at most. */
import { createHash } from 'node:crypto';
import type { Unreadable } from '../../../shared/api/operation.ts';
import { type Grant, Person } from '../../../shared/api/records.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { problemOf } from '../../../shared/problem.ts';
import { backOff } from '../../table/back-off.ts';
import { IS_NEW } from '../../table/condition.ts';
import { PARTITIONS, PREFIXES, rows } from '../../table/rows.ts';
import { type Item, listItems, type Table } from '../../table/table.ts';

/** The id of whom a provider calls by this subject: the same for each sign-in, and no secret. */
export function personId(issuer: string, subject: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 16);
}

export interface PersonStore {
  /** @param options.consistent sees what was written a moment ago, at twice the cost */
  find(id: string, options?: { consistent?: boolean }): Promise<Person | null>;
  list(): Promise<{ people: Person[]; unreadable: Unreadable[] }>;
  /**
   * Adds or changes a person. `plan` may be called again, when somebody else has made a change at the same time.
   * @param plan is given null for somebody who is not known, and returns null to leave everything as it is
   */
  change(id: string, plan: (before: Person | null) => Person | null): Promise<Person | null>;
  /** @returns false when there is no such person */
  remove(id: string): Promise<boolean>;
  /**
   * Takes a site away from the roles of everybody, and those roles that hold nowhere else. Rows that cannot be read let nobody in.
   * @param isUnderWay whether the removal of the site is; asked after the people were read, so that the roles at a later
   *   site are left alone
   */
  forgetSite(site: SiteId, isUnderWay: () => Promise<boolean>): Promise<void>;
}

/** Tries for a row that others change at the same time. */
const ATTEMPTS = 8;

export function openPersonStore(table: Table): PersonStore {
  return {
    async find(id, { consistent = false } = {}) {
      const item = await table.get(rows.person(id), { consistent });
      return item === null ? null : personIn(item);
    },

    async list() {
      const people: Person[] = [];
      const unreadable: Unreadable[] = [];
      for (const item of await listItems(table, PARTITIONS.people, PREFIXES.person)) {
        try {
          people.push(personIn(item));
        } catch (error) {
          unreadable.push({ id: item.sk.slice(PREFIXES.person.length), problem: problemOf(error) });
        }
      }
      return { people, unreadable };
    },

    async change(id, plan) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const item = await table.get(rows.person(id), { consistent: true });
        const after = plan(item === null ? null : personIn(item));
        if (after === null) return null;
        const asBefore = item === null ? IS_NEW : { equals: { d: String(item.d) } };
        if (await table.put({ ...rows.person(id), d: JSON.stringify(after) }, asBefore)) return after;
        await backOff(attempt);
      }
      throw new ServiceError('conflict', 'This person keeps changing; try again', { retryAfter: 1 });
    },

    async remove(id) {
      if ((await table.get(rows.person(id), { consistent: true })) === null) return false;
      await table.remove(rows.person(id));
      return true;
    },

    async forgetSite(site, isUnderWay) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (attempt > 0) await backOff(attempt - 1);
        const left = (await listItems(table, PARTITIONS.people, PREFIXES.person)).flatMap((item) => {
          const person = readableIn(item);
          const grants = person?.grants.flatMap((grant) => withoutSite(grant, site) ?? []);
          const isSame = JSON.stringify(grants) === JSON.stringify(person?.grants);
          return isSame ? [] : [{ item, d: JSON.stringify({ ...person, grants }) }];
        });
        if (left.length === 0 || !(await isUnderWay())) return;
        for (const { item, d } of left) await table.put({ ...item, d }, { equals: { d: String(item.d) } });
      }
      throw new ServiceError('conflict', 'People at this site keep changing; try again', { retryAfter: 1 });
    },
  };
}

function readableIn(item: Item): Person | null {
  try {
    return personIn(item);
  } catch {
    return null;
  }
}

/** The role at its other sites; null when there is none. */
function withoutSite(grant: Grant, site: SiteId): Grant | null {
  if (grant.sites === '*') return grant;
  const sites = grant.sites.filter((ref) => ref !== site);
  return sites.length === 0 ? null : { ...grant, sites };
}

function personIn(item: Item): Person {
  return Person.parse(JSON.parse(String(item.d)));
}
