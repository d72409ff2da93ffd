import { expect, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { placeOf } from './words.ts';

/** The words that may stand at the end of the line, without what they are for. */
function wordsAt(line: string): string[] {
  const place = placeOf(buildProgram(), line.split(' '));
  expect(place.kind).toBe('words');
  return place.kind === 'words' ? place.words.map(({ word }) => word) : [];
}

test('commands, and those that are part of a command', () => {
  expect(wordsAt('')).toEqual(expect.arrayContaining(['devices', 'site', 'traceroute', 'login', 'open']));
  expect(wordsAt('')).not.toContain('complete');
  expect(wordsAt('devices ')).toEqual(expect.arrayContaining(['list', 'show', 'import']));
  expect(wordsAt('--url http://127.0.0.1:1 devices ')).toContain('list');
});

test('options of the command, and those that all commands have', () => {
  const options = wordsAt('devices list --s');
  expect(options).toEqual(expect.arrayContaining(['--status', '--site', '--json', '--token-file']));
  expect(options).not.toContain('--dry-run');
  expect(wordsAt('open --')).toEqual(expect.arrayContaining(['--print', '--site']));
});

test('values that an option or argument may have', () => {
  expect(wordsAt('devices list --status ')).toEqual(expect.arrayContaining(['online', 'down']));
  expect(wordsAt('completion ')).toEqual(['bash', 'zsh', 'fish']);
  expect(wordsAt('site discover home ')).toEqual(['on', 'off']);
  expect(wordsAt('devices list --sort ')).toEqual(expect.arrayContaining(['name', '-name']));
  expect(wordsAt('devices list --status=')).toEqual([]);
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
  ['job cancel ', 'job', {}],
  ['job ', 'job', {}],
  ['--profile ', 'profile', {}],
  ['--url http://127.0.0.1:1 wake ', 'device', { url: 'http://127.0.0.1:1' }],
])('"%s" is where a name of the kind "%s" stands', (line, of, options) => {
  const place = placeOf(buildProgram(), line.split(' '));
  if (line === 'job ')
    expect(place.kind).toBe('words'); // Its own commands come first.
  else expect(place).toEqual({ kind: 'names', of, options });
});

test.each(['devices import ', 'devices export --output ', '--token-file '])('"%s" is where a file stands', (line) => {
  expect(placeOf(buildProgram(), line.split(' '))).toEqual({ kind: 'files' });
});

test('behind the last argument there is nothing', () => {
  expect(wordsAt('devices show nas ')).toEqual([]);
});
