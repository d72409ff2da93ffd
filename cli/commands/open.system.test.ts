/** `lanreach open`, with an xdg-open of the test's own on PATH that notes what it was given. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { PROGRAM, runHere, useListeningApi } from '../../test/support/cli/command-line.ts';
import { makeTestFolder, type TestFolder } from '../../test/support/test-folder.ts';

/** Notes its arguments, the mode and content of the file, and its environment; the last thing it writes is `done`. */
const OPENER = `#!/bin/sh
tr '\\0' '\\n' < /proc/$$/cmdline > "$SEEN/argv"
tr '\\0' '\\n' < /proc/$PPID/cmdline > "$SEEN/argv-of-parent"
stat -c %a "$1" > "$SEEN/mode"
cp "$1" "$SEEN/page"
env > "$SEEN/environment"
: > "$SEEN/done"
`;

let temporary: TestFolder;
let home: string;
let seen: string;
let bin: string;
const api = useListeningApi();
let token: string;

beforeAll(() => {
  ({ token } = api());
  temporary = makeTestFolder();
  [home = '', seen = '', bin = ''] = ['home', 'seen', 'bin'].map((name) => join(temporary.path, name));
});
afterAll(() => temporary?.remove());
beforeEach(() => {
  for (const folder of [home, seen, bin]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  install(OPENER);
});

function install(opener: string): void {
  writeFileSync(join(bin, 'xdg-open'), opener, { mode: 0o755 });
}

/** Somebody at a desktop. */
const desktop = () => ({
  PATH: `${bin}:${process.env.PATH}`,
  HOME: home,
  SEEN: seen,
  DISPLAY: ':99',
  LANREACH_URL: api().url,
  LANREACH_TOKEN: token,
});

function open(args: string[], environment: Record<string, string> = {}) {
  return runHere(['open', ...args], { env: { ...desktop(), ...environment } });
}

const isOpened = () => expect.poll(() => existsSync(join(seen, 'done'))).toBe(true);

/** Starts `lanreach open` as a process, which can be interrupted. */
function start(args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'open', ...args], {
    env: desktop(),
    timeout: 120_000,
    detached: true, // Leads a process group, as in a shell; Ctrl-C goes to the whole of it.
  });
  const interrupt = (signal: NodeJS.Signals) => process.kill(-(child.pid ?? Number.NaN), signal);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ended = Promise.all([code, text(child.stdout), text(child.stderr)]).then(([code, stdout, stderr]) => ({
    code,
    stdout,
    stderr,
  }));
  return { interrupt, ended };
}

const noted = (name: string) => readFileSync(join(seen, name), 'utf8');

test('the token reaches the browser in a file for this user alone, which is removed by itself', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const ended = open(['--site', 'home']);
  await isOpened();
  expect(noted('page')).toContain(`content="0; url=${api().url}/console/#token=${token}&amp;to=/sites/home/devices"`);
  expect(noted('page')).toContain('<meta name="referrer" content="no-referrer">');
  expect(noted('mode')).toBe('600\n');
  const file = noted('argv').trim().split('\n').at(-1) ?? '';
  expect(file).toMatch(new RegExp(`^${home}/lanreach-open-[0-9a-f-]+\\.html$`)); // Snaps read no hidden files.
  expect(noted('argv').trim().split('\n')).toEqual(['/bin/sh', join(bin, 'xdg-open'), file]);

  expect(readdirSync(home)).toHaveLength(1);
  vi.advanceTimersByTime(30_000);
  const { code, stdout, stderr } = await ended;
  expect([code, stdout, readdirSync(home)]).toEqual([0, '', []]);
  expect(stderr).toContain(`${api().url}/console/ in the browser`);
  for (const place of [stderr, noted('argv'), noted('environment')]) {
    expect(place).not.toContain(token);
    expect(place).not.toContain(token.slice(20));
  }
});

// SIGINT ends those below.
test.each(['SIGTERM', 'SIGHUP'] as const)('%s removes the file at once', async (signal) => {
  const { interrupt, ended } = start([]);
  await isOpened();
  expect(noted('argv-of-parent')).toContain('open');
  expect(noted('argv-of-parent')).not.toContain(token.slice(20));
  interrupt(signal);
  expect(await ended).toMatchObject({ code: 0, stdout: '' });
  expect(readdirSync(home)).toEqual([]);
});

test('a browser that the opener itself becomes is not waited for, and not ended', async () => {
  install(`${OPENER}echo $$ > "$SEEN/pid"\nexec sleep 600\n`);
  const { interrupt, ended } = start([]);
  await isOpened();
  await expect.poll(() => existsSync(join(seen, 'pid')) && noted('pid')).toMatch(/^\d+\n$/);
  const browser = Number(noted('pid'));
  try {
    interrupt('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
    expect(readdirSync(home)).toEqual([]);
    expect(readFileSync(`/proc/${browser}/cmdline`, 'utf8')).toContain('sleep');
  } finally {
    process.kill(browser);
  }
});

test('a file that an earlier run had no time to remove is removed by the next one', async () => {
  const name = (i: number) => join(home, `lanreach-open-00000000-0000-4000-8000-00000000000${i}.html`);
  for (const file of [name(1), name(2), join(home, 'lanreach-open-notes.html')]) writeFileSync(file, '');
  for (const file of [name(1), join(home, 'lanreach-open-notes.html')]) utimesSync(file, 1, 1);
  const { interrupt, ended } = start([]);
  await isOpened();
  interrupt('SIGINT');
  await ended;
  // The second one may be in use by another run.
  expect(readdirSync(home).map((file) => join(home, file))).toEqual([name(2), join(home, 'lanreach-open-notes.html')]);
});

test.each([
  ['there is no screen', { DISPLAY: '' }, OPENER, 'there is no screen (DISPLAY and WAYLAND_DISPLAY are not set)'],
  ['xdg-open is missing', { PATH: '/nonexistent' }, OPENER, 'xdg-open is not installed'],
  ['xdg-open fails', {}, `${OPENER}exit 3\n`, 'xdg-open has failed with exit code 3'],
  ['the home cannot be written', { HOME: '/nonexistent' }, OPENER, 'no file can be written in /nonexistent (ENOENT)'],
])('where %s it says how to sign in, and leaves nothing behind', async (_, environment, opener, reason) => {
  install(opener);
  const { code, stdout, stderr } = await open([], environment);
  expect([code, stdout, readdirSync(home)]).toEqual([1, '', []]);
  expect(stderr).toContain(`The browser cannot be opened: ${reason}. Open ${api().url}/console/ yourself`);
  expect(stderr).toContain('--print');
  expect(stderr).not.toContain(token);
});

test('--print prints the link, opens nothing and needs no screen', async () => {
  const link = `${api().url}/console/#token=${token}`;
  const noScreen = { DISPLAY: '', PATH: '/nonexistent' };
  expect(await open(['--print'], noScreen)).toEqual({ code: 0, stdout: `${link}\n`, stderr: '' });
  const { stdout } = await open(['--print', '--site', 'home', '--json'], noScreen);
  expect(JSON.parse(stdout)).toEqual({ link: `${link}&to=/sites/home/devices` });
  expect(existsSync(join(seen, 'done'))).toBe(false);
});

test('a token without the right to list sites signs in as well', async () => {
  const made = await api().createToken({ scopes: ['nettools:run'] });
  const { code, stdout } = await open(['--print'], { LANREACH_TOKEN: made });
  expect([code, stdout]).toEqual([0, `${api().url}/console/#token=${made}\n`]);
});

test.each([
  ['a token that is refused', [], { LANREACH_TOKEN: 'lr_0123456789abcdef.wrong' }, 3],
  ['a site that does not exist', ['--site', 'nowhere'], {}, 3],
  ['no id of a site', ['--site', '../x&to=/'], {}, 2],
  ['nothing that answers', [], { LANREACH_URL: 'http://127.0.0.1:1' }, 1],
  ['a URL that is none of HTTP', ['--url', 'javascript:alert(1)'], {}, 2],
])('with %s no browser is opened', async (_, args, environment, code) => {
  const ran = await open(args, environment);
  expect([ran.code, ran.stdout, readdirSync(home)]).toEqual([code, '', []]);
  expect(ran.stderr).toMatch(/^lanreach: /);
  expect(existsSync(join(seen, 'done'))).toBe(false);
});
