/** The workflows cannot run here: what they call is there, is pinned, and gets no more rights than it needs. */
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(ROOT, '.github', 'workflows');
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const Job = z.object({
  'timeout-minutes': z.number().max(90),
  permissions: z.record(z.string(), z.string()).optional(),
  needs: z.array(z.string()).optional(),
  environment: z.string().optional(),
  strategy: z.object({ matrix: z.object({ include: z.array(z.record(z.string(), z.string())) }) }).optional(),
  steps: z.array(
    z.object({
      run: z.string().optional(),
      uses: z.string().optional(),
      with: z.record(z.string(), z.unknown()).optional(),
      env: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
const Workflow = z.object({ permissions: z.record(z.string(), z.string()), jobs: z.record(z.string(), Job) });

describe.each(readdirSync(FOLDER))('%s', (name) => {
  const text = read('.github', 'workflows', name);
  const { permissions, jobs } = Workflow.parse(parse(text));
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test('every action is pinned by a commit, with its version beside it', () => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, what = '']) => what);
    expect(used.length).toBeGreaterThan(1);
    for (const what of used) expect(what).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    for (const { uses = '', with: settings } of steps)
      if (uses.startsWith('actions/checkout@')) expect(settings).toEqual({ 'persist-credentials': false });
  });

  test('every script and file that it calls is there', () => {
    const commands = steps.flatMap(({ run }) => run ?? []).join('\n');
    for (const [, script = ''] of commands.matchAll(/npm run (\S+)/g)) expect(Object.keys(scripts)).toContain(script);
    const files = [...text.matchAll(/(?:^|[\s"'])((?:\.ci|scripts|docs)\/[\w./-]+[\w])/g)].map(([, path = '']) => path);
    for (const path of files) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
    for (const path of files.filter((one) => one.startsWith('.ci/'))) accessSync(join(ROOT, path), constants.X_OK);
    if (text.includes('node-version-file: .nvmrc')) expect(read('.nvmrc')).toMatch(/^\d+\n$/);
    const known = read('scripts', 'release.mjs');
    for (const [, options = ''] of commands.matchAll(/npm run release -- (.*)$/gm))
      for (const [, option] of options.matchAll(/--([a-z-]+)/g))
        expect(known).toMatch(new RegExp(`'${option}'|\\b${option}:`));
  });

  test('no expression is part of a command, and only a job that writes may write', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
    expect(permissions).toEqual({ contents: 'read' });
    const writers = Object.entries(jobs).filter(([, job]) => Object.values(job.permissions ?? {}).includes('write'));
    expect(writers.map(([job]) => job)).toEqual(name === 'release.yml' ? ['images', 'publish'] : []);
  });
});

test('only the job that is approved by a person has the key, and it publishes what was built without it', () => {
  const { jobs } = Workflow.parse(parse(read('.github', 'workflows', 'release.yml')));
  const withSecrets = Object.entries(jobs).filter(([, { steps }]) => JSON.stringify(steps).includes('secrets.'));
  expect(withSecrets.map(([name, { environment, needs }]) => [name, environment, needs])).toEqual([
    ['publish', 'release', ['build', 'images']],
  ]);
  const uploaded = jobs.build?.steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'))?.with;
  const taken = jobs.publish?.steps.find(({ uses }) => uses?.startsWith('actions/download-artifact@'))?.with;
  expect(taken).toEqual({ name: uploaded?.name, path: uploaded?.path });
  expect(jobs.images?.strategy?.matrix.include.map(({ file }) => file)).toEqual([
    'scripts/packaging/system/Containerfile',
    'scripts/packaging/Containerfile',
  ]);
});
