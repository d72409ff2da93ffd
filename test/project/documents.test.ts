/** What the documents tell people to type is there, and what they lead to: commands, options, scripts, files, headings. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { Command } from 'commander';
import { expect, inject, test } from 'vitest';
import { SOURCE_KINDS } from '../../agent/sources/kinds.ts';
import { optionOf } from '../../agent/sources/settings.ts';
import { wholeProgram } from '../support/cli/whole-program.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DOCUMENTS = inject('trackedFiles').filter((file) => file.endsWith('.md') && !/(?:^|\/)\./.test(file));
const DECISIONS = DOCUMENTS.filter((where) => /^docs\/decisions\/\d/.test(where));
const WITHDRAWN = DECISIONS.filter((where) => /^# .+\n\n\*\*Withdrawn/.test(textOf(where)));
const STANDING = DECISIONS.filter((where) => !WITHDRAWN.includes(where));

function textOf(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8');
}

/** Every use of a program in blocks of code and between backticks: its words up to the end of the command. */
function usesOf(program: string): { where: string; words: string[] }[] {
  return DOCUMENTS.flatMap((where) => {
    const code = [...textOf(where).matchAll(/```sh\n([\s\S]*?)```|`([^`\n]+)`/g)].map(
      ([, block, inline]) => block ?? inline ?? '',
    );
    return code
      .flatMap((piece) => piece.split('\n'))
      .flatMap((line) => [...line.matchAll(new RegExp(`(?:^|[\\s(])${program}(?= )([^|&;)#>]*)`, 'g'))])
      .map(([, rest = '']) => ({ where, words: rest.trim().split(/\s+/) }));
  });
}

/** What is wrong with a use; null when nothing is. */
function problemOf(program: Command, words: readonly string[]): string | null {
  let command = program;
  for (const word of words) {
    if (word.startsWith('--')) {
      const name = word.split('=')[0];
      const known = [...command.options, ...program.options];
      if (name !== '--help' && !known.some(({ long }) => long === name))
        return `${command.name()} has no option ${name}`;
    } else if (command.commands.length > 0) {
      const found = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (found === undefined) return `${command.name()} has no command ${word}`;
      command = found;
    }
  }
  return null;
}

test('every use of lanreach', async () => {
  const uses = usesOf('lanreach');
  expect(uses.length).toBeGreaterThan(20);
  const program = await wholeProgram();
  const problems = uses.map(({ where, words }) => [where, words.join(' '), problemOf(program, words)]);
  expect(problems.filter(([, , problem]) => problem !== null)).toEqual([]);
});

test('every use of lanreach-agent', () => {
  // Its help, where the program has it.
  const help = `${textOf('agent/sources/source-command.ts')}\n${textOf('agent/main.ts')}`
    .split('\n')
    .filter((line) => /^ {2}lanreach-agent /.test(line));
  const uses = usesOf('lanreach-agent').filter(({ words: [first = ''] }) => /^[a-z]+$/.test(first));
  expect(uses.length).toBeGreaterThan(5);
  for (const { where, words } of uses) {
    const command = words.slice(0, words[0] === 'source' ? 2 : 1).join(' ');
    const line = help.find((one) => new RegExp(`lanreach-agent \\[?${command}\\b`).test(one));
    expect([where, words, line]).toEqual([where, words, expect.any(String)]);
    const kind = SOURCE_KINDS.find((each) => each.kind === words[2]);
    const settings = Object.keys(kind?.settings.shape ?? {}).map(optionOf);
    for (const option of words.filter((word) => word.startsWith('--')))
      expect([where, [line, ...settings].join(' ')]).toEqual([where, expect.stringContaining(option)]);
  }
});

test('every script', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const uses = usesOf('npm run');
  expect(uses.length).toBeGreaterThan(5);
  for (const {
    where,
    words: [script = ''],
  } of uses)
    expect([where, Object.keys(scripts)]).toEqual([where, expect.arrayContaining([script])]);
});

test('every test that people are told to run, by a part of its path', () => {
  const named = usesOf('npx vitest run').flatMap(({ where, words }) => words.map((part) => [where, part] as const));
  expect(named.length).toBeGreaterThan(10);
  const tests = inject('trackedFiles').filter((path) => path.endsWith('.test.ts'));
  expect(named.filter(([, part]) => !tests.some((path) => path.includes(part)))).toEqual([]);
});

test('every link to a document or file of ours, and to a heading in it', () => {
  const links = DOCUMENTS.flatMap((where) =>
    [...textOf(where).matchAll(/\]\((?![a-z]+:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, path = '', heading]) => ({
      where,
      path: path === '' ? where : posix.join(dirname(where), path),
      heading,
    })),
  );
  expect(links.length).toBeGreaterThan(50);
  const broken = links.filter(
    ({ path, heading }) =>
      !existsSync(join(ROOT, path)) || (heading !== undefined && !anchorsOf(textOf(path)).includes(heading)),
  );
  expect(broken).toEqual([]);
});

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every file and folder that a document names by its path', () => {
  const path = /^(?:shared|functions|agent|local|client|cli|console|cdk|scripts|test|docs)\/[\w./-]*$/;
  const named = DOCUMENTS.flatMap((where) =>
    [...textOf(where).matchAll(/`([^`\n]+)`/g)].map(([, words = '']) => ({ where, words })),
  ).filter(({ words }) => path.test(words));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ words }) => !existsSync(join(ROOT, words)))).toEqual([]);
});

test('every decision says what else was possible and what it costs, has a number of its own, and is listed', () => {
  const listed = textOf('docs/decisions/README.md').matchAll(/^- \[(\d{3})\]\(([^)]+)\)/gm);
  const names = DECISIONS.map((where) => posix.basename(where)).sort();
  expect([...listed].map(([, number = '', name = '']) => [number, name]).sort()).toEqual(
    names.map((name, i) => [String(i + 1).padStart(3, '0'), name]),
  );
  for (const where of DECISIONS) {
    const headings = [...textOf(where).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const wanted = WITHDRAWN.includes(where) ? [] : ['Context', 'Decision', 'Alternatives', 'Price'];
    expect([where, headings]).toEqual([where, wanted]);
  }
});

test('each promise that stands beside its code names tests that exist', () => {
  const sources = inject('trackedFiles').filter((file) =>
    /^(?:agent|functions|local|shared)\/.*(?<!\.test)\.ts$/.test(file),
  );
  const promises = sources.flatMap((where) => {
    const [, text] = /^ \* @promise ((?:.|\n \* {3})+)$/m.exec(textOf(where)) ?? [];
    return text === undefined
      ? []
      : [{ where, tests: [...text.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = '']) => file) }];
  });
  expect(promises.length).toBeGreaterThanOrEqual(29);
  expect(
    promises.filter(({ tests }) => tests.length === 0 || !tests.every((file) => existsSync(join(ROOT, file)))),
  ).toEqual([]);
});

/** The words of a text, without the marks of tables and lists. */
function wordsIn(text: string): number {
  return (text.match(/[\p{L}\p{N}][^\s|]*/gu) ?? []).length;
}

test('README names the command that .ci/run runs', () => {
  expect(textOf('.ci/run')).toContain('\nnpm test ');
  expect(textOf('README.md')).toContain('npm ci && npm test');
});

test.each([
  ['README.md', 850],
  ['ARCHITECTURE.md', 1_400],
  ['DEPLOY.md', 1_660],
  ['SECURITY.md', 1_970],
  ['CONTRIBUTING.md', 900],
])('%s has at most %i words', (document, most) => {
  expect(wordsIn(textOf(document))).toBeLessThanOrEqual(most);
});

test.each([
  ...STANDING.map((document) => [document, 100, 250] as const),
  ...WITHDRAWN.map((document) => [document, 30, 120] as const),
])('%s has %i to %i words, headings and tables apart', (document, least, most) => {
  const words = wordsIn(textOf(document).replaceAll(/^[#|].*$/gm, ''));
  expect(words).toBeGreaterThanOrEqual(least);
  expect(words).toBeLessThanOrEqual(most);
});
