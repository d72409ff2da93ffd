/** Sites of a file, as people ask for them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestSystem, type TestSystem } from '../test/test-system.ts';
import { useCommandLine } from './testing/command-line.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
});
afterAll(() => system?.close());
const line = useCommandLine(() => ({ url: system.url, token: system.token }));
const { run, json } = line;

test('the sites of a file are added; one that is there, or wrong, stops no other', async () => {
  const file = join(line.folder, 'sites.csv');
  await writeFile(file, 'id;name;tags\nbranch-1;Branch 1;customers north\nhome;;\nNo Id;;\nbranch-2;;\n');
  const imported = await run(['site', 'import', file]);
  expect(imported.code).toBe(1);
  expect(imported.stdout).toMatch(/branch-1 +added\nhome +there already\nNo Id +failed: .*\nbranch-2 +added\n$/);
  const { sites } = await json('site', 'list');
  const added = sites.find(({ id }: { id: string }) => id === 'branch-1');
  expect(added).toMatchObject({ name: 'Branch 1', tags: ['customers', 'north'] });
  await writeFile(file, 'name\nBranch 3\n');
  expect(await run(['site', 'import', file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no column id'),
  });
});
