import { expect, test } from 'vitest';
import { type Cell, fields, headingsOf, line, muted, PLAIN, render, state, table, time } from './text.ts';

const plain = (...of: Parameters<typeof table>) => render(table(...of), PLAIN);

test('columns are aligned, and lines have no blanks at their end', () => {
  const rows = [
    ['00:1E:06:AA:BB:01', 'nas'],
    ['-', 'Büro-Drucker'],
  ];
  expect(plain(['MAC', 'NAME'], rows)).toBe(
    'MAC                NAME\n00:1E:06:AA:BB:01  nas\n-                  Büro-Drucker\n',
  );
  expect(plain(['MAC', 'NAME'], [])).toBe('MAC  NAME\n');
  expect(plain(['A', 'B'], [['long cell', '']])).toBe('A          B\nlong cell\n');
});

test('fields are aligned', () => {
  expect(render(fields({ agent: 'home:main', run: 'lanreach-agent enrol' }), PLAIN)).toBe(
    'agent  home:main\nrun    lanreach-agent enrol\n',
  );
});

test('a name cannot steer the terminal, end its row or turn the text around', () => {
  const name = '\x1b]0;owned\x07tv\nfake row\x9b2J\u202e';
  const shown = '�]0;owned�tv fake row�2J�';
  expect(plain(['NAME'], [[name]])).toBe(`NAME\n${shown}\n`);
  for (const cell of [name, muted(name), state(name), [name]] as Cell[])
    expect(render(line([cell]), { isColored: false, isRelative: true })).toBe(`${shown}\n`);
  expect(render('\x1b[2Jtext\n', PLAIN)).toBe('�[2Jtext\n');
});

test('for programs a time is ISO 8601, for people it is how long ago; colours do not move columns', () => {
  const ago = new Date(Date.now() - 3 * 60_000 - 500).toISOString();
  const rows: Cell[][] = [
    [state('down'), time(ago), muted('id')],
    [state('as imported'), time(null), 'x'],
  ];
  expect(plain(['STATE', 'SEEN', 'ID'], rows)).toBe(
    `STATE        SEEN                      ID\ndown         ${ago}  id\nas imported  -                         x\n`,
  );
  const shown = render(table(['STATE', 'SEEN', 'ID'], rows), { isColored: true, isRelative: true });
  expect(shown).toContain('\x1b[31mdown\x1b[0m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are such characters
  expect(shown.replace(/\x1b\[\d+m/g, '')).toBe(
    'STATE        SEEN    ID\ndown         3m ago  id\nas imported  -       x\n',
  );
  expect(plain(['SEEN'], [[time('2026-11-01 08:15:00')]])).toBe('SEEN\n2026-11-01T08:15:00Z\n');
});

test('columns are chosen by their headings, also those that are shown only then', () => {
  const devices = table(['NAME', 'FIRST SEEN', 'MAC'], [['nas', '-', 'aa']], 1);
  expect(render(devices, PLAIN)).toBe('NAME  FIRST SEEN\nnas   -\n');
  expect(render(devices, PLAIN, ['mac', 'first-seen'])).toBe('MAC  FIRST SEEN\naa   -\n');
  expect(headingsOf([devices, 'text'])).toEqual(['NAME', 'FIRST SEEN', 'MAC']);
});
