/** The program that the CDK starts, as cdk.json says. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder, type TestFolder } from '../test/support/test-folder.ts';

const ROOT = join(import.meta.dirname, '..');

test('settings that cannot be used are all that is said', async () => {
  const { app } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
  await using folder = makeFolder();
  const program = join(folder.path, 'cdk.js');
  const command = app.replaceAll('dist/cdk.js', program);
  expect(command).toContain(`node ${program}`);
  const { code, stdout, stderr } = await runInShell(command, { CDK_CONTEXT_JSON: '{"stage":"Prod","alarmMail":"x"}' });
  expect(stderr).toMatch(/^-c stage: expected [^\n]+\n-c alarmMail: unknown setting; expected one of [^\n]+\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

function runInShell(command: string, environment: Record<string, string>) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: ROOT, env: { ...process.env, ...environment }, timeout: 200_000 };
    execFile('/bin/sh', ['-c', command], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Within the project, so that the program finds its packages. */
function makeFolder(): TestFolder {
  const dist = join(ROOT, 'dist');
  mkdirSync(dist, { recursive: true });
  return makeTestFolder(dist);
}
