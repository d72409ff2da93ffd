import { expect, test } from 'vitest';
import { runHere, says } from '../test/support/cli/command-line.ts';

const env = { XDG_CONFIG_HOME: '/nonexistent', LANREACH_DATA: '/nonexistent', LANREACH_URL: 'http://127.0.0.1:9' };
const run = (line: string, isTerminal = false) => runHere(line.split(' ').filter(Boolean), { env, isTerminal });

test('the help names every command, with what it is for', async () => {
  const { code, stdout, stderr } = await run('--help');
  expect([code, stderr]).toEqual([0, '']);
  for (const command of ['status', 'devices', 'runs', 'notifications', 'traceroute', 'wake', 'login', 'completion'])
    expect(stdout).toMatch(new RegExp(`^  ${command}(?: <\\S+>)? {2,}\\S`, 'm'));
  expect(stdout).not.toMatch(/^ {2}(?:job|hooks|complete) /m);
  expect(await run('help')).toEqual({ code, stdout, stderr });
});

test.each([
  ['devices list --help', 'lanreach devices list --status down'],
  ['help runs', 'lanreach runs list --state failed'],
  ['hooks add --help', 'lanreach notifications add --event new down'],
  ['traceroute --help', 'lanreach traceroute '],
])('%s has an example', async (line, example) => {
  const { code, stdout } = await run(line);
  expect([code, stdout]).toEqual([0, expect.stringContaining(example)]);
});

test('a command that does not exist is wrong usage, and the one that may be meant is named', async () => {
  expect(await run('device list --colums name')).toMatchObject(says(2, '--columns'));
  expect(await run('devces')).toMatchObject(says(2, 'devices'));
});

test('without a word it is the status, which needs a token', async () => {
  for (const line of ['', '--json', '--url http://127.0.0.1:9', 'status'])
    expect(await run(line)).toMatchObject(says(3, /There is no token.*LANREACH_TOKEN/));
});

test('--json takes a list of fields, and no other word', async () => {
  const failed = await run('profile list --json name,url');
  expect(failed).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  expect(await run('profile --json list')).toMatchObject({ code: 0, stdout: '{\n  "profiles": []\n}\n' });
  expect(await run('profile list --json --jq .profiles|length')).toEqual({ code: 0, stdout: '0\n', stderr: '' });
});

test('--watch is for a terminal, --columns for tables', async () => {
  expect((await run('devices list --watch')).stderr).toContain('--watch needs a terminal');
  expect((await run('devices list --watch 1')).stderr).toContain('Expected a number of seconds');
  expect((await run('profile list --columns url,name')).stdout).toBe('URL  NAME\n');
});
