import { expect, test } from 'vitest';
import { fields, table } from './text.ts';

test('columns are aligned, and lines have no blanks at their end', () => {
  const rows = [
    ['00:1E:06:AA:BB:01', 'nas'],
    ['-', 'Büro-Drucker'],
  ];
  expect(table(['MAC', 'NAME'], rows)).toBe(
    'MAC                NAME\n00:1E:06:AA:BB:01  nas\n-                  Büro-Drucker\n',
  );
  expect(table(['MAC', 'NAME'], [])).toBe('MAC  NAME\n');
  expect(table(['A', 'B'], [['long cell', '']])).toBe('A          B\nlong cell\n');
});

test('fields are aligned', () => {
  expect(fields({ agent: 'home:main', run: 'lanreach-agent enrol' })).toBe(
    'agent  home:main\nrun    lanreach-agent enrol\n',
  );
});

test('a name cannot steer the terminal, end its row or turn the text around', () => {
  expect(table(['NAME'], [['\x1b]0;owned\x07tv\nfake row\x9b2J\u202e']])).toBe('NAME\n�]0;owned�tv fake row�2J�\n');
});
