/** What no other file names any more: exports, style sheets and their classes, and texts of the console. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, inject, test } from 'vitest';
import { messagesIn } from '../../console/build/messages.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Folders whose files are not ours, or are made. */
const OTHERS = /(?:^|\/)(?:\.[^/]+|runtime|fixtures)\//;
/** What is called by its name from outside of these files: by Lambda, packages replaced in a bundle, and compiled messages. */
const CALLED_BY_OTHERS = /^functions\/groups\/lambda\/|^cdk\/bundle\/|^console\/text\/message-runtime\.ts$/;
const TESTS = /\.test\.|\.lab\.|\/testing\/|^(?:test|bench)\//;

const paths = inject('trackedFiles').filter((path) => /\.(?:tsx?|mjs|css)$/.test(path) && !OTHERS.test(path));
const files = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
interface Importer {
  file: string;
  text: string;
  /** What it calls the whole of what it imports; null for parts. */
  whole: string | null;
}
const importers = new Map<string, Importer[]>();
for (const [file, text] of files) {
  for (const [, clause = '', from = ''] of text.matchAll(/(?:([^;']*?)\sfrom |\bimport\(?\s*)'(\.[^']+)'/g)) {
    const path = posix.join(posix.dirname(file), from);
    const whole = /\w+$/.exec(clause)?.[0] ?? null;
    importers.set(path, [...(importers.get(path) ?? []), { file, text, whole }]);
  }
}

/** Also those that get it from a file which passes all of it on. */
function importersOf(path: string): Importer[] {
  const passesOn = ({ text }: Importer) => /^export \* from/m.test(text);
  return (importers.get(path) ?? []).flatMap((one) => (passesOn(one) ? [one, ...importersOf(one.file)] : [one]));
}

const wordsOf = new Map([...files].map(([file, text]) => [file, new Set(text.match(/\w+/g))]));
/** Whether it takes a member of that name out of something. */
const takes = (text: string, name: string) => new RegExp(`\\.${name}\\b|[{,]\\s*${name}\\b[^;=]*\\} = `).test(text);

test('the walk sees the project', () => {
  expect(importersOf('shared/addresses.ts').length).toBeGreaterThan(20);
  expect(importersOf('console/ui/button.module.css').map(({ whole }) => whole)).toContain('styles');
});

test('another file imports each export', () => {
  const declared =
    /^export (?:default )?(?:async )?(?:function\*?|(?:abstract )?class|const|interface|type|enum) (\w+)/gm;
  const unused = [...files].flatMap(([file, text]) =>
    TESTS.test(file) || CALLED_BY_OTHERS.test(file)
      ? []
      : [...text.matchAll(declared)]
          .filter(([whole, name = '']) =>
            // Who imports a default calls it what they like.
            importersOf(file).every((other) => !whole.includes(' default ') && !wordsOf.get(other.file)?.has(name)),
          )
          .map(([, name]) => `${file}: ${name}`),
  );
  expect(unused).toEqual([]);
});

test('a screen imports each style sheet, and names its classes', () => {
  const unused = [...files].flatMap(([file, css]) => {
    if (!file.endsWith('.module.css')) return [];
    const users = importersOf(file);
    if (users.length === 0) return [file];
    // One that is chosen by a variable has its name in another file.
    const isIndexed = users.some(({ text, whole }) => text.includes(`${whole}[`));
    const selectors = css.replaceAll(/\/\*.*?\*\/|:global\(.*?\)|\{[^{}]*\}/gs, ' ');
    const classes = new Set([...selectors.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name));
    const isUsed = (name: string) => isIndexed || users.some(({ text }) => takes(text, name));
    return [...classes].filter((name) => !isUsed(name)).map((name) => `${file}: .${name}`);
  });
  expect(unused).toEqual([]);
});

test('a screen names each text', () => {
  const code = [...files].filter(([file]) => /\.tsx?$/.test(file) && !TESTS.test(file) && !file.endsWith('.d.ts'));
  const words = new Set(code.flatMap(([file]) => [...(wordsOf.get(file) ?? [])]));
  const keysIn = (texts: object): string[] =>
    Object.entries(texts).flatMap(([key, value]) => [key, ...(typeof value === 'object' ? keysIn(value) : [])]);
  const unused = Object.entries(messagesIn('en')).flatMap(([section, texts]) => {
    const users = code.flatMap(([file, text]) => {
      const local = new RegExp(`^import (\\w+) from 'messages:${section}';`, 'm').exec(text)?.[1];
      if (local === undefined) return [];
      // A file may pass them on, with more.
      const others = text.includes(`...${local},`) ? importersOf(file) : [];
      return [text, ...others.map((other) => other.text)].map((one) => ({ text: one, local }));
    });
    if (users.length === 0) return [section];
    const isIndexed = users.some(({ text, local }) => text.includes(`${local}[`) || text.includes(`(${local})`));
    const isNamed = (key: string) => isIndexed || users.some(({ text }) => takes(text, key));
    return Object.entries(texts).flatMap(([key, value]) => [
      ...(!/^\w+$/.test(key) || isNamed(key) ? [] : [`${section}.${key}`]),
      // What stands deeper, or is chosen by a variable, has its name anywhere.
      ...(typeof value === 'object' ? keysIn(value) : [])
        .filter((inner) => /^[a-z]\w*$/i.test(inner) && !words.has(inner))
        .map((inner) => `${section}.${key}: ${inner}`),
    ]);
  });
  expect(unused).toEqual([]);
});
