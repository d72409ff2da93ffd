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

test('fields are aligned, and those without a value are left out', () => {
  const values = { agent: 'home:main', 'much longer': null, run: 'lanreach-agent enrol', last: undefined };
  expect(render(fields(values), PLAIN)).toBe('agent  home:main\nrun    lanreach-agent enrol\n');
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

test('a table fits the terminal, whatever a device calls itself; in a pipe every text is whole', () => {
  const rows: Cell[][] = [
    [
      'x'.repeat(300),
      '192.168.178.133',
      [state('not monitored'), ' since ', time('2026-11-01 08:15:00')],
      'AVM '.repeat(12),
    ],
    ['nas', '172.16.100.123', state('online'), 'Synology'],
  ];
  const text = table(['NAME', 'IP', 'STATUS', 'VENDOR'], rows);
  for (const width of [80, 100, 200]) {
    for (const isColored of [false, true]) {
      const shown = render(text, { isColored, isRelative: true, width });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are such characters
      for (const line of shown.replace(/\x1b\[\d+m/g, '').split('\n'))
        expect([...line].length).toBeLessThanOrEqual(width);
      for (const address of ['192.168.178.133', '172.16.100.123', 'x…']) expect(shown).toContain(address);
    }
  }
  expect(render(text, PLAIN)).toContain('x'.repeat(300));
});

test('columns are chosen by their headings, also those that are shown only then', () => {
  const devices = table(['NAME', 'FIRST SEEN', 'MAC'], [['nas', '-', 'aa']], 1);
  expect(render(devices, PLAIN)).toBe('NAME  FIRST SEEN\nnas   -\n');
  expect(render(devices, PLAIN, ['mac', 'first-seen'])).toBe('MAC  FIRST SEEN\naa   -\n');
  expect(headingsOf([devices, 'text'])).toEqual(['NAME', 'FIRST SEEN', 'MAC']);
});
