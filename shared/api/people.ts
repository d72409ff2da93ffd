/** `/people`: who signs in with the identity provider, and what they may do. */
import * as z from 'zod';
import { list } from './list.ts';
import { type Operations, Unreadables } from './operation.ts';
import { Grant, Person, PersonId } from './records.ts';

const succeeded = z.literal(true);
export const examplePerson = {
  id: '89abcdef01234567',
  issuer: 'https://login.example.org/realms/office',
  subject: '7b1f0c52-0f5b-4c80-9d5a-0a5a3c1f2b7e',
  name: 'Ada Example',
  email: 'ada@example.org',
  grants: [{ role: 'operator', sites: ['home', 'tag:customers'] }],
  grantsBy: 'hand',
  isDisabled: false,
  createdAt: '2026-11-01T08:15:00.000Z',
  lastSignInAt: '2026-11-01T08:15:00.000Z',
};

/** Most grants of a person. */
export const MAX_GRANTS = 50;

export const people = {
  listPeople: {
    method: 'GET',
    path: '/people',
    scope: 'admin',
    summary:
      'Who has signed in; for a token that is limited to certain sites, those who have a role there, with that role alone',
    response: z.object({ success: succeeded, people: z.array(Person), unreadable: Unreadables }),
    example: { response: { success: true, people: [examplePerson], unreadable: [] } },
  },
  getOwnPerson: {
    method: 'GET',
    path: '/people/self',
    scope: 'any',
    summary: 'Whose the token of this request is',
    response: z.object({
      success: succeeded,
      person: Person.nullable().meta({ description: 'null: it is nobody’s in particular.' }),
    }),
    example: { response: { success: true, person: examplePerson } },
  },
  changePerson: {
    method: 'PATCH',
    path: '/people/{id}',
    scope: 'admin',
    audit: 'person.change',
    summary: 'Give or take roles, or lock somebody out; it counts from their next request on',
    params: z.object({ id: PersonId }),
    body: z
      .strictObject({
        grants: list(Grant, { max: MAX_GRANTS }).nullable().optional().meta({
          description:
            'In place of the roles at sites that your token may use; others stay. Only roles whose scopes it has. null: what the provider says at the next sign-in decides again.',
        }),
        isDisabled: z
          .boolean()
          .optional()
          .meta({ description: 'Whether all that is theirs is refused. Only a token for all sites may say so.' }),
      })
      .refine(({ grants, isDisabled }) => grants !== undefined || isDisabled !== undefined, {
        error: 'expected grants or isDisabled',
      }),
    response: z.object({ success: succeeded, person: Person }),
    errors: ['not_found', 'site_forbidden', 'conflict'],
    example: {
      params: { id: '89abcdef01234567' },
      body: { grants: [{ role: 'operator', sites: ['home', 'tag:customers'] }] },
      response: { success: true, person: examplePerson },
    },
  },
  removePerson: {
    method: 'DELETE',
    path: '/people/{id}',
    scope: 'admin',
    audit: 'person.remove',
    summary:
      'Forget somebody, and revoke their tokens. Who can still sign in at the provider comes back as new: lock them out instead',
    params: z.object({ id: PersonId }),
    response: z.object({
      success: succeeded,
      revoked: z.int().meta({ description: 'How many tokens and sessions they had.' }),
    }),
    errors: ['not_found', 'site_forbidden'],
    example: { params: { id: '89abcdef01234567' }, response: { success: true, revoked: 2 } },
  },
} as const satisfies Operations;
