/** The workflow and the trust policy of docs/deploy-from-github.md. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { SETTINGS_FILE } from '../../cdk/settings-file.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const GUIDE = readFileSync(join(ROOT, 'docs', 'deploy-from-github.md'), 'utf8');

/** The one block of that language in it. */
function block(language: string): string {
  const found = [...GUIDE.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))];
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? '';
}

const Workflow = z.object({
  on: z.object({ push: z.object({ branches: z.array(z.string()) }) }),
  permissions: z.record(z.string(), z.string()),
  jobs: z.object({
    deploy: z.object({
      'timeout-minutes': z.number(),
      steps: z.array(
        z.object({
          run: z.string().optional(),
          uses: z.string().optional(),
          with: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    }),
  }),
});
const workflow = () => Workflow.parse(parse(block('yaml')));

test('every command of the workflow is there', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const commands = workflow().jobs.deploy.steps.flatMap(({ run }) => run ?? []);
  const unknown = commands.filter((command) => {
    const [program, first = '', second = ''] = command.split(' ');
    if (program === 'printenv') return command !== `printenv LANREACH_SETTINGS > ${SETTINGS_FILE}`;
    if (program === 'npx') return !existsSync(join(ROOT, 'node_modules', '.bin', first));
    return program !== 'npm' || (first === 'run' ? scripts[second] === undefined : first !== 'ci');
  });
  expect([commands.length, unknown]).toEqual([6, []]);
});

test('the workflow gets credentials by its identity, after everything that needs none, and no other right', () => {
  const { permissions, jobs } = workflow();
  expect(permissions).toEqual({ 'id-token': 'write', contents: 'read' });
  const { steps } = jobs.deploy;
  const credentials = steps.findIndex(({ uses }) => uses?.startsWith('aws-actions/configure-aws-credentials@'));
  expect(Object.keys(steps[credentials]?.with ?? {})).toEqual(['role-to-assume', 'aws-region']);
  expect(steps.slice(credentials + 1).map(({ run }) => run?.split(' ').slice(0, 2).join(' '))).toEqual([
    'npx cdk',
    'npx cdk',
  ]);
});

test('the role trusts one branch of one repository, which is the one that is deployed', () => {
  const [branch] = workflow().on.push.branches;
  const { Statement } = JSON.parse(block('json'));
  expect(Statement).toHaveLength(1);
  expect(Statement[0]).toMatchObject({
    Action: 'sts:AssumeRoleWithWebIdentity',
    Condition: {
      StringEquals: {
        'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
        'token.actions.githubusercontent.com:sub': `repo:<owner>/<repository>:ref:refs/heads/${branch}`,
      },
    },
  });
});
