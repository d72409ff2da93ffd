/** `lanreach login` by the browser, with an xdg-open of the test's own that notes where it is sent; and what follows. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type How, type Ran, runHere } from '../../test/support/cli/command-line.ts';
import { useSharedSystem } from '../../test/support/shared-system.ts';
import { makeTestFolder, type TestFolder } from '../../test/support/test-folder.ts';
import type { TestSystem } from '../../test/test-system.ts';

let system: TestSystem;
useSharedSystem((shared) => {
  system = shared;
});
let folder: TestFolder;
beforeAll(() => {
  folder = makeTestFolder();
});
afterAll(() => folder?.remove());

/** Somebody at a desktop, with files of their own. */
function desktop(name: string) {
  const home = join(folder.path, name);
  const link = join(home, 'link');
  mkdirSync(home);
  const opener = '#!/bin/sh\nprintf %s "$1" > "$HOME/link.draft"\nmv "$HOME/link.draft" "$HOME/link"\n';
  writeFileSync(join(home, 'xdg-open'), opener, { mode: 0o755 });
  const env = {
    PATH: `${home}:${process.env.PATH}`,
    HOME: home,
    XDG_CONFIG_HOME: home,
    LANREACH_DATA: join(home, 'nothing'),
    LANREACH_URL: system.url,
    DISPLAY: ':99',
  };
  return {
    run: (args: string[], how: How = {}) => runHere(args, { ...how, env: { ...env, ...how.env } }),
    config: () => JSON.parse(readFileSync(join(home, 'lanreach', 'config.json'), 'utf8')),
    /** The code in the page that was opened. */
    async code(): Promise<string> {
      await expect.poll(() => existsSync(link)).toBe(true);
      const opened = readFileSync(link, 'utf8');
      expect(opened).toMatch(new RegExp(`^${system.url}/console/#/connect/[A-Z]{4}-[A-Z]{4}$`));
      return opened.slice(-9);
    },
  };
}

test('a login waits for a person at the browser, its token can be rotated, and logout gives it back', async () => {
  const { run, config, code } = desktop('agreed');
  const login = run(['login'], { isTerminal: true });
  const asked = await code();
  const body = { scopes: ['devices:read', 'admin'], sites: '*' };
  expect((await system.request('POST', `/oauth/requests/${asked}/approve`, { body })).status).toBe(200);
  const { code: ended, stderr } = await login;
  expect([ended, stderr]).toEqual([0, expect.stringContaining(asked)]);
  const { token, isOwn } = config().profiles.default;
  expect([stderr.includes(token), isOwn]).toEqual([false, true]);
  const whoami: Ran = await run(['whoami', '--json']);
  expect(JSON.parse(whoami.stdout)).toMatchObject({
    name: `lanreach on ${hostname()}`,
    scopes: body.scopes,
    purpose: 'api',
  });
  const rotated = await run(['token', 'rotate', token.slice(3, 19)]);
  expect([rotated.code, rotated.stdout.trim()]).toEqual([0, config().profiles.default.token]);
  expect((await system.request('GET', '/tokens/self', { token })).status).toBe(403);
  expect((await run(['devices', 'totals'])).code).toBe(0);
  const last = config().profiles.default.token;
  expect(await run(['logout'])).toMatchObject({ code: 0, stderr: expect.stringContaining('not valid any more') });
  expect((await system.request('GET', '/tokens/self', { token: last })).status).toBe(403);
});

test('a login needs no terminal; one that is refused at the browser keeps nothing', async () => {
  const { run, config, code } = desktop('refused');
  const login = run(['login']);
  const asked = await code();
  expect((await system.request('POST', `/oauth/requests/${asked}/deny`)).status).toBe(200);
  const { code: ended, stdout, stderr } = await login;
  expect([ended, stdout, stderr]).toEqual([3, '', expect.stringContaining('refused in the browser')]);
  expect([stderr.includes(asked), stderr.includes(`${system.url}/console/`)]).toEqual([true, true]);
  expect(config).toThrow('ENOENT');
});

test('that a token ends soon is said once a day, beside the result', async () => {
  const { run } = desktop('ends');
  const expiresAt = new Date(Date.now() + 10.5 * 86_400_000).toISOString();
  const made = await system.request('POST', '/tokens', {
    body: { name: 'soon', scopes: ['devices:read'], sites: '*', expiresAt },
  });
  const { token, expiresSoon } = made.json as { token: string; expiresSoon: boolean };
  const list = () => run(['devices', 'totals'], { env: { LANREACH_TOKEN: token } });
  const [first, second] = [await list(), await list()];
  expect([expiresSoon, first.code, first.stderr]).toEqual([true, 0, expect.stringMatching(/ends in 10 days/)]);
  expect([second.stdout, second.stderr]).toEqual([first.stdout, '']);
});
