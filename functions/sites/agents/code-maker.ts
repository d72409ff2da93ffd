/**
 * Who has made an enrolment code. Whoever knows it can use it, so it holds no longer than its maker could make it again: it
 * ends with their token, their rights and, where it was made in a session, with the person.
 */
import { SCOPES_OF_ROLE } from '../../../shared/roles.ts';
import type { Caller } from '../../http/caller.ts';
import { callerOf, hasScope } from '../../http/caller.ts';
import { type Reach, reachOf } from '../../http/reach.ts';
import type { Stores } from '../../stores.ts';
import { isReached } from '../sites.ts';
import type { StoredCode } from './enrolment-store.ts';

type MakerContext = Pick<Stores, 'tokens' | 'people' | 'sites'>;

export function makerOf({ token, person }: Pick<Caller, 'token' | 'person'>): Pick<StoredCode, 'createdBy' | 'person'> {
  return { createdBy: token.id, person: token.purpose === 'session' && person !== null ? person.id : null };
}

/** Whether its maker could still make it. */
export async function couldBeMade(context: MakerContext, { createdBy, person, site }: StoredCode): Promise<boolean> {
  if (createdBy === null) return true;
  const reach = person === null ? await reachOfToken(context, createdBy) : await reachOfPerson(context, person);
  return reach !== null && isReached(context, reach, site);
}

/** The sites that a token administers. */
async function reachOfToken({ tokens }: MakerContext, id: string): Promise<Reach | null> {
  const found = await tokens.find(id, { consistent: true });
  const caller = found && callerOf(found, 'admin');
  return caller !== null && hasScope(caller.token, 'admin') ? caller.reach : null;
}

/** The sites that somebody administers. */
async function reachOfPerson({ people }: MakerContext, id: string): Promise<Reach | null> {
  const person = await people.find(id, { consistent: true });
  if (person === null || person.isDisabled) return null;
  const administered = person.grants.filter(({ role }) => SCOPES_OF_ROLE[role].includes('admin'));
  if (administered.some(({ sites }) => sites === '*')) return reachOf(['*']);
  return reachOf([administered.flatMap(({ sites }) => sites)]);
}
