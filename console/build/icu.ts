/** Compiles ICU messages to JavaScript and types in the build, because the page may evaluate no text as code. */
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';

/** Texts, nested by keys. */
export type Messages = { readonly [key: string]: string | Messages };
type Elements = readonly MessageFormatElement[];

/** What the compiled code calls, from `text/message-runtime.ts`. */
const NUMBER = 'numberText';
const RULE = 'pluralRule';

const quoted = (name: string) => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name));

/** Argument types by format; other formats are rejected. */
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

/** The arguments of a message, each with its type; `number` wins over a plain use of the same argument. */
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

/** An object expression: a text without arguments is a string, others are functions of an object of arguments. */
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

/** @param counted the argument of the innermost plural, for `#` */
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
    // In ICU `=1` wins over `one`, in any order.
    if (isPlural) chosen.sort(([a], [b]) => Number(b.startsWith('=')) - Number(a.startsWith('=')));
    const branches = chosen.map(([choice, option]) => `${condition(choice)} ? ${expression(option.value, value)} : `);
    const other = expression(options.other?.value ?? [], value);
    return `(${branches.join('')}${other})`;
  });
  if (parts.length === 0) return '""';
  // Two numbers at the beginning are joined, not added.
  return parts[0]?.startsWith('"') ? parts.join(' + ') : ['""', ...parts].join(' + ');
}

/** The types of the modules `messages:<section>`. */
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
