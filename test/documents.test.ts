/** What the documents tell people to type is there, and what they lead to: commands, options, scripts, files. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../cli/program.ts';
import { runToEnd } from '../local/child-process.ts';
import { readConfig } from '../local/config.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENTS = [
  'README.md',
  'DEPLOY.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'packaging/README.md',
  'packaging/npm/README.md',
];

/** Every use of a program in blocks of code and between backticks: its words up to the end of the command. */
function usesOf(program: string): { where: string; words: string[] }[] {
  return DOCUMENTS.flatMap((where) => {
    const text = readFileSync(join(ROOT, where), 'utf8');
    const code = [...text.matchAll(/```sh\n([\s\S]*?)```|`([^`\n]+)`/g)].map(
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
      if (!known.some(({ long }) => long === name)) return `${command.name()} has no option ${name}`;
    } else if (command.commands.length > 0) {
      const found = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (found === undefined) return `${command.name()} has no command ${word}`;
      command = found;
    }
  }
  return null;
}

test('every use of lanreach', () => {
  const uses = usesOf('lanreach');
  expect(uses.length).toBeGreaterThan(20);
  const problems = uses.map(({ where, words }) => [where, words.join(' '), problemOf(buildProgram(), words)]);
  expect(problems.filter(([, , problem]) => problem !== null)).toEqual([]);
});

test('every use of lanreach-agent', async () => {
  const { output } = await runToEnd([process.execPath, join(ROOT, 'dist', 'agent.js'), '--help'], {
    env: readConfig().childEnvironment,
    timeoutMs: 10_000,
  });
  const help = output.split('\n').filter((line) => /^ {2}lanreach-agent /.test(line));
  const uses = usesOf('lanreach-agent').filter(({ words: [first = ''] }) => /^[a-z]+$/.test(first));
  expect(uses.length).toBeGreaterThan(5);
  for (const { where, words } of uses) {
    const line = help.find((one) => new RegExp(`lanreach-agent \\[?${words[0]}\\b`).test(one));
    expect([where, words, line]).toEqual([where, words, expect.any(String)]);
    for (const option of words.filter((word) => word.startsWith('--')))
      expect([where, line]).toEqual([where, expect.stringContaining(option)]);
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

test('every link to a file, and every file that SECURITY.md names', () => {
  const missing = [...DOCUMENTS, 'ARCHITECTURE.md', 'bench/README.md'].flatMap((where) => {
    const text = readFileSync(join(ROOT, where), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => join(dirname(where), path));
    const named =
      where === 'SECURITY.md' ? [...text.matchAll(/`([a-z]+\/[\w./-]*)`/g)].map(([, path = '']) => path) : [];
    return [...links, ...named].filter((path) => !existsSync(join(ROOT, path))).map((path) => `${where}: ${path}`);
  });
  expect(missing).toEqual([]);
});
