import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTestFolder, type TestFolder } from '../../test/support/test-folder.ts';
import { type AccessOptions, browserOf, mayColor, readAccess } from './config.ts';
import { Failure } from './failure.ts';
import { isLoopback } from './loopback.ts';

let temporary: TestFolder;
let folder: string;
beforeEach(() => {
  temporary = makeTestFolder();
  folder = temporary.path;
});
afterEach(() => temporary.remove());

/** An environment in which nothing is set but what is given, and files lie in the test's own folder. */
function environment(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { XDG_CONFIG_HOME: join(folder, 'config'), LANREACH_DATA: join(folder, 'data'), ...variables };
}

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function writeConfig(config: unknown): void {
  write('config/lanreach/config.json', typeof config === 'string' ? config : JSON.stringify(config));
}

function failureOf(options: AccessOptions, variables: Record<string, string> = {}): Failure {
  try {
    readAccess(options, environment(variables));
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('next to a local system nothing needs to be set', () => {
  write('data/api-token', 'lr_local\n');
  expect(readAccess({}, environment())).toEqual({ url: 'http://127.0.0.1:8787', token: 'lr_local' });
});

test('a link in the place of that token is not followed: what it leads to would be sent', () => {
  write('data/.keep', '');
  symlinkSync(write('secret', 'of-root'), join(folder, 'data', 'api-token'));
  expect(failureOf({})).toMatchObject({ ending: 'usage', message: expect.stringContaining('api-token') });
});

test('the command line comes before the environment, and that before the profile', () => {
  writeConfig({ current: 'work', profiles: { work: { url: 'https://file.example.org', token: 'from-file' } } });
  expect(readAccess({}, environment())).toEqual({ url: 'https://file.example.org', token: 'from-file' });
  const variables = { LANREACH_URL: 'https://env.example.org/', LANREACH_TOKEN: 'from-environment' };
  expect(readAccess({}, environment(variables))).toEqual({ url: 'https://env.example.org', token: 'from-environment' });
  const tokenFile = write('token', ' from-option \n');
  expect(readAccess({ url: 'https://option.example.org/server/', tokenFile }, environment(variables))).toEqual({
    url: 'https://option.example.org/server',
    token: 'from-option',
  });
});

test('a stored token is not sent to another API than its own', () => {
  writeConfig({ current: 'work', profiles: { work: { url: 'https://file.example.org', token: 'from-file' } } });
  write('data/api-token', 'lr_local');
  const failure = failureOf({}, { LANREACH_URL: 'https://other.example.org' });
  expect(failure.ending).toBe('auth');
  expect(failure.message).toContain('https://other.example.org');
  expect(failure.message).not.toMatch(/from-file|lr_local/);
  expect(readAccess({ url: 'http://localhost:9000' }, environment()).token).toBe('lr_local');
});

test('a profile is used by its name, or because its URL is', () => {
  const work = { url: 'https://work.example.org', token: 'for-work' };
  const home = { url: 'http://192.0.2.1:8787', token: 'for-home' };
  writeConfig({ current: 'home', profiles: { work, home } });
  expect(readAccess({}, environment())).toEqual(home);
  const elsewhere = environment({ LANREACH_URL: home.url, LANREACH_TOKEN: 'for-elsewhere' });
  expect(readAccess({ profile: 'work' }, elsewhere)).toEqual(work);
  expect(readAccess({}, environment({ LANREACH_PROFILE: 'work' }))).toEqual(work);
  expect(readAccess({ url: work.url }, environment())).toEqual(work);
  const message = expect.stringMatching(/there are: work, home/);
  for (const profile of ['elsewhere', 'toString', '__proto__'])
    expect(failureOf({ profile })).toMatchObject({ ending: 'usage', message });
});

test('an empty variable counts as one that is not set', () => {
  write('data/api-token', 'lr_local');
  const variables = environment({ LANREACH_URL: '', LANREACH_TOKEN: '' });
  expect(readAccess({}, variables)).toEqual({ url: 'http://127.0.0.1:8787', token: 'lr_local' });
});

test.each(['ftp://example.org', 'example.org', 'http://user:secret@example.org', 'http://example.org/?a=1'])(
  'a URL that cannot be used is wrong usage: %s',
  (url) => {
    const message = expect.not.stringContaining('secret');
    expect(failureOf({ url }, { LANREACH_TOKEN: 'x' })).toMatchObject({ ending: 'usage', message });
  },
);

test('the URL of a profile is one of HTTP as well', () => {
  writeConfig({ current: 'work', profiles: { work: { url: 'javascript:alert(1)', token: 'for-work' } } });
  expect(failureOf({}).ending).toBe('usage');
});

test('a browser gets the environment without our secrets, and is there where a screen is', () => {
  const desktop = { WAYLAND_DISPLAY: 'wayland-0', LANG: 'C.UTF-8' };
  expect(browserOf({ ...desktop, LANREACH_TOKEN: 'secret', API_TOKEN: 'secret' }, 'linux')).toMatchObject({
    opener: 'xdg-open',
    env: desktop,
  });
  expect(browserOf({ DISPLAY: ':0' }, 'linux')?.env).toEqual({ DISPLAY: ':0' });
  expect(browserOf({ DISPLAY: '' }, 'linux')).toBe(null);
  expect(browserOf({}, 'darwin')).toMatchObject({ opener: 'open' });
});

test.each(['{', '[]', '{"profiles": {"home": {"token": 7}}}', '{"profiles": {"../x": {}}}'])(
  'a configuration file that is no such thing is named: %s',
  (text) => {
    writeConfig(text);
    expect(failureOf({})).toMatchObject({ ending: 'usage', message: expect.stringContaining('config.json') });
  },
);

test('a token that cannot be one is refused without repeating it', () => {
  for (const token of ['two words', 'naïve', 'x'.repeat(201)]) {
    const message = expect.not.stringContaining(token);
    expect(failureOf({}, { LANREACH_TOKEN: token })).toMatchObject({ ending: 'usage', message });
  }
});

test('a token file that is missing or empty is wrong usage, and not a reason to look elsewhere', () => {
  write('data/api-token', 'lr_local');
  const empty = write('empty', '\n');
  for (const given of [
    { tokenFile: join(folder, 'absent') },
    { tokenFile: empty },
    { tokenFile: empty, tokenStdin: true },
  ])
    expect(failureOf(given).ending).toBe('usage');
});

test('a relative XDG_CONFIG_HOME is ignored, as its specification wants', () => {
  expect(failureOf({}, { XDG_CONFIG_HOME: 'somewhere' }).message).not.toContain('somewhere');
});

test.each([
  ['http://localhost:1', true],
  ['http://127.9.0.1', true],
  ['http://[::1]:80', true],
  ['http://192.168.1.2', false],
  ['http://localhost.example.org', false],
])('%s leads to this host only: %s', (url, expected) => {
  expect(isLoopback(url)).toBe(expected);
});

test('colours are for terminals, and NO_COLOR turns them off', () => {
  const terminal = { isTTY: true } as NodeJS.WriteStream;
  expect(mayColor(terminal, {})).toBe(true);
  expect(mayColor(terminal, { NO_COLOR: '1' })).toBe(false);
  expect(mayColor(terminal, { TERM: 'dumb' })).toBe(false);
  expect(mayColor({ isTTY: false } as NodeJS.WriteStream, {})).toBe(false);
});
