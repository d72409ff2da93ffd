/** Claim keys, claims, and sites of a file, as people ask for them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useCommandLine } from '../test/support/cli/command-line.ts';
import { startTestSystem, type TestSystem } from '../test/test-system.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
});
afterAll(() => system?.close());
const line = useCommandLine(() => ({ url: system.url, token: system.token }));
const { run, json } = line;

async function claim(key: string, name: string) {
  const { csr } = await system.makeCsr();
  const host = { name, platform: 'test', addresses: [], networks: ['192.168.7.0/24'], version: '0.0.0' };
  return system.request('POST', '/enrol/claims', { token: null, body: { key, csr, host } });
}

test('a key is made with its line, hosts are listed and let in all at once or by their ids, and the key is revoked', async () => {
  const site = await system.addSite();
  const made = await run(['agent', 'claim-key', 'create', '--name', 'tills', '--uses', '3', '--site', site]);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^lanreach-agent enrol lrk_[\w-]+ --url http/) });
  expect(made.stderr).toContain('on up to 3 hosts: each becomes an agent of');
  expect(made.stderr).toContain('wait until somebody approves them');
  const [, secret = ''] = /(lrk_[\w-]+)/.exec(made.stdout) ?? [];
  for (const name of ['till-1', 'till-2', 'till-3']) expect((await claim(secret, name)).status).toBe(202);
  expect((await run(['agent', 'claim-key', 'list'])).stdout).toMatch(/^tills +used up +3 of 3 +site-\d+ +by hand /m);
  const listed = await run(['agent', 'claims', '--key', 'tills', '--state', 'waiting']);
  expect(listed.stdout.split('\n')[0]).toMatch(/^HOST +STATE +CLAIMED +FROM +NETWORKS +AGENT +ID$/);
  expect(listed.stdout).toMatch(/^till-2 +waiting .* 127\.0\.0\.1 +192\.168\.7\.0\/24 +- +[0-9a-f]{16}-/m);

  const { claims } = await json('agent', 'claims', '--key', 'tills');
  const idOf = (name: string) => claims.find(({ host }: { host: { name: string } }) => host.name === name).id;
  expect((await run(['agent', 'refuse', idOf('till-3')])).stdout).toMatch(/^till-3 +refused /m);
  expect((await run(['agent', 'approve', idOf('till-1'), '--name', 'first'])).stdout).toMatch(/^till-1 +approved /m);
  expect((await run(['agent', 'approve', '--all', '--key', 'tills'])).stdout).toMatch(/^till-2 +approved /m);
  const late = await run(['agent', 'approve', idOf('till-3')]);
  expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('It has been refused') });
  expect((await run(['agent', 'approve', '--all'])).code).toBe(2);
  expect((await run(['agent', 'approve'])).code).toBe(2);
  expect((await run(['agent', 'claims', '--key', 'nobody'])).code).toBe(4);

  expect((await run(['agent', 'claim-key', 'revoke', 'tills'])).code).toBe(2); // Nobody can be asked here.
  expect((await run(['agent', 'claim-key', 'revoke', 'tills', '--yes'])).code).toBe(0);
  expect((await run(['agent', 'claim-key', 'list'])).stdout).toMatch(/^tills +revoked /m);
  const everywhere = ['--site-from-host-name', '--tag', 'shops', '--approve', 'at once', '--network', '192.168.0.0/16'];
  const wide = await json(
    'agent',
    'claim-key',
    'create',
    '--name',
    'shops',
    '--uses',
    '9',
    '--expires',
    '1d',
    ...everywhere,
  );
  expect(wide).toMatchObject({ site: null, tags: ['shops'], approve: 'at once', networks: ['192.168.0.0/16'] });
  expect((await claim(wide.secret, 'shop-1')).json).toMatchObject({ agent: 'shop-1:main' });
  expect(await run(['agent', 'claim-key', 'create', '--name', 'x', '--uses', '0', '--site', site])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--uses'),
  });
});

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
