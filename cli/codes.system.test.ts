/** Enrolment codes for several hosts, and sites of a file, as people ask for them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { says, useCommandLine, useListeningApi } from '../test/support/cli/command-line.ts';

const api = useListeningApi();
const line = useCommandLine(api);
const { run, json } = line;

test('a code for several hosts is made with its line, listed with its uses, and revoked', async () => {
  const site = await api().addSite();
  const many = ['agent', 'enrol', '--site', site, '--uses', '3', '--expires', '7d', '--network', '127.0.0.1/8', '::1'];
  const made = await run(many);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^lanreach-agent enrol lre_[\w-]+ --url http/) });
  expect(made.stderr).toContain(`on up to 3 hosts of the LAN of ${site}: it enrols the host as an agent that is named`);
  expect(made.stderr).toContain('The code works 3 times, until ');
  const [, code = ''] = /(lre_[\w-]+)/.exec(made.stdout) ?? [];
  for (const name of ['till-1.example.net', 'till-2']) {
    const { csr } = await api().makeCsr();
    const { json: enrolled } = await api().request('POST', '/enrol', { token: null, body: { code, csr, name } });
    expect(enrolled).toMatchObject({ agent: `${site}:${name.slice(0, 6)}` });
  }
  const listed = await run(['agent', 'codes']);
  expect(listed.stdout).not.toContain(code);
  expect(listed.stdout.split('\n')[0]).toMatch(/^SITE +AGENT +USED +EXPIRES +NETWORKS +ID$/);
  expect(listed.stdout).toMatch(new RegExp(`^${site} +named after the host +2 of 3 .* 127\\.0\\.0\\.0/8 ::1`, 'm'));
  const { codes } = await json('agent', 'codes');
  const { id } = codes.find((one: { site: string }) => one.site === site);
  expect((await run(['agent', 'revoke-code', id])).stderr).toContain(`The code ${id} is revoked.`);
  expect((await run(['agent', 'revoke-code', id])).code).toBe(4);
  expect((await run(['agent', 'codes'])).stdout).not.toContain(id);
  for (const wrong of [
    ['--uses', '0'],
    ['--uses', '2', '--name', 'attic'],
    ['--expires', '31d'],
  ]) {
    expect((await run(['agent', 'enrol', '--site', site, ...wrong])).code).toBe(2);
  }
});

test('the sites of a file are added; one that is there, or wrong, stops no other', async () => {
  const file = join(line.folder, 'sites.csv');
  await writeFile(file, 'sep=;\r\nid;name;tags\r\nbranch-1;Branch 1;customers north\nhome;;\nNo Id;;\nbranch-2;;\n');
  const imported = await run(['site', 'import', file]);
  expect(imported.code).toBe(1);
  expect(imported.stdout).toMatch(/branch-1 +added\nhome +there already\nNo Id +failed: .*\nbranch-2 +added\n$/);
  const { sites } = await json('site', 'list');
  const added = sites.find(({ id }: { id: string }) => id === 'branch-1');
  expect(added).toMatchObject({ name: 'Branch 1', tags: ['customers', 'north'] });
  await writeFile(file, 'name\nBranch 3\n');
  expect(await run(['site', 'import', file])).toMatchObject(says(2, 'no column id'));
});
