/** The whole way of a sign-in: at a real provider, and at one that lies. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { RoleRule, SignInSettings } from '../functions/access/people/settings.ts';
import { people } from '../shared/api/people.ts';
import { signIn } from '../shared/api/sign-in.ts';
import { startTestApi, type TestApi } from './support/in-process.ts';
import { type OidcProvider, startOidcProvider } from './support/oidc-provider.ts';
import { newVerifier, SIGN_IN } from './support/signed-in.ts';

const RULES: RoleRule[] = [
  { claim: 'groups', value: 'netops', role: 'operator', sites: ['tag:customers'] },
  { claim: 'groups', value: 'everybody', role: 'viewer', sites: '*' },
  { claim: 'email', value: 'boss@example.org', role: 'admin', sites: '*' },
];

let provider: OidcProvider;
let system: TestApi;
beforeAll(async () => {
  provider = await startOidcProvider({
    ada: { name: 'Ada Example', email: 'ada@example.org', email_verified: true, groups: ['netops', 'everybody'] },
    boss: { name: 'Boss', email: 'boss@example.org', email_verified: true },
    imposter: { name: 'Not the boss', email: 'boss@example.org', email_verified: false },
    guest: { preferred_username: 'guest' },
    carla: { name: 'Carla', email: 'CARLA@example.org', email_verified: true },
    pretender: { name: 'Not Carla', email: 'carla@example.org', email_verified: false },
  });
  system = await startTestApi({ signIn: settingsOf(provider) });
});
afterAll(async () => {
  await system.close();
  await provider[Symbol.asyncDispose]();
});

function settingsOf({ issuer, clientId, clientSecret }: OidcProvider): SignInSettings {
  const scopes = 'openid email profile groups';
  return { ...SIGN_IN, issuer, clientId, clientSecret: async () => clientSecret, scopes, rules: RULES };
}

/** What the browser of somebody does: goes to the provider, and follows back. @returns where the provider sends it */
async function goAndComeBack(account: string): Promise<{ back: URL; verifier: string }> {
  const { verifier, challenge } = newVerifier();
  const begun = await system.service(new Request(`http://localhost/sign-in/start?challenge=${challenge}`));
  expect(begun.status).toBe(302);
  return { back: await provider.visit(begun.headers.get('location') ?? '', account), verifier };
}

/** Where the console is opened, and what it is told. */
async function comeIn(back: URL): Promise<{ page: string; said: Record<string, string> }> {
  const answer = await system.service(new Request(back));
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([303, 'no-store']);
  const { pathname, hash } = new URL(answer.headers.get('location') ?? '', back);
  const [route = '', query] = hash.split('?');
  return { page: pathname + route, said: Object.fromEntries(new URLSearchParams(query)) };
}

async function signInAs(account: string) {
  const { back, verifier } = await goAndComeBack(account);
  const { said, page } = await comeIn(back);
  const answer = await system.request('POST', '/sign-in/session', { token: null, body: { ...said, verifier } });
  return { ...signIn.createSession.response.parse(answer.json), page };
}

/** What the console gets when the sign-in is refused. */
const refusalOf = async (account: string) => (await comeIn((await goAndComeBack(account)).back)).said;

/** Lines of the log about sign-ins, whose secrets nobody may find in any line. */
function problems(): unknown[] {
  expect(JSON.stringify(system.logged)).not.toMatch(/eyJ|code=|state=|verifier/);
  return system.logged.filter(({ msg }) => msg.startsWith('sign-in ')).map(({ reason }) => reason);
}

test('somebody signs in at the provider, and has the roles that their groups give', async () => {
  const { token, person, page } = await signInAs('ada');
  expect(page).toBe('/console/#/sign-in');
  expect(person).toMatchObject({
    ...{ subject: 'ada', issuer: provider.issuer, name: 'Ada Example', email: 'ada@example.org', grantsBy: 'claims' },
    grants: [
      { role: 'operator', sites: ['tag:customers'] },
      { role: 'viewer', sites: '*' },
    ],
  });
  const [plain, customer] = [await system.addSite(), await system.addSite()];
  await system.request('PATCH', `/sites/${customer}`, { body: { tags: ['customers'] } });
  const run = (site: string) =>
    system.request('GET', '/nettools/interfaces', { token, site }).then(({ status }) => status);
  // 503: there is no agent to run it.
  expect([await run(plain), await run(customer)]).toEqual([403, 503]);

  // What the provider says at the next sign-in counts for all that is theirs.
  provider.accounts.ada = { ...provider.accounts.ada, groups: ['everybody'], name: 'Ada New' };
  await signInAs('ada');
  expect(await run(customer)).toBe(403);
  const own = await system.request('GET', '/people/self', { token });
  expect(people.getOwnPerson.response.parse(own.json).person).toMatchObject({ id: person.id, name: 'Ada New' });

  // By hand, until it is said that the provider decides again.
  const set = (grants: unknown) => system.request('PATCH', `/people/${person.id}`, { body: { grants } });
  await set([{ role: 'operator', sites: '*' }]);
  await signInAs('ada');
  expect(await run(plain)).toBe(503);
  await set(null);
  await signInAs('ada');
  expect(await run(plain)).toBe(403);

  const audit = (await system.request('GET', '/audit', { site: 'home' })).json as {
    entries: Record<string, unknown>[];
  };
  expect(audit.entries.find(({ action }) => action === 'person.signIn')).toMatchObject({
    person: { id: person.id, name: 'Ada New' },
    detail: { person: person.id, roles: 'viewer: *' },
  });
});

test('an address counts only when the provider has checked it; who has no role is listed and stays outside', async () => {
  expect((await signInAs('boss')).token).toMatch(/^lr_/);
  for (const account of ['imposter', 'guest']) expect(await refusalOf(account)).toEqual({ error: 'no-role' });
  expect(await refusalOf('no such account')).toEqual({ error: 'refused' });
  const listed = people.listPeople.response.parse((await system.request('GET', '/people')).json).people;
  const guest = listed.find(({ name }) => name === 'guest');
  expect(listed.find(({ name }) => name === 'Not the boss')).toMatchObject({ email: null, grants: [] });
  await system.request('PATCH', `/people/${guest?.id}`, { body: { grants: [{ role: 'viewer', sites: ['home'] }] } });
  expect((await signInAs('guest')).person.id).toBe(guest?.id);
  await system.request('PATCH', `/people/${guest?.id}`, { body: { isDisabled: true } });
  expect(await refusalOf('guest')).toEqual({ error: 'disabled' });
  expect(problems().filter((reason) => reason !== 'refused')).toEqual(['no-role', 'no-role', 'disabled']);
});

test('roles given by address wait for the first sign-in, and only an address that the provider has checked gets them', async () => {
  const add = (email: string) =>
    system.request('POST', '/people', { body: { email, grants: [{ role: 'operator', sites: ['home'] }] } });
  const answer = await add('Carla@Example.org');
  const invited = people.addPerson.response.parse(answer.json).person;
  expect(invited).toMatchObject({ email: 'carla@example.org', isInvited: true, grantsBy: 'hand' });
  expect((await add('carla@example.org')).status).toBe(409);

  expect(await refusalOf('pretender')).toEqual({ error: 'no-role' });
  const { id: person } = (await signInAs('carla')).person;
  const listed = people.listPeople.response.parse((await system.request('GET', '/people')).json).people;
  expect(listed.map(({ id }) => id)).not.toContain(invited.id);
  expect(listed.find(({ id }) => id === person)).toMatchObject({
    ...{ subject: 'carla', name: 'Carla', email: 'CARLA@example.org', isDisabled: false },
    grants: [{ role: 'operator', sites: ['home'] }],
  });
  expect(listed.find(({ id }) => id === person)).not.toHaveProperty('isInvited');
  // They apply once: removed, the person comes back without any.
  await system.request('DELETE', `/people/${person}`);
  expect(await refusalOf('carla')).toEqual({ error: 'no-role' });
});

test('what comes back works once, in time, and only with a state of ours', async () => {
  const { back } = await goAndComeBack('boss');
  await comeIn(back);
  expect((await comeIn(back)).said).toEqual({ error: 'expired' });

  // A code of the provider that was used already, in another attempt.
  const next = await goAndComeBack('boss');
  next.back.searchParams.set('code', back.searchParams.get('code') ?? '');
  expect((await comeIn(next.back)).said).toEqual({ error: 'invalid' });

  for (const [name, value, error] of [
    ['iss', 'https://login.example.org', 'invalid'],
    ['state', 'made-up', 'expired'],
  ] as const) {
    const { back: changed } = await goAndComeBack('boss');
    changed.searchParams.set(name, value);
    expect((await comeIn(changed)).said).toEqual({ error });
  }
  expect(problems().at(-1)).toBe('invalid');
});

test('below a prefix, the browser comes back below it', async () => {
  const { verifier, challenge } = newVerifier();
  const begun = await system.service(new Request(`http://localhost/prod/sign-in/start?challenge=${challenge}`));
  const asked = new URL(begun.headers.get('location') ?? '').searchParams;
  expect(asked.get('redirect_uri')).toBe('http://localhost/prod/sign-in/callback');
  expect(begun.headers.get('location')).not.toContain(verifier);
  const late = await comeIn(new URL('http://localhost/prod/sign-in/callback?state=x'));
  expect(late).toEqual({ page: '/prod/console/#/sign-in', said: { error: 'expired' } });
});

test('a start without a challenge, a HEAD, and too many of one address are refused', async () => {
  const ask = (path: string, init: RequestInit = {}) => system.service(new Request(`http://localhost${path}`, init));
  expect((await ask('/sign-in/start')).status).toBe(400);
  expect((await ask('/sign-in/start?challenge=short')).status).toBe(400);
  expect((await ask('/sign-in/callback?state=x', { method: 'HEAD' })).status).toBe(405);
  const headers = { 'x-forwarded-for': '203.0.113.7' };
  vi.useFakeTimers({ toFake: ['performance'] }); // Time stands still, so that no attempt is given back.
  const answers: number[] = [];
  for (let i = 0; i < 210; i++) answers.push((await ask('/sign-in/callback?state=x', { headers })).status);
  expect(answers.slice(0, 200)).toEqual(Array(200).fill(303));
  vi.useRealTimers();
  expect(answers.slice(200)).toEqual(Array(10).fill(429));
});
