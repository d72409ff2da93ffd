/** People who sign in with an identity provider. All of them stand in one partition: there are thousands at most. */
import { createHash } from 'node:crypto';
import type { Unreadable } from '../../shared/api/operation.ts';
import { Person } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { problemOf } from '../../shared/problem.ts';
import { backOff } from '../back-off.ts';
import { IS_NEW } from '../condition.ts';
import { PARTITIONS, PREFIXES, rows } from '../rows.ts';
import { type Item, listItems, type Table } from '../table.ts';

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
  };
}

function personIn(item: Item): Person {
  return Person.parse(JSON.parse(String(item.d)));
}
