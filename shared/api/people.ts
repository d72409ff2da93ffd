/** `/people`: the people who sign in with the identity provider, and their roles. */
import * as z from 'zod';
import { list } from './list.ts';
import { answer, type Operations, route, Unreadables } from './operation.ts';
import { Grant, Person, PersonId } from './records.ts';

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

/** Grants of a person. */
export const MAX_GRANTS = 50;

export const people = {
  listPeople: {
    ...route('GET', '/people', 'admin'),
    summary:
      'The people who have signed in or were added; for a token that is limited to certain sites, those with a role there, and only that role',
    response: answer({ people: z.array(Person), unreadable: Unreadables }),
    example: { response: { success: true, people: [examplePerson], unreadable: [] } },
  },
  addPerson: {
    ...route('POST', '/people', 'admin'),
    audit: 'person.add',
    summary:
      'Give roles to a person before their first sign-in, by the email address that the provider has verified (`email_verified`)',
    body: z.strictObject({
      email: z
        .string()
        .max(254)
        .regex(/^[\x21-\x7e]+@[\x21-\x7e]+$/, { error: 'expected an email address' })
        .describe('In any letter case.'),
      grants: list(Grant, { min: 1, max: MAX_GRANTS }),
    }),
    response: answer({ person: Person }),
    errors: ['site_forbidden', 'conflict'],
    example: {
      body: { email: 'ben@example.org', grants: [{ role: 'viewer', sites: ['home'] }] },
      response: {
        success: true,
        person: { ...examplePerson, subject: '', name: 'ben@example.org', email: 'ben@example.org', isInvited: true },
      },
    },
  },
  getOwnPerson: {
    ...route('GET', '/people/self', 'any'),
    summary: 'The owner of the token of this request',
    response: answer({ person: Person.nullable().describe('null: it belongs to no person.') }),
    example: { response: { success: true, person: examplePerson } },
  },
  changePerson: {
    ...route('PATCH', '/people/{id}', 'admin'),
    audit: 'person.change',
    summary: 'Grant or withdraw roles of a person, or disable the person; effective from their next request',
    params: z.object({ id: PersonId }),
    body: z
      .strictObject({
        grants: list(Grant, { max: MAX_GRANTS })
          .nullable()
          .optional()
          .describe(
            'Replaces the roles at sites that your token may use; others stay. Only roles whose scopes it has. null: the claims of the provider decide again, at the next sign-in.',
          ),
        was: list(Grant, { max: MAX_GRANTS })
          .optional()
          .describe('The roles as they were read: 409, and no change, when your token sees others by now.'),
        isDisabled: z
          .boolean()
          .optional()
          .describe('Whether the service rejects all their tokens. Only a token for all sites may set it.'),
      })
      .refine(({ grants, isDisabled }) => grants !== undefined || isDisabled !== undefined, {
        error: 'expected grants or isDisabled',
      }),
    response: answer({ person: Person }),
    errors: ['not_found', 'site_forbidden', 'conflict'],
    example: {
      params: { id: '89abcdef01234567' },
      body: { grants: [{ role: 'operator', sites: ['home', 'tag:customers'] }] },
      response: { success: true, person: examplePerson },
    },
  },
  removePerson: {
    ...route('DELETE', '/people/{id}', 'admin'),
    audit: 'person.remove',
    summary:
      'Remove a person, and revoke their tokens. A person who can still sign in at the provider comes back as new: disable them instead',
    params: z.object({ id: PersonId }),
    response: answer({ revoked: z.int().describe('How many tokens and sessions were revoked.') }),
    errors: ['not_found', 'site_forbidden'],
    example: { params: { id: '89abcdef01234567' }, response: { success: true, revoked: 2 } },
  },
} as const satisfies Operations;
