/**
 * `/people`. A caller with all sites sees and changes all people. Others see the people who have a role at their sites, with
 * that role alone, and change nothing else of them.
 */
import { MAX_GRANTS, type people as operations } from '../../../shared/api/people.ts';
import type { Grant, Person } from '../../../shared/api/records.ts';
import { type FieldError, ServiceError } from '../../../shared/errors.ts';
import { SCOPES_OF_ROLE } from '../../../shared/roles.ts';
import { startOf } from '../../../shared/text.ts';
import { siteForbidden } from '../../devices/collection/collection-row.ts';
import { changesBetween } from '../../http/audit-log.ts';
import type { Handlers } from '../../http/call.ts';
import type { Caller } from '../../http/caller.ts';
import type { RequestContext } from '../../http/context.ts';
import { invalid, validationError } from '../../http/errors.ts';
import type { Reach } from '../../http/reach.ts';
import { coversAll, outlivingTags } from '../../sites/sites.ts';
import type { Stores } from '../../stores.ts';
import { invitedId } from './person-store.ts';

/** As in `Person`. */
const MAX_NAME = 100;

type PeopleContext = Pick<Stores, 'people' | 'sites'>;

export const peopleHandlers: Handlers<typeof operations, RequestContext<'people'>> = {
  async listPeople(context, { reach }) {
    const { people, unreadable } = await context.people.list();
    const shown = await Promise.all(people.map((person) => seenBy(context, reach, person)));
    const seen = shown.filter((person) => person !== null);
    return { success: true, people: seen, unreadable: reach.isAll ? unreadable : [] };
  },

  async addPerson(context, call, { email: given, grants }) {
    const { signIn } = context.settings;
    if (signIn === undefined)
      throw new ServiceError('conflict', 'There is no identity provider here: invite people with a token');
    await requireGrantable(context, call, grants);
    const [email, at] = [given.toLowerCase(), context.now().toISOString()];
    const { people } = await context.people.list();
    const isKnown = people.some((one) => one.email?.toLowerCase() === email);
    const id = invitedId(signIn.issuer, email);
    const person: Person = {
      ...{ id, issuer: signIn.issuer, subject: '', name: startOf(email, MAX_NAME), email, grants, grantsBy: 'hand' },
      ...{ isDisabled: false, isInvited: true, createdAt: at, lastSignInAt: at },
    };
    const added = isKnown ? null : await context.people.change(id, (before) => (before === null ? person : null));
    if (added === null)
      throw new ServiceError('conflict', `${email} is known already: change the roles of that person`);
    await call.audit({ person: id, name: person.name, roles: rolesInWords(person) });
    return { success: true, person };
  },

  async getOwnPerson(_context, { person }) {
    return { success: true, person };
  },

  async changePerson(context, call, { id, grants, was, isDisabled }) {
    const { reach } = call;
    if (isDisabled !== undefined || grants === null) requireAllSites(reach);
    await requireGrantable(context, call, grants ?? []);
    const found = await context.people.find(id, { consistent: true });
    const seen = found && (await seenBy(context, reach, found));
    if (found === null || seen === null) throw noSuchPerson(id);
    if (was !== undefined && !isSame(was, seen.grants)) throw changedMeanwhile();
    if (!reach.isAll && found.grantsBy === 'claims') {
      const message =
        'The roles of this person come from the identity provider: only a token for all sites may set others';
      throw new ServiceError('conflict', message);
    }
    const isMine = await Promise.all(found.grants.map(({ sites }) => coversAll(context, reach, sites)));
    const others = found.grants.filter((_, i) => !isMine[i]);
    const roles = rolesOf(others, grants);
    const after = await context.people.change(id, (now) => {
      if (now === null) return null;
      if (!isSame(now.grants, found.grants)) throw changedMeanwhile();
      return { ...now, ...roles, ...(isDisabled === undefined ? {} : { isDisabled }) };
    });
    if (after === null) throw noSuchPerson(id);
    const detail = auditDetail(after);
    await call.audit(
      { person: id, name: after.name, ...detail },
      { changes: changesBetween(auditDetail(found), detail) },
    );
    return { success: true, person: (await seenBy(context, reach, after)) ?? { ...after, grants: [] } };
  },

  async removePerson({ people, tokens }, call, { id }) {
    requireAllSites(call.reach);
    const found = await people.find(id, { consistent: true });
    if (found === null || !(await people.remove(id))) throw noSuchPerson(id);
    // They are rejected already, but would be valid again if the same person came back.
    const theirs = (await tokens.list()).filter(({ person }) => person === id);
    for (const token of theirs) await tokens.revoke(token.id);
    await call.audit({ person: id, name: found.name, revoked: theirs.length });
    return { success: true, revoked: theirs.length };
  },
};

/** The person with the grants that a caller may see; null without any. */
async function seenBy(context: PeopleContext, reach: Reach, person: Person): Promise<Person | null> {
  if (reach.isAll) return person;
  const isMine = await Promise.all(person.grants.map(({ sites }) => coversAll(context, reach, sites)));
  const grants = person.grants.filter((_, i) => isMine[i]);
  return grants.length === 0 ? null : { ...person, grants };
}

/** @param given undefined: unchanged; null: by the provider's claims at the next sign-in */
function rolesOf(others: Grant[], given: Grant[] | null | undefined): Partial<Person> {
  if (given === undefined) return {};
  if (given === null) return { grantsBy: 'claims' };
  const grants = [...others, ...given];
  if (grants.length > MAX_GRANTS) throw invalid('grants', `expected at most ${MAX_GRANTS} with those at other sites`);
  return { grants, grantsBy: 'hand' };
}

/** @throws {ServiceError} for a role with a scope that the caller lacks, or at sites out of reach */
async function requireGrantable(context: PeopleContext, { token, reach }: Caller, grants: Grant[]): Promise<void> {
  const beyond = grants.flatMap(({ role }, i): FieldError[] => {
    const lacking = SCOPES_OF_ROLE[role].filter((scope) => !token.scopes.includes(scope));
    const message = `the token of this request lacks the scope ${lacking[0]}, so it cannot give the role ${role}`;
    return lacking.length === 0 ? [] : [{ path: `grants.${i}.role`, message }];
  });
  if (beyond.length > 0) throw validationError(beyond);
  for (const { sites } of grants) {
    if (await coversAll(context, reach, sites)) continue;
    throw new ServiceError('site_forbidden', siteForbidden(sites === '*' ? '*' : sites.join(', ')));
  }
  const outliving = await Promise.all(
    grants.map(({ sites }, i) => outlivingTags(context, reach, sites, `grants.${i}.sites`)),
  );
  if (outliving.flat().length > 0) throw validationError(outliving.flat());
}

/** @throws {ServiceError} `site_forbidden` */
function requireAllSites(reach: Reach): void {
  if (!reach.isAll) throw new ServiceError('site_forbidden', siteForbidden('*'));
}

const isSame = (some: readonly Grant[], others: readonly Grant[]) => JSON.stringify(some) === JSON.stringify(others);

function changedMeanwhile(): ServiceError {
  return new ServiceError('conflict', 'The roles of this person were changed meanwhile: read them again');
}

function noSuchPerson(id: string): ServiceError {
  return new ServiceError('not_found', `There is no person with the id ${id}`);
}

function auditDetail(person: Person) {
  return { roles: rolesInWords(person), by: person.grantsBy, disabled: person.isDisabled };
}

/** For the audit. */
export function rolesInWords({ grants }: Person): string {
  return grants.map(({ role, sites }) => `${role}: ${sites === '*' ? '*' : sites.join(' ')}`).join(', ');
}
