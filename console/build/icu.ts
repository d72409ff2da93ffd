/** Messages in ICU's format as JavaScript and as types. They are compiled here, because the page may evaluate no text as code. */
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';

/** A text, or more texts by their keys. */
export type Messages = { readonly [key: string]: string | Messages };
type Elements = readonly MessageFormatElement[];

/** What the compiled code calls, from `text/message-runtime.ts`. */
const NUMBER = 'numberText';
const RULE = 'pluralRule';

/** Names that are no keywords, so that they may stand unquoted. */
const quoted = (name: string) => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name));

/** What the argument of a format has to be. A format that is not here is not compiled. */
const TYPES: ReadonlyMap<TYPE, string> = new Map([
  [TYPE.argument, 'string | number'],
  [TYPE.number, 'number'],
  [TYPE.plural, 'number'],
  [TYPE.select, 'string | boolean'],
]);

function parsed(message: string, path: string): Elements {
  try {
    return parse(message, { ignoreTag: true });
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}: ${message}`);
  }
}

/** The arguments of a message, each with its type. Of one that is both a number and plain, it is a number. */
export function argumentsOf(message: string, path: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (elements: Elements) => {
    for (const element of elements) {
      if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
      const type = TYPES.get(element.type);
      if (type === undefined || ('style' in element && element.style))
        throw new Error(`${path}: no format of this kind is compiled: ${message}`);
      const known = found.get(element.value);
      found.set(element.value, known === undefined || known === 'string | number' ? type : known);
      if (element.type === TYPE.plural || element.type === TYPE.select)
        for (const { value } of Object.values(element.options)) visit(value);
    }
  };
  visit(parsed(message, path));
  return found;
}

/** An expression of an object: a text without arguments is a string, and one with them a function of an object of them. */
export function compile(messages: Messages, path: string): string {
  const entries = Object.entries(messages).map(([key, value]) => {
    const here = `${path}.${key}`;
    return `${quoted(key)}: ${typeof value === 'string' ? compileText(value, here) : compile(value, here)}`;
  });
  return `{${entries.join(',\n')}}`;
}

function compileText(message: string, path: string): string {
  const names = [...argumentsOf(message, path).keys()];
  const text = expression(parsed(message, path), '');
  return names.length === 0 ? text : `({ ${names.join(', ')} }) => ${text}`;
}

/** @param counted what `#` stands for; it is plain text where something else was chosen by */
function expression(elements: Elements, counted: string): string {
  const parts = elements.map((element) => {
    if (element.type === TYPE.literal) return JSON.stringify(element.value);
    if (element.type === TYPE.pound) return `${NUMBER}(${counted})`;
    if (element.type === TYPE.argument) return element.value;
    if (element.type === TYPE.number) return `${NUMBER}(${element.value})`;
    if (element.type !== TYPE.plural && element.type !== TYPE.select) throw new Error('argumentsOf let it through');
    const { value, options } = element;
    const isPlural = element.type === TYPE.plural;
    const chosen = Object.entries(options).filter(([choice]) => choice !== 'other');
    const condition = (choice: string) => {
      if (!isPlural) return `String(${value}) === ${JSON.stringify(choice)}`;
      return choice.startsWith('=') ? `${value} === ${choice.slice(1)}` : `${RULE}(${value}) === "${choice}"`;
    };
    // ICU takes a number itself before its form, wherever it stands.
    if (isPlural) chosen.sort(([a], [b]) => Number(b.startsWith('=')) - Number(a.startsWith('=')));
    const branches = chosen.map(([choice, option]) => `${condition(choice)} ? ${expression(option.value, value)} : `);
    const other = expression(options.other?.value ?? [], value);
    return `(${branches.join('')}${other})`;
  });
  if (parts.length === 0) return '""';
  // A text also when it begins with two numbers.
  return parts[0]?.startsWith('"') ? parts.join(' + ') : ['""', ...parts].join(' + ');
}

/** The types of one language's messages, as `messages:<section>` gives them. */
export function declarations(sections: Messages): string {
  const modules = Object.entries(sections).map(
    ([section, messages]) =>
      `declare module 'messages:${section}' {\n  const texts: ${shapeOf(messages, section, '  ')};\n  export default texts;\n}\n`,
  );
  return `/** The keys and arguments of \`en.json\`, made by \`npm run messages\`. */\n${modules.join('\n')}`;
}

function shapeOf(messages: string | Messages, path: string, indent: string): string {
  if (typeof messages === 'string') {
    const values = [...argumentsOf(messages, path)].map(([name, type]) => `${name}: ${type}`);
    return values.length === 0 ? 'string' : `(values: { ${values.join('; ')} }) => string`;
  }
  const lines = Object.entries(messages).map(
    ([key, value]) => `${indent}  readonly ${quoted(key)}: ${shapeOf(value, `${path}.${key}`, `${indent}  `)};\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}
