import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../text/language.ts';
import { argumentsOf, compile, declarations, type Messages } from './icu.ts';
import { languages, messagesIn } from './messages.ts';

const english = messagesIn('en');

function shapeOf(value: string | Messages, path: string): string[] {
  if (typeof value === 'string') return [`${path}(${[...argumentsOf(value, path)].sort().join('; ')})`];
  return Object.entries(value).flatMap(([key, part]) => shapeOf(part, `${path}.${key}`));
}

test('each file is a language that a person can choose', () => {
  expect(languages.toSorted()).toEqual(Object.keys(LANGUAGES).toSorted());
});

test.each(languages)('%s has each text of the English with its arguments, and no other', (language) => {
  expect(shapeOf(messagesIn(language), language).sort()).toEqual(shapeOf(english, language).sort());
});

// `npm run messages` writes the file.
test('messages.d.ts says what en.json has', async () => {
  await expect(declarations(english)).toMatchFileSnapshot(join(import.meta.dirname, '../messages/messages.d.ts'));
});

describe('a compiled message', () => {
  const numberText = (value: number) => value.toLocaleString('en-GB');
  const rules = new Intl.PluralRules('en-GB');
  const textOf = (message: string, values: Record<string, unknown>) => {
    const compiled = compile({ text: message }, 'test');
    const make = new Function('numberText', 'pluralRule', `return ${compiled}`);
    const { text } = make(numberText, (count: number) => rules.select(count));
    return typeof text === 'string' ? text : text(values);
  };

  test.each<[message: string, values: Record<string, unknown>, text: string]>([
    ['It’s', {}, 'It’s'],
    ["'{'literal'}' \"quoted\" \\", {}, '{literal} "quoted" \\'],
    ['{name} is {name}', { name: 'NAS' }, 'NAS is NAS'],
    ['{a}{b}', { a: 1, b: 2 }, '12'],
    ['{count, number}', { count: 1234 }, '1,234'],
    ['{count, plural, one {# site} other {# sites}}', { count: 1 }, '1 site'],
    ['{count, plural, one {# site} other {# sites}}', { count: 1234 }, '1,234 sites'],
    ['{count, plural, one {one} =1 {exactly one} other {#}}', { count: 1 }, 'exactly one'],
    ['{is, select, true {yes} other {no}}', { is: true }, 'yes'],
    ['{is, select, true {yes} other {no}}', { is: false }, 'no'],
    ['{is, select, true {{n, plural, one {a #} other {b #}}} other {}}', { n: 2, is: true }, 'b 2'],
  ])('%s', (message, values, text) => {
    expect(textOf(message, values)).toBe(text);
  });

  test.each(['{', '{count, plural, one {1}}', '{when, date}', '{count, number, ::percent}'])(
    'is refused with the place of the text: %s',
    (message) => {
      expect(() => compile({ text: message }, 'room')).toThrow('room.text');
    },
  );
});
