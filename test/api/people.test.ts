/** What people may do, by their roles at sites, and how that ends. */
import { afterEach, expect, test, vi } from 'vitest';
import { tokenId } from '../../functions/http/token.ts';
import { admin } from '../../shared/api/admin.ts';
import { people } from '../../shared/api/people.ts';
import type { Grant } from '../../shared/api/records.ts';
import { signIn } from '../../shared/api/sign-in.ts';
import { eraseSite } from '../support/erase-site.ts';
import { startTestApi } from '../support/in-process.ts';
import { newVerifier, SIGN_IN, signedIn } from '../support/signed-in.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi({ signIn: SIGN_IN });
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;
const moveClockBy = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms + 1 });
const MAC = '00:1E:06:77:01:60';

/** What somebody gets for each kind of request about a site. */
async function triedAt(site: string, token: string): Promise<Record<string, number>> {
  const at = (method: string, path: string, body?: object) => system.request(method, path, { token, site, body });
  const answers = {
    read: await at('GET', '/devices/totals'),
    write: await at('PATCH', `/devices/${MAC}`, { devComments: 'seen' }),
    run: await at('POST', '/nettools/wakeonlan', { devMac: MAC }),
    administer: await at('GET', '/audit'),
  };
  return Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]));
}

async function addTaggedSite(tags: string[]): Promise<string> {
  const site = await system.addSite(`devMac,devName\n${MAC},nas\n`);
  await system.request('PATCH', `/sites/${site}`, { body: { tags } });
  return site;
}

test('each role at the sites of its grant, by name and by tag, and nothing elsewhere', async () => {
  const [home, shop, other] = [await addTaggedSite([]), await addTaggedSite(['customers']), await addTaggedSite(['x'])];
  const roles: Grant['role'][] = ['viewer', 'operator', 'admin'];
  const [viewer, operator, administrator] = await Promise.all(
    roles.map((role) => signedIn(system, `of ${role}`, [{ role, sites: [home, 'tag:customers'] }])),
  );
  // There is no agent at these sites: 503 says that a command would have been sent.
  const may = { read: 200, write: 200, run: 503, administer: 200 };
  for (const site of [home, shop]) {
    expect(await triedAt(site, viewer!.token)).toEqual({ read: 200, write: 403, run: 403, administer: 403 });
    expect(await triedAt(site, operator!.token)).toEqual({ ...may, administer: 403 });
    expect(await triedAt(site, administrator!.token)).toEqual(may);
  }
  for (const { token } of [viewer!, operator!, administrator!]) {
    expect(Object.values(await triedAt(other, token))).toEqual([403, 403, 403, 403]);
  }
  // A tag counts from the next request on.
  await system.request('PATCH', `/sites/${other}`, { body: { tags: ['customers'] } });
  expect(await triedAt(other, operator!.token)).toEqual({ ...may, administer: 403 });
});

test('a session says whose it is, and ends after its hours, at a sign-out, and with the person', async () => {
  const ada = await signedIn(system, 'ada', [{ role: 'viewer', sites: '*' }]);
  const own = await system.request('GET', '/people/self', { token: ada.token });
  expect(people.getOwnPerson.response.parse(own.json).person).toMatchObject({ id: ada.id, name: 'ada' });
  const nobody = await system.request('GET', '/people/self');
  expect(nobody.json).toEqual({ success: true, person: null });
  const { json } = await system.request('GET', '/tokens/self', { token: ada.token });
  const described = admin.getOwnToken.response.parse(json);
  expect(described).toMatchObject({ purpose: 'session', person: ada.id, scopes: ['devices:read'] });
  const sites = (token: string) => system.request('GET', '/sites', { token }).then(({ status }) => status);

  const signedOut = await signedIn(system, 'ada', [{ role: 'viewer', sites: '*' }]);
  expect((await system.request('DELETE', '/tokens/self', { token: signedOut.token })).json).toEqual({ success: true });
  expect([await sites(signedOut.token), await sites(ada.token)]).toEqual([403, 200]);

  expect(Date.parse(described.expiresAt ?? '')).toBeLessThanOrEqual(Date.now() + 12 * HOUR_MS);
  moveClockBy(12 * HOUR_MS);
  expect(await sites(ada.token)).toBe(403);
  // Nobody would ever revoke it.
  const listed = admin.listTokens.response.parse((await system.request('GET', '/tokens')).json).tokens;
  expect(listed.map(({ id }) => id)).not.toContain(tokenId(ada.token));
  vi.useRealTimers();

  const set = (body: object) => system.request('PATCH', `/people/${ada.id}`, { body });
  expect((await set({ isDisabled: true })).status).toBe(200);
  expect(await sites(ada.token)).toBe(403);
  await set({ isDisabled: false, grants: [] });
  expect(await sites(ada.token)).toBe(403);
  await set({ grants: [{ role: 'viewer', sites: '*' }] });
  expect(await sites(ada.token)).toBe(200);
  expect((await set({ was: [], grants: [] })).status).toBe(409);
  expect(await sites(ada.token)).toBe(200);
  expect((await set({ was: [{ role: 'viewer', sites: '*' }], grants: [] })).status).toBe(200);
});

test('a token that somebody makes outlives the session, and ends with them and their roles', async () => {
  const bob = await signedIn(system, 'bob', [{ role: 'admin', sites: '*' }]);
  const made = await system.request('POST', '/tokens', {
    token: bob.token,
    body: { name: 'script', scopes: ['devices:read', 'admin'], sites: '*' },
  });
  const script = admin.createToken.response.parse(made.json);
  expect(script).toMatchObject({ person: bob.id, purpose: 'api', createdBy: tokenId(bob.token) });
  expect(Date.parse(script.expiresAt ?? '') - Date.now()).toBeGreaterThan(89 * 24 * HOUR_MS);
  // One of that one is his as well.
  const child = await system.createToken({ scopes: ['devices:read'], sites: '*' }, script.token);
  const described = (await system.request('GET', '/tokens/self', { token: child })).json;
  expect(described).toMatchObject({ person: bob.id, expiresAt: script.expiresAt });

  const status = async (token: string, path = '/sites') => (await system.request('GET', path, { token })).status;
  moveClockBy(13 * HOUR_MS);
  expect([await status(bob.token), await status(script.token)]).toEqual([403, 200]);
  vi.useRealTimers();
  // He was an administrator, and is not any more.
  await system.request('PATCH', `/people/${bob.id}`, { body: { grants: [{ role: 'viewer', sites: '*' }] } });
  expect([await status(script.token), await status(script.token, '/tokens')]).toEqual([200, 403]);

  const removed = await system.request('DELETE', `/people/${bob.id}`);
  expect(removed.json).toEqual({ success: true, revoked: 3 });
  expect([await status(script.token), await status(child)]).toEqual([403, 403]);
  // Also when he comes back.
  await signedIn(system, 'bob', [{ role: 'admin', sites: '*' }]);
  expect([await status(script.token), await status(child)]).toEqual([403, 403]);

  const { json } = await system.request('GET', '/audit', { site: 'home' });
  const { entries } = admin.listAudit.response.parse(json);
  const named = entries.filter(({ action, person }) => action === 'token.create' && person !== null);
  expect(named.map(({ person }) => person)).toContainEqual({ id: bob.id, name: 'bob' });
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['person.signIn', 'person.change', 'person.remove', 'token.revoke']),
  );
});

test('who may use certain sites sees and changes the roles at them, and nothing else', async () => {
  const [mine, other] = [await system.addSite(), await system.addSite()];
  const carol = await signedIn(system, 'carol', [{ role: 'admin', sites: [mine] }]);
  const dan = await signedIn(system, 'dan', [
    { role: 'viewer', sites: [mine] },
    { role: 'admin', sites: [other] },
  ]);
  const erin = await signedIn(system, 'erin', [{ role: 'admin', sites: '*' }]);
  const fred = await signedIn(system, 'fred', [{ role: 'viewer', sites: [mine] }], 'claims');
  const asCarol = (method: string, path: string, body?: object) =>
    system.request(method, path, { token: carol.token, body });

  const seen = people.listPeople.response.parse((await asCarol('GET', '/people')).json).people;
  expect(seen.find(({ id }) => id === dan.id)?.grants).toEqual([{ role: 'viewer', sites: [mine] }]);
  expect(seen.map(({ id }) => id)).not.toContain(erin.id);

  const changed = await asCarol('PATCH', `/people/${dan.id}`, { grants: [{ role: 'operator', sites: [mine] }] });
  expect(people.changePerson.response.parse(changed.json).person.grants).toEqual([{ role: 'operator', sites: [mine] }]);
  const whole = people.listPeople.response.parse((await system.request('GET', '/people')).json).people;
  expect(whole.find(({ id }) => id === dan.id)?.grants).toEqual([
    { role: 'admin', sites: [other] },
    { role: 'operator', sites: [mine] },
  ]);

  const refused = await Promise.all([
    asCarol('PATCH', `/people/${dan.id}`, { grants: [{ role: 'admin', sites: [other] }] }),
    asCarol('PATCH', `/people/${dan.id}`, { grants: [{ role: 'admin', sites: '*' }] }),
    asCarol('PATCH', `/people/${carol.id}`, { grants: [{ role: 'admin', sites: ['tag:customers'] }] }),
    asCarol('PATCH', `/people/${dan.id}`, { isDisabled: true }),
    asCarol('PATCH', `/people/${dan.id}`, { grants: null }),
    asCarol('DELETE', `/people/${dan.id}`),
    asCarol('PATCH', `/people/${erin.id}`, { grants: [] }),
    asCarol('PATCH', `/people/${fred.id}`, { grants: [] }),
    asCarol('POST', '/tokens', { name: 'x', scopes: ['devices:read'], sites: '*' }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 404, 409, 403]);

  // A role with more scopes than the token has that gives it.
  const narrow = await system.createToken({ scopes: ['admin', 'devices:read'], sites: '*' });
  const body = { grants: [{ role: 'operator', sites: [mine] }] };
  const wide = await system.request('PATCH', `/people/${fred.id}`, { token: narrow, body });
  expect(wide).toMatchObject({ status: 400, json: { errors: [{ path: 'grants.0.role' }] } });
});

test('roles at a site end with it, and hold at no later one of its id', async () => {
  const [gone, kept] = [await addTaggedSite([]), await addTaggedSite([])];
  const both = await signedIn(system, 'gina', [
    { role: 'admin', sites: [gone] },
    { role: 'viewer', sites: [gone, kept, 'tag:x'] },
  ]);
  const here = await signedIn(system, 'hal', [{ role: 'admin', sites: [gone] }], 'claims');
  const untouched = await signedIn(system, 'ida', [{ role: 'admin', sites: '*' }]);
  expect((await triedAt(gone, here.token)).administer).toBe(200);
  await eraseSite(system, system.context, gone);
  expect((await system.request('POST', '/sites', { body: { id: gone } })).status).toBe(201);
  for (const { token } of [both, here]) expect(Object.values(await triedAt(gone, token))).toEqual([403, 403, 403, 403]);
  expect((await triedAt(kept, both.token)).read).toBe(200);
  const grantsOf = async ({ id }: { id: string }) => (await system.context.people.find(id))?.grants;
  expect(await Promise.all([both, here, untouched].map(grantsOf))).toEqual([
    [{ role: 'viewer', sites: [kept, 'tag:x'] }],
    [],
    [{ role: 'admin', sites: '*' }],
  ]);
});

test('what a tag allows is given by the tag, so that it ends with it', async () => {
  const site = await addTaggedSite(['shops']);
  const ofTag = await system.createToken({ sites: ['tag:shops'] });
  const make = (sites: string[], token = ofTag) =>
    system.request('POST', '/tokens', { token, body: { name: 'child', scopes: ['devices:read'], sites } });
  const message = 'expected tag:shops, because only its tags say that the token of this request may use this site';
  const refused = await make(['tag:shops', site]);
  expect(refused).toMatchObject({ status: 400, json: { errors: [{ path: 'sites.1', message }] } });
  const child = admin.createToken.response.parse((await make(['tag:shops'])).json);

  const grace = await signedIn(system, 'grace', [{ role: 'admin', sites: ['tag:shops'] }]);
  const heidi = await signedIn(system, 'heidi', [{ role: 'viewer', sites: ['tag:shops'] }]);
  const grant = (sites: string[], body = { grants: [{ role: 'admin', sites }] }) =>
    system.request('PATCH', `/people/${heidi.id}`, { token: grace.token, body });
  expect(await grant([site])).toMatchObject({ status: 400, json: { errors: [{ path: 'grants.0.sites.0', message }] } });
  expect((await grant(['tag:shops'])).status).toBe(200);
  // What somebody may do ends with the tag, whatever their token names.
  const named = admin.createToken.response.parse((await make([site], grace.token)).json);

  const reads = (token: string) => system.request('GET', '/devices/totals', { token, site }).then((a) => a.status);
  const all = [child.token, named.token, heidi.token];
  expect(await Promise.all(all.map(reads))).toEqual([200, 200, 200]);
  await system.request('PATCH', `/sites/${site}`, { body: { tags: [] } });
  expect(await Promise.all(all.map(reads))).toEqual([403, 403, 403]);
});

test('the code of a sign-in works once, within a minute, and for the browser that began', async () => {
  const ada = await signedIn(system, 'ada', [{ role: 'viewer', sites: '*' }]);
  const { verifier, challenge } = newVerifier();
  const newCode = () => system.context.signIns.prove({ challenge, person: ada.id });
  const exchange = (code: string, mine = verifier) =>
    system.request('POST', '/sign-in/session', { token: null, body: { code, verifier: mine } });

  const code = await newCode();
  expect((await exchange(code)).status).toBe(201);
  expect((await exchange(code)).status).toBe(403);

  const another = await newCode();
  expect((await exchange(another, newVerifier().verifier)).status).toBe(403);
  // Whoever tried it has used it up.
  expect((await exchange(another)).status).toBe(403);

  const atOnce = await newCode();
  const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(atOnce)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);

  const late = await newCode();
  moveClockBy(60_000);
  expect((await exchange(late)).status).toBe(403);
  vi.useRealTimers();

  const locked = await newCode();
  await system.request('PATCH', `/people/${ada.id}`, { body: { isDisabled: true } });
  expect((await exchange(locked)).status).toBe(403);
});

test('without a provider nobody is sent anywhere, and tokens are as good as before', async () => {
  await using plain = await startTestApi();
  const told = await plain.request('GET', '/sign-in', { token: null });
  expect(signIn.getSignIn.response.parse(told.json)).toEqual({ success: true, provider: null });
  const { challenge } = newVerifier();
  expect((await plain.request('GET', `/sign-in/start?challenge=${challenge}`, { token: null })).status).toBe(404);
  expect((await plain.request('GET', '/sites')).status).toBe(200);
  const own = await system.request('GET', '/sign-in', { token: null });
  expect(own.json).toEqual({ success: true, provider: { name: 'Example' } });
});
