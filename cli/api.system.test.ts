/** Requests without a command of their own, and the people who sign in. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { personId } from '../functions/access/people/person-store.ts';
import { readConfig } from '../local/config.ts';
import { says, useCommandLine, useListeningApi } from '../test/support/cli/command-line.ts';

const provider = { OIDC_ISSUER: 'https://login.example.org', OIDC_CLIENT_ID: 'lanreach' };
const { signIn } = readConfig(provider);
const api = useListeningApi(signIn === null ? {} : { signIn });
const line = useCommandLine(api);
const { run, json } = line;
const [NAS, PRINTER] = ['00:1E:06:AA:BB:01', '00:1E:06:AA:BB:02'];
const CSV = `devName,devMAC\nnas,${NAS}\nprinter,${PRINTER}\n`;

test('any operation can be called: fields, a body from a file or standard input, pages, text and refusals', async () => {
  const at = await line.siteWith('raw', CSV);
  const call = (...args: string[]) => run(['api', ...args, ...at]);
  expect(JSON.parse((await call('get', '/devices/totals/named')).stdout)).toMatchObject({ totals: { devices: 2 } });
  const found = await call('GET', '/devices', '-f', 'text=printer', '--jq', '.devices[].devMAC');
  expect(found.stdout).toBe(`${PRINTER}\n`);
  expect((await call('PATCH', `/devices/${NAS}`, '-f', 'devOwner=007', '-F', 'devFavorite=1')).code).toBe(0);
  const file = join(line.folder, 'body.json');
  await writeFile(file, JSON.stringify({ devices: [NAS, PRINTER], set: { devGroup: 'office' } }));
  expect((await call('PATCH', '/devices', '--input', file)).code).toBe(0);
  const jq = '.devices[] | [.devOwner, .devFavorite, .devGroup]';
  const all = await call('GET', '/devices?fields=all&limit=1', '--paginate', '--jq', jq);
  expect(all.stdout.replaceAll(/\s/g, '')).toBe('["007",1,"office"]["",0,"office"]');
  const search = ['api', 'POST', '/devices/search', '--input', '-', ...at];
  expect((await run(search, { input: '{"query":"nas"}' })).stdout).toContain(NAS);
  expect((await call('GET', '/devices/export')).stdout).toContain(NAS);
  expect(await call('PATCH', `/devices/${NAS}`, '-F', 'devFavorite=7')).toMatchObject({ code: 2, stdout: '' });
  expect((await call('GET', '/devices/00:00:00:00:00:99')).code).toBe(4);
});

test.each([
  [['FETCH', '/devices'], /Expected GET, POST/],
  [['GET', 'devices'], /Expected a path/],
  [['GET', '/devices/../tokens'], /without "\." and "\.\."/],
  [['GET', '/devices/%2e%2E/tokens'], /without/],
  [['GET', '/devices\\..\\tokens'], /without/],
  [['PATCH', '/devices', '-F', 'devices=[nas'], /devices: expected JSON/],
  [['PATCH', '/devices', '-f', '=x'], /Expected <name>=<value>/],
  [['POST', '/devices', '--paginate'], /--paginate is for GET/],
  [['POST', '/devices', '--input', '/nonexistent'], /no file/],
  [['GET', '/devices', '--input', '-'], /whole body/],
])('lanreach api %j sends nothing, and says why', async (args, why) => {
  const { code, stderr } = await run(['api', ...args]);
  expect([code, stderr]).toMatchObject([2, expect.stringMatching(why)]);
});

test('people: listed, found by e-mail address, given and refused roles, locked out, removed', async () => {
  const now = new Date().toISOString();
  const issuer = 'https://login.example.org';
  const add = (subject: string, name: string, email: string | null) =>
    api().context.people.change(personId(issuer, subject), () => ({
      ...{ id: personId(issuer, subject), issuer, subject, name, email, grants: [], grantsBy: 'claims' as const },
      ...{ isDisabled: false, createdAt: now, lastSignInAt: now },
    }));
  await add('ada', 'Ada', 'ada@example.org');
  await add('ada-2', 'Ada', null);
  expect((await run(['people'])).stdout).toMatch(/^Ada +ada@example\.org +- +no role /m);
  expect(await run(['people', 'show', 'ada'])).toMatchObject(says(2, 'Several'));
  expect((await run(['people', 'show', 'eve@example.org'])).code).toBe(4);

  const grant = ['people', 'grant', 'ADA@example.org', '--role'];
  expect((await run([...grant, 'operator'])).code).toBe(2);
  await json(...grant, 'operator', '--sites', 'home');
  await json(...grant, 'viewer', '--sites', 'all');
  const moved = await json(...grant, 'operator', '--sites', 'tag:customers');
  const viewer = { role: 'viewer', sites: '*' };
  expect(moved).toMatchObject({ grantsBy: 'hand', grants: [viewer, { role: 'operator', sites: ['tag:customers'] }] });
  // Of two changes at the same time none is lost that was said to be done.
  const both = await Promise.all(['viewer', 'operator'].map((role) => run([...grant, role, '--sites', 'home'])));
  const { grants } = await json('people', 'show', 'ada@example.org');
  const given = grants.filter(({ sites }: { sites: unknown }) => String(sites) === 'home');
  expect(given).toHaveLength(both.filter(({ code }) => code === 0).length);
  await json(...grant, 'viewer', '--sites', 'all');
  expect(await json('people', 'revoke', 'ada@example.org', '--role', 'operator')).toMatchObject({ grants: [viewer] });
  expect(await json('people', 'disable', 'ada@example.org')).toMatchObject({ isDisabled: true });
  expect(await json('people', 'enable', 'ada@example.org')).toMatchObject({ isDisabled: false });
  expect((await run(['people', 'remove', 'ada@example.org'])).code).toBe(2);
  expect((await run(['people', 'remove', 'ada@example.org', '--yes'])).code).toBe(0);
  expect((await json('people', 'list')).people).toHaveLength(1);
  expect((await run(['audit', 'list'])).stdout).toMatch(/person\.remove/);
});

test('a person is added by e-mail address before their first sign-in; a bad address or role is refused', async () => {
  const add = (...args: string[]) => run(['people', 'add', ...args]);
  const viewer = ['--role', 'viewer', '--sites', 'home,tag:customers'];
  expect(await json('people', 'add', 'Eve@Example.org', ...viewer)).toMatchObject({
    ...{ email: 'eve@example.org', isInvited: true, grants: [{ role: 'viewer', sites: ['home', 'tag:customers'] }] },
  });
  expect((await run(['people'])).stdout).toMatch(
    /^\S+ +eve@example\.org +viewer at home,tag:customers +invited +- +[0-9a-f]{16}$/m,
  );
  const again = await add('eve@example.org', ...viewer);
  expect(again).toMatchObject(says(1, 'already'));
  expect(await add('eve', ...viewer)).toMatchObject(says(2, 'email'));
  expect((await add('mallory@example.org', '--sites', 'home')).code).toBe(2);
  expect((await add('mallory@example.org', '--role', 'owner', '--sites', 'home')).code).toBe(2);
  expect((await json('people', 'list')).people).not.toContainEqual(
    expect.objectContaining({ email: 'mallory@example.org' }),
  );
});

test('the audit is filtered by device, action, person and token, at one site or at all', async () => {
  const at = await line.siteWith('filtered', CSV);
  await line.siteWith('beside', CSV);
  for (const name of ['nas', 'printer']) await run(['devices', 'set', name, '--owner', 'Ada', ...at]);
  const actions = async (...args: string[]) =>
    (await json('audit', 'list', ...args)).entries.map(({ action }: { action: string }) => action);
  expect(await actions(...at, '--device', 'nas')).toEqual(['device.edit']);
  expect(await actions(...at, '--action', 'device.edit')).toEqual(['device.edit', 'device.edit']);
  expect(await actions(...at, '--action', 'devices')).toEqual(['devices.import']);
  expect(await actions('--all-sites', '--action', 'devices.import', '--limit', '2')).toHaveLength(2);
  const [{ name }] = (await json('token', 'list')).tokens;
  expect(await actions(...at, '--by', name, '--action', 'device')).toHaveLength(2);
  expect(await actions(...at, '--by', 'no-such-person')).toEqual([]);
  expect(await run(['audit', 'list', ...at, '--device', 'no-such-device'])).toMatchObject({ code: 4, stdout: '' });
});
