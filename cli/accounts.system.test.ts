/** Profiles, tokens, and what is wrong usage. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Job } from '../shared/api/jobs.ts';
import { PROGRAM, runProcess, says, useCommandLine, useListeningApi } from '../test/support/cli/command-line.ts';
import { enrolAgent, startStandIn } from '../test/support/enrolled-agent.ts';
import { takeCommand } from '../test/support/stand-in-command.ts';

const api = useListeningApi();
const line = useCommandLine(api);
const { run, json } = line;

test('a login is kept as a profile, for its owner alone, and only with a token that is valid', async () => {
  const env = { XDG_CONFIG_HOME: join(line.folder, 'login'), LANREACH_TOKEN: '' };
  const file = join(line.folder, 'login', 'lanreach', 'config.json');
  const login = (token: string, ...args: string[]) =>
    runProcess([process.execPath, PROGRAM, 'login', '--token-stdin', ...args], {
      env: { ...line.env(), ...env },
      input: token,
    });
  const wrong = await login('lr_0123456789abcdef.wrong');
  expect(wrong.code).toBe(3);
  await expect(readFile(file)).rejects.toThrow('ENOENT');
  const kept = await login(`${api().token}\n`, '--profile', 'work');
  expect([kept.code, kept.stdout]).toEqual([0, '']);
  expect(kept.stderr).toContain(api().url);
  expect(kept.stderr).not.toContain(api().token);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const elsewhere = { ...env, LANREACH_URL: '' };
  expect((await run(['devices', 'totals'], { env: elsewhere })).code).toBe(0);
  const listed = await run(['profile', 'list', '--json'], { env: elsewhere });
  expect(JSON.parse(listed.stdout)).toEqual({ profiles: [{ name: 'work', url: api().url, current: true }] });
  expect((await run(['profile', 'use', 'home'], { env: elsewhere })).code).toBe(2);
  expect((await run(['logout'], { env: elsewhere })).code).toBe(0);
  expect((await run(['devices', 'totals'], { env: { ...env, LANREACH_URL: api().url } })).code).toBe(3);
  expect(await readFile(file, 'utf8')).not.toContain(api().token);
});

test('a share is made, its link is shown once, listed without its secret, and revoked', async () => {
  await run(['site', 'add', 'shown']);
  const made = await run('share add shown --map --expires 7d'.split(' '));
  expect([made.code, made.stderr.includes('Anyone who has this link')]).toEqual([0, true]);
  expect(made.stdout).toMatch(new RegExp(`^${api().url}/console/shared\\.html#lr_[0-9a-f]{16}\\.[\\w-]{43}\n$`));
  const token = made.stdout.trim().split('#')[1] ?? '';
  const id = token.slice(3, 19);
  const listed = await run(['share', 'list']);
  expect(listed.stdout).toMatch(new RegExp(`^shown +shown +map .* ${id}$`, 'm'));
  expect(listed.stdout).not.toContain(token.slice(20));
  expect((await json('share', 'list')).tokens).toHaveLength(1);
  const page = () => api().request('GET', '/shared', { token });
  expect((await page()).status).toBe(200);
  expect((await run(['share', 'revoke', id, '--yes'])).code).toBe(0);
  expect([(await page()).status, (await run(['share', 'add', 'tag:none'])).code]).toEqual([403, 3]);
  expect((await run(['share', 'add', 'shown', '--expires', '400d'])).code).toBe(2);
});

test('a token is made, shown once, used and revoked', async () => {
  const made = await run('token create --name dash --scope devices:read --site home --expires 30d'.split(' '));
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/^lr_[0-9a-f]{16}\.[\w-]{43}\n$/);
  expect(made.stderr).toMatch(/not shown again/);
  expect(made.stderr).not.toContain(made.stdout.trim());
  const token = made.stdout.trim();
  const id = token.slice(3, 19);

  const listed = await run(['token', 'list']);
  expect(listed.stdout).toMatch(new RegExp(`^dash +devices:read +home +home .* ${id}$`, 'm'));
  expect(listed.stdout).not.toContain(token.slice(20));
  const { tokens } = await json('token', 'list');
  const { expiresAt } = tokens.find((row: { id: string }) => row.id === id);
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000);

  // From standard input, it has been taken by the login.
  const file = join(line.folder, 'token');
  await writeFile(file, `${token}\n`);
  expect((await run(['devices', 'totals'], { env: { LANREACH_TOKEN: token } })).code).toBe(0);
  expect((await run(['devices', 'totals', '--token-file', file])).code).toBe(0);
  expect((await run(['token', 'list', '--token-file', file])).code).toBe(3);
  const self = await run(['whoami', '--token-file', file]);
  expect(self).toMatchObject({ code: 0, stderr: '' });
  expect(self.stdout).toMatch(new RegExp(`^id +${id}\\nname +dash\\n(?:.+\\n)*scopes +devices:read\\nsites +home\\n`));
  expect(self.stdout).toContain(api().url);
  expect(self.stdout).not.toContain(token.slice(20));

  expect(await run(['token', 'revoke', id])).toMatchObject(says(2, 'There is no terminal to confirm it: use --yes'));
  const refused = await run(['token', 'revoke', id], { isTerminal: true, input: 'n\n' });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`Revoke the token ${id}? [y/N]`)]);
  expect((await run(['token', 'revoke', id], { isTerminal: true, input: 'y\n' })).code).toBe(0);
  expect(await run(['devices', 'totals', '--token-file', file])).toMatchObject({
    code: 3,
    stdout: '',
    stderr: 'lanreach: This token is unknown here, or was revoked. Sign in again: lanreach login\n',
  });
  expect((await run(['token', 'revoke', id, '--yes'])).code).toBe(4);
});

test('whoever revokes a token is told how to stop the commands that go on', async () => {
  await using enrolled = await enrolAgent(api(), 'home', 'main');
  await using agent = await startStandIn(api(), enrolled);
  const made = await run('token create --name scanner --scope nettools:run --site home'.split(' '));
  const token = made.stdout.trim();
  const starting = fetch(`${api().url}/nettools/nmap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ scan: '127.0.0.0/22', mode: 'normal' }),
  });
  const command = await takeCommand(agent);
  const { id } = Job.parse(await (await starting).json());
  const revoked = await run(['token', 'revoke', token.slice(3, 19), '--yes']);
  expect(revoked).toMatchObject({ code: 0, stdout: '' });
  const [, args = ''] = /^ {2}lanreach (runs cancel .+)$/m.exec(revoked.stderr) ?? [];
  expect(args).toBe(`runs cancel ${id}`);
  const cancelling = run(args.split(' '));
  await agent.control('cancel', id);
  await command.end({ state: 'cancelled', reason: 'cancelled' });
  expect(await cancelling).toMatchObject({ code: 0 });
});

test('a token for all sites, with JSON', async () => {
  const args = 'token create --name ops --scope devices:read devices:write --all-sites --default-site home'.split(' ');
  const made = { name: 'ops', scopes: ['devices:read', 'devices:write'], sites: '*', defaultSite: 'home' };
  expect(await json(...args)).toMatchObject({ success: true, ...made, expiresAt: null });
});

test.each([
  [['--help'], 0],
  [['help', 'token', 'create'], 0],
  [['--version'], 0],
  [['nonsense'], 2],
  [['token', 'create', '--name', 'x', '--scope', 'root', '--all-sites'], 2],
  [['token', 'create', '--name', 'x', '--scope', 'admin'], 2],
  [['token', 'create', '--name', 'x', '--scope', 'admin', '--all-sites', '--expires', 'soon'], 2],
  [['token', 'create', '--name', 'x', '--scope', 'admin', '--all-sites', '--expires', '2020-01-01'], 2],
  [['token', 'revoke', '../sites', '--yes'], 2],
  [['agent', 'revoke', 'main'], 2],
  [['agent', 'revoke', 'home:main:more'], 2],
  [['agent', 'revoke', '..:main', '--yes'], 2],
  [['agent', 'enrol'], 2],
  [['runs', 'nonsense'], 4],
  [['runs', 'list', '--state', 'gone'], 2],
  [['runs', 'list', '--limit', '0'], 2],
  [['devices', 'import', 'no-such-file'], 2],
  [['site', 'list', '--url', 'nonsense'], 2],
  [['site', 'list', '--token', 'lr_in.argv'], 2],
  [['site', 'list', '--url', 'http://127.0.0.1:1'], 1],
])('%j ends with %i', async (args, code) => {
  const ran = await run(args);
  expect(ran.code).toBe(code);
  expect(ran.stdout === '').toBe(code !== 0);
  expect(ran.stderr === '').toBe(code === 0);
});
