/**
 * `lanreach login` by the browser, against the API in this process. The browser is an xdg-open of the test's own, which notes where
 * it is sent; the test agrees as the console does, and goes where that leads.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type How, type Ran, runHere } from '../../test/support/cli/command-line.ts';
import { holdTheClock } from '../../test/support/held-clock.ts';
import { startTestApi, type TestApi } from '../../test/support/in-process.ts';
import { makeTestFolder, type TestFolder } from '../../test/support/test-folder.ts';
import type { World } from '../client/world.ts';
import { run } from '../run.ts';

let api: TestApi;
let folder: TestFolder;
beforeAll(async () => {
  folder = makeTestFolder();
  api = await startTestApi({ listens: true });
});
afterAll(async () => {
  await api?.close();
  await folder?.remove();
});
afterEach(() => vi.useRealTimers());

/** A person at a desktop, with files of their own. */
function desktop(name: string) {
  const home = join(folder.path, name);
  mkdirSync(home);
  const opener = '#!/bin/sh\nprintf %s "$1" > "$HOME/link.draft"\nmv "$HOME/link.draft" "$HOME/link"\n';
  writeFileSync(join(home, 'xdg-open'), opener, { mode: 0o755 });
  const env = {
    PATH: `${home}:${process.env.PATH}`,
    HOME: home,
    XDG_CONFIG_HOME: home,
    LANREACH_DATA: join(home, 'nothing'),
    LANREACH_URL: api.url,
    DISPLAY: ':99',
  };
  return {
    env,
    run: (args: string[], how: How = {}) => runHere(args, { ...how, env: { ...env, ...how.env } }),
    config: () => JSON.parse(readFileSync(join(home, 'lanreach', 'config.json'), 'utf8')),
    async opened(): Promise<URL> {
      const link = () => readFileSync(join(home, 'link'), 'utf8');
      await expect.poll(link).toContain('/oauth/authorize?');
      return new URL(link());
    },
  };
}

/** What the browser does with the page. @returns the id of the request, which the console shows */
async function visit(page: URL): Promise<string> {
  const { status, headers } = await fetch(page, { redirect: 'manual' });
  const [, id = ''] = /^\.\.\/console\/#\/connect\/([0-9a-f]{32})$/.exec(headers.get('location') ?? '') ?? [];
  expect([status, id]).toEqual([302, expect.stringMatching(/./)]);
  return id;
}

const ALL = { scopes: ['devices:read', 'admin'], sites: '*' };

/** @returns where the console takes the browser */
async function answered(page: URL, how: 'approve' | 'deny' = 'approve'): Promise<URL> {
  const body = how === 'approve' ? { body: ALL } : {};
  const { json } = await api.request('POST', `/oauth/requests/${await visit(page)}/${how}`, body);
  return new URL((json as { redirectTo: string }).redirectTo);
}

/** Where an answer of the test's own making goes. */
function forged(page: URL, answer: Record<string, string>): URL {
  const link = new URL(page.searchParams.get('redirect_uri')!);
  const state = page.searchParams.get('state')!;
  link.search = new URLSearchParams({ state, iss: api.url, code: 'x', ...answer }).toString();
  return link;
}

test('a login waits for a person at the browser, its token can be rotated, and logout gives it back', async () => {
  const { run, config, opened } = desktop('agreed');
  const login = run(['login'], { isTerminal: true });
  const page = await opened();
  expect(Object.fromEntries(page.searchParams)).toMatchObject({
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    code_challenge_method: 'S256',
    resource: api.url,
  });
  const id = await visit(page);
  expect((await api.request('GET', `/oauth/requests/${id}`)).json).toMatchObject({
    kind: 'device',
    client: { name: `lanreach on ${hostname()}`, redirectHost: '127.0.0.1' },
    scopes: expect.arrayContaining(['admin']),
  });
  const { json } = await api.request('POST', `/oauth/requests/${id}/approve`, { body: ALL });
  const shown = await fetch((json as { redirectTo: string }).redirectTo);
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Go back to the command line')]);
  const { code, stderr } = await login;
  expect([code, stderr]).toEqual([0, expect.stringContaining(page.href)]);
  const { token, isOwn } = config().profiles.default;
  expect([stderr.includes(token), isOwn]).toEqual([false, true]);
  const whoami: Ran = await run(['whoami', '--json']);
  expect(JSON.parse(whoami.stdout)).toMatchObject({
    name: `lanreach on ${hostname()}`,
    scopes: ALL.scopes,
    purpose: 'api',
  });
  const rotated = await run(['token', 'rotate', token.slice(3, 19)]);
  expect([rotated.code, rotated.stdout.trim()]).toEqual([0, config().profiles.default.token]);
  expect((await api.request('GET', '/tokens/self', { token })).status).toBe(403);
  expect((await run(['devices', 'totals'])).code).toBe(0);
  const last = config().profiles.default.token;
  expect(await run(['logout'])).toMatchObject({ code: 0, stderr: expect.stringContaining('is revoked') });
  expect((await api.request('GET', '/tokens/self', { token: last })).status).toBe(403);
});

test('a login needs no terminal; one that is refused at the browser keeps nothing', async () => {
  const { run, config, opened } = desktop('refused');
  const login = run(['login']);
  await fetch(await answered(await opened(), 'deny'));
  const { code, stdout, stderr } = await login;
  expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining('refused in the browser')]);
  expect(config).toThrow('ENOENT');
});

test('an answer without the state of the login is none, and the login goes on waiting for the right one', async () => {
  const { run, config, opened } = desktop('state');
  const login = run(['login']);
  const page = await opened();
  const wrong = [
    forged(page, { state: 'guessed' }),
    forged(page, { error: 'access_denied', state: '' }),
    Object.assign(forged(page, {}), { pathname: '/' }),
  ];
  for (const link of wrong) expect((await fetch(link)).status).toBe(400);
  expect((await fetch(forged(page, {}), { method: 'POST' })).status).toBe(400);
  expect((await fetch(await answered(page))).status).toBe(200);
  expect([(await login).code, config().current]).toEqual([0, 'default']);
});

test('one answer is taken: a second is refused, also when it is the better one', async () => {
  const { run, config, opened } = desktop('second');
  const login = run(['login']);
  const page = await opened();
  const right = await answered(page);
  const statuses = await Promise.all(
    [forged(page, { code: 'made up' }), right].map((link) =>
      fetch(link)
        .then(({ status }) => status)
        .catch(() => 0),
    ),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  const { code } = await login;
  expect(code).toBe(statuses[0] === 200 ? 3 : 0);
  if (code !== 0) expect(config).toThrow('ENOENT');
  await expect(fetch(right)).rejects.toThrow(); // Nothing listens any more.
});

test.each([
  ['another service', 'https://elsewhere.example'],
  ['none', null],
])('the answer of %s is not believed, and the code is not sent anywhere', async (_, issuer) => {
  const { run, config, opened } = desktop(`issuer-${issuer === null ? 'none' : 'other'}`);
  const login = run(['login']);
  const right = await answered(await opened());
  const mixedUp = new URL(right);
  if (issuer === null) mixedUp.searchParams.delete('iss');
  else mixedUp.searchParams.set('iss', issuer);
  expect((await fetch(mixedUp)).status).toBe(200);
  expect(await login).toMatchObject({ code: 3, stderr: expect.stringContaining('is that of another service') });
  expect(config).toThrow('ENOENT');
  const [id = ''] = (right.searchParams.get('code') ?? '').split('.');
  expect(await api.context.accessRequests.find(id)).toMatchObject({ state: 'approved', token: null });
});

test('a login gives up after five minutes', async () => {
  const { run, config, opened } = desktop('late');
  holdTheClock();
  const login = run(['login']);
  const page = await opened();
  vi.advanceTimersByTime(4 * 60_000);
  expect((await fetch(forged(page, { state: 'guessed' }))).status).toBe(400);
  vi.advanceTimersByTime(60_000);
  const message = expect.stringContaining('No answer has come from the browser within 5 minutes');
  expect(await login).toMatchObject({ code: 3, stderr: message });
  expect(config).toThrow('ENOENT');
});

test('where no browser can be opened, the page is printed, and how a token is used instead', async () => {
  const { env, config } = desktop('no-screen');
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const world: World = { env: { ...env, DISPLAY: '' }, stdin: Readable.from([]), stdout, stderr };
  const login = run(['login'], world);
  let said = '';
  stderr.on('data', (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said).toContain('lanreach login --with-token');
  const [page = ''] = /http:\S+\/oauth\/authorize\?\S+/.exec(said) ?? [];
  await fetch(await answered(new URL(page)));
  await login;
  expect([world.exitCode ?? 0, config().profiles.default.isOwn]).toEqual([0, true]);
});

test('that a token ends soon is said once a day, beside the result', async () => {
  const { run } = desktop('ends');
  const expiresAt = new Date(Date.now() + 10.5 * 86_400_000).toISOString();
  const made = await api.request('POST', '/tokens', {
    body: { name: 'soon', scopes: ['devices:read'], sites: '*', expiresAt },
  });
  const { token, expiresSoon } = made.json as { token: string; expiresSoon: boolean };
  const list = () => run(['devices', 'totals'], { env: { LANREACH_TOKEN: token } });
  const [first, second] = [await list(), await list()];
  expect([expiresSoon, first.code, first.stderr]).toEqual([true, 0, expect.stringMatching(/ends in 10 days/)]);
  expect([second.stdout, second.stderr]).toEqual([first.stdout, '']);
});
