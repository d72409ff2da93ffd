/** The archive for Windows, as far as it can be looked at here: what is in it, and that the same sources give the same bytes. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../support/test-folder.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..', '..');

test('node.exe, the program, and what installs it, in an archive that is always the same', async () => {
  await using folder = makeTestFolder();
  // @ts-expect-error The scripts are plain JavaScript.
  const { buildWindows } = await import('../../../scripts/package-windows.mjs');
  const build = async (name: string) => {
    const out = join(folder.path, name);
    await mkdir(out);
    const work = await mkdtemp(join(folder.path, 'work-'));
    const ingredients = {
      root: ROOT,
      work,
      out,
      version: '1.2.3',
      launcher: '#!/usr/bin/env node\nlaunch();\n',
      code: '#!/usr/bin/env node\nrun();\n',
      releaseKey: { publicPem: 'KEY\n' },
      licences: 'MIT\n',
    };
    return readFile(await buildWindows({ ...ingredients, epoch: 1_790_000_000 }));
  };
  expect((await build('one')).equals(await build('two'))).toBe(true);

  const archive = join(folder.path, 'one', 'lanreach-agent-1.2.3-windows-x64.zip');
  await run('unzip', ['-tq', archive]);
  const { stdout } = await run('unzip', ['-Z1', archive]);
  expect(stdout.trim().split('\n')).toEqual([
    'NODE-LICENSE.txt',
    'README.txt',
    'THIRD-PARTY-LICENSES.txt',
    'agent.mjs',
    'install.ps1',
    'lanreach-agent.cmd',
    'lanreach-agent.mjs',
    'node.exe',
    'release-key.pem',
    'service.cmd',
    'task.xml',
  ]);
  const unpacked = join(folder.path, 'unpacked');
  await run('unzip', ['-q', archive, '-d', unpacked]);
  const text = (name: string) => readFile(join(unpacked, name), 'latin1');
  expect((await text('node.exe')).slice(0, 2)).toBe('MZ');
  expect(await text('lanreach-agent.mjs')).toBe('launch();\n');
  expect(await text('agent.mjs')).toBe('run();\n');
  expect(await text('service.cmd')).toMatch(/^@echo off\r\n/);
  expect(await text('NODE-LICENSE.txt')).toContain('Node.js is licensed');
  const { Task } = new XMLParser().parse(await text('task.xml'));
  expect(Task.Principals.Principal).toEqual({ UserId: 'S-1-5-19', RunLevel: 'LeastPrivilege' });
  expect(Task.Triggers.TimeTrigger.Repetition.Interval).toBe('PT1M');
  expect(Task.Settings).toMatchObject({ MultipleInstancesPolicy: 'IgnoreNew', ExecutionTimeLimit: 'PT0S' });
});
