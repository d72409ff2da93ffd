import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Person } from '../../../shared/api/records.ts';
import { emailOf, grantsOf, nameOf } from './grants.ts';
import { type RoleRule, SIGN_IN_SCHEMAS } from './settings.ts';

const RULES: RoleRule[] = [
  { claim: 'groups', value: 'netops', role: 'operator', sites: ['tag:customers'] },
  { claim: 'email', value: 'ada@example.org', role: 'admin', sites: '*' },
  { claim: 'hd', value: '*', role: 'viewer', sites: ['home'] },
];
const rolesFor = (claims: Record<string, unknown>) => grantsOf(claims, RULES).map(({ role }) => role);

test.each<[string, Record<string, unknown>, string[]]>([
  ['one of several groups', { groups: ['staff', 'netops'] }, ['operator']],
  ['the only group, as a text', { groups: 'netops' }, ['operator']],
  ['a part of a value', { groups: ['netops-readers', 'NETOPS'] }, []],
  ['a group that is no text', { groups: [{ toString: 'netops' }, ['netops'], 7, null] }, []],
  ['an address that was checked', { email: 'ada@example.org', email_verified: true }, ['admin']],
  ['one that was not', { email: 'ada@example.org', email_verified: 'true' }, []],
  ['one of which nothing is said', { email: 'ada@example.org' }, []],
  ['any value', { hd: 'example.org', groups: ['netops'] }, ['operator', 'viewer']],
  ['no value', { hd: [] }, []],
  ['an empty value', { hd: '' }, []],
  ['nothing', {}, []],
])('%s', (_, claims, roles) => {
  expect(rolesFor(claims)).toEqual(roles);
});

test('a rule for a name that every object has grants no role', () => {
  const rule = (claim: string): RoleRule => ({ claim, value: '*', role: 'admin', sites: '*' });
  expect(grantsOf({}, ['constructor', '__proto__', 'toString'].map(rule))).toEqual([]);
});

test('whatever a provider says, a person can be stored and shown', () => {
  const claim = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 150 }),
    fc.constantFrom(7, null, true, [], ['x'], { x: 'y' }),
  );
  const keys = { name: claim, preferred_username: claim, email: claim, email_verified: fc.boolean() };
  fc.assert(
    fc.property(fc.record(keys, { requiredKeys: [] }), (claims) => {
      const name = nameOf(claims, 'subject');
      expect(Person.shape.name.parse(name)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      expect(name.trim()).not.toBe('');
      Person.shape.email.parse(emailOf(claims));
      grantsOf(claims, RULES);
    }),
  );
});

test('rules are JSON, or what JSON can hold, and every member is checked', () => {
  const parse = (given: unknown) => SIGN_IN_SCHEMAS.OIDC_ROLES.safeParse(given);
  expect(parse(JSON.stringify(RULES)).data).toEqual(RULES);
  expect(parse(RULES).data).toEqual(RULES);
  for (const wrong of [
    'netops',
    '{}',
    [{ ...RULES[0], role: 'owner' }],
    [{ ...RULES[0], sites: ['Not A Site'] }],
    [{ ...RULES[0], sites: [] }],
    [{ ...RULES[0], site: 'home' }],
    Array(51).fill(RULES[0]),
  ]) {
    expect(parse(wrong).success, JSON.stringify(wrong)).toBe(false);
  }
});

test.each([
  ['https://login.example.org/realms/office', true],
  ['http://127.0.0.1:4000', true],
  ['http://localhost', true],
  ['http://login.example.org', false],
  ['http://localhost.example.org', false],
  ['https://user:word@login.example.org', false],
  ['https://login.example.org/.well-known/openid-configuration', false],
  ['https://login.example.org/?tenant=a', false],
  ['login.example.org', false],
])('the issuer %s: %s', (issuer, isGood) => {
  expect(SIGN_IN_SCHEMAS.OIDC_ISSUER.safeParse(issuer).success).toBe(isGood);
});
