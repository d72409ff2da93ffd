import { expect, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { placeOf } from './words.ts';

/** The words that may stand at the end of the line, without what they are for. */
async function wordsAt(line: string): Promise<string[]> {
  const place = await placeOf(buildProgram(process), line.split(' '));
  expect(place.kind).toBe('words');
  return place.kind === 'words' ? place.words.map(({ word }) => word) : [];
}

test('commands, and those that are part of a command', async () => {
  expect(await wordsAt('')).toEqual(expect.arrayContaining(['devices', 'site', 'traceroute', 'login', 'open']));
  expect(await wordsAt('')).not.toContain('complete');
  expect(await wordsAt('devices ')).toEqual(expect.arrayContaining(['list', 'show', 'import']));
  expect(await wordsAt('--url http://127.0.0.1:1 devices ')).toContain('list');
});

test('options of the command, and those that all commands have', async () => {
  const options = await wordsAt('devices list --s');
  expect(options).toEqual(expect.arrayContaining(['--status', '--site', '--json', '--token-file']));
  expect(options).not.toContain('--dry-run');
  expect(await wordsAt('open --')).toEqual(expect.arrayContaining(['--print', '--site']));
});

test('values that an option or argument may have', async () => {
  expect(await wordsAt('devices list --status ')).toEqual(expect.arrayContaining(['online', 'down']));
  expect(await wordsAt('completion ')).toEqual(['bash', 'zsh', 'fish']);
  expect(await wordsAt('site discover home ')).toEqual(['on', 'off']);
  expect(await wordsAt('devices list --sort ')).toEqual(expect.arrayContaining(['name', '-name']));
  expect(await wordsAt('devices list --status=')).toEqual([]);
});

test.each([
  ['devices show ', 'device', {}],
  ['devices show --site cabin na', 'device', { site: 'cabin' }],
  ['devices show --site=cabin na', 'device', { site: 'cabin' }],
  ['devices restore nas ', 'device', {}],
  ['devices set nas ', 'device', {}],
  ['devices list --site ', 'site', {}],
  ['devices list --type ', 'device-type', {}],
  ['devices list --site cabin --group la', 'device-group', { site: 'cabin' }],
  ['devices list --vendor ', 'vendor', {}],
  ['site show ', 'site', {}],
  ['open --site ', 'site', {}],
  ['agent revoke ', 'agent', {}],
  ['traceroute --agent ', 'agent-name', {}],
  ['job cancel ', 'run', {}],
  ['runs ', 'run', {}],
  ['runs list --tool ', 'tool', {}],
  ['--profile ', 'profile', {}],
  ['--url http://127.0.0.1:1 wake ', 'device', { url: 'http://127.0.0.1:1' }],
])('"%s" is where a name of the kind "%s" stands', async (line, of, options) => {
  const place = await placeOf(buildProgram(process), line.split(' '));
  if (line === 'runs ')
    expect(place.kind).toBe('words'); // Its own commands come first.
  else expect(place).toEqual({ kind: 'names', of, options });
});

test.each(['devices import ', 'devices export --output ', '--token-file '])(
  '"%s" is where a file stands',
  async (line) => {
    expect(await placeOf(buildProgram(process), line.split(' '))).toEqual({ kind: 'files' });
  },
);

test('behind the last argument there is nothing', async () => {
  expect(await wordsAt('devices show nas ')).toEqual([]);
});
