/** Tab, pressed in the real shells, against a system as `npm start` starts it. */
import { spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../../../local/programs.ts';
import { PROGRAM } from '../../support/cli/command-line.ts';
import { ownSystem } from '../../support/shared-system.ts';
import { makeTestFolder } from '../../support/test-folder.ts';

const temporary = makeTestFolder();
const system = ownSystem();
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const folder = temporary.path;
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink(PROGRAM, join(bin, 'lanreach'));
  await writeFile(join(folder, 'addresses.csv'), '');
  env = {
    ...{ PATH: `${bin}:${process.env.PATH}`, HOME: folder, TERM: 'dumb' },
    ...{ LANREACH_URL: system.url, LANREACH_TOKEN: system.token },
  };
  await system.importCsv(
    'devName,devMAC,devType\nliving room lamp,00:1E:06:AA:BB:01,Smart lamp\n$(touch harmful),00:1E:06:AA:BB:02,\nunique,00:1E:06:AA:CC:03,\n',
  );
});
afterAll(() => temporary.remove());

const READY = 'ready> ';
/** The keys that turn the line into an argument list to print, and run it: to its beginning, the words, Enter. */
const PRINT_WORDS = "\u0001printf '<%s>' \r";

/** Types the keys into a shell on a terminal, and returns the words of the line as the shell then has them. */
async function wordsAfter(shell: string, keys: string): Promise<string[]> {
  const child = spawn('script', ['--quiet', '--return', '--command', shell, '/dev/null'], {
    cwd: temporary.path,
    env,
    timeout: 120_000,
  });
  let shown = '';
  for await (const chunk of child.stdout) {
    const isFirst = !shown.includes(READY);
    shown += chunk;
    if (isFirst && shown.includes(READY)) child.stdin.write(`${keys}${PRINT_WORDS}`);
    if (shown.includes('<lanreach>')) child.stdin.end('exit\r');
  }
  const [printed = ''] = /<lanreach>(?:<[^>]*>)*/.exec(shown) ?? [shown];
  return printed.slice(1, -1).split('><');
}

/** How the shell is started, and where it looks for what it does at first. */
const INTERACTIVE = {
  bash: { command: 'bash --noprofile --rcfile bashrc -i', file: 'bashrc', load: '' },
  zsh: { command: 'zsh -i', file: '.zshrc', load: 'autoload -Uz compinit && compinit -u' },
};

/** A shell that a user's machine lacks is skipped; in CI it is a failure. */
function isMissing(shell: string): boolean {
  return process.env.CI !== 'true' && findProgram(shell, process.env.PATH ?? '') === null;
}

describe.each(['bash', 'zsh'] as const)('%s', (shell) => {
  const { command, file, load } = INTERACTIVE[shell];
  beforeAll(async () => {
    const lines = [load, `source <(lanreach completion ${shell})`, `PS1='${READY}'`];
    await writeFile(join(temporary.path, file), `${lines.join('\n')}\n`);
  });

  test.for([
    ['the only command that begins so', 'lanreach devi\t', ['lanreach', 'devices']],
    ['an option', 'lanreach devices list --stat\t', ['lanreach', 'devices', 'list', '--status']],
    ['a name with blanks', 'lanreach devices show liv\t', ['lanreach', 'devices', 'show', 'living room lamp']],
    [
      'a name that is a command to a shell',
      'lanreach devices show \\$\t',
      ['lanreach', 'devices', 'show', '$(touch harmful)'],
    ],
    ['a MAC address', 'lanreach devices show 00:1E:06:AA:C\t', ['lanreach', 'devices', 'show', '00:1E:06:AA:CC:03']],
    ['a site', 'lanreach devices list --site ho\t', ['lanreach', 'devices', 'list', '--site', 'home']],
    ['a type', 'lanreach devices list --type Sm\t', ['lanreach', 'devices', 'list', '--type', 'Smart lamp']],
    ['an agent', 'lanreach agent revoke home:m\t', ['lanreach', 'agent', 'revoke', 'home:main']],
    ['a file', 'lanreach devices import addr\t', ['lanreach', 'devices', 'import', 'addresses.csv']],
  ] as const)('completes %s', async ([, keys, words], { skip }) => {
    skip(isMissing(shell), `${shell} is not installed`);
    await expect(wordsAfter(command, keys)).resolves.toEqual(words);
  });
});

test('fish shows what may stand there, and what it is', async ({ skip }) => {
  skip(isMissing('fish'), 'fish is not installed');
  const candidates = async (line: string) => {
    const program = `source (lanreach completion fish | psub); complete -C '${line}'`;
    const child = spawn('fish', ['--no-config', '-c', program], { cwd: temporary.path, env, timeout: 120_000 });
    return (await text(child.stdout)).trim().split('\n');
  };
  expect(await candidates('lanreach devices show liv')).toEqual(['living room lamp\t00:1E:06:AA:BB:01']);
  expect(await candidates('lanreach devices show 00:1E:06:AA:C')).toEqual(['00:1E:06:AA:CC:03\tunique']);
  expect(await candidates('lanreach devices list --stat')).toEqual(['--status\tone category only']);
  expect(await candidates('lanreach devices import addr')).toEqual(['addresses.csv']);
});

test('without an API that answers, nothing is offered and nothing is said', async () => {
  const child = spawn('lanreach', ['complete', '--', 'devices', 'show', ''], {
    env: { ...env, LANREACH_URL: 'http://127.0.0.1:1' },
    timeout: 120_000,
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  expect(await Promise.all([text(child.stdout), text(child.stderr), closed])).toEqual(['', '', 0]);
});
