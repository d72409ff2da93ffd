/** `/agent/`: what is handed out to anybody, and what is not. */
import { readdirSync, readlinkSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { permitFor } from '../../agent/update/fetch-release.ts';
import { PERMIT_HEADER } from '../../shared/agent/proof.ts';
import { enrolAgent } from '../support/enrolled-agent.ts';
import { startTestApi, type TestApi } from '../support/in-process.ts';
import { PACKAGES, writeRelease } from '../support/made-up-release.ts';
import { makeTestFolder, type TestFolder } from '../support/test-folder.ts';

let folder: TestFolder;
let texts: Record<string, string>;
beforeEach(async () => {
  folder = makeTestFolder();
  texts = await writeRelease(folder.path);
});
afterEach(() => folder.remove());

const start = () => startTestApi({ releasesFolder: folder.path });
const get = (api: TestApi, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  api.service(new Request(`http://lan${path}`, { method, headers }));
const ofToken = ({ token }: TestApi) => ({ authorization: `Bearer ${token}` });
const permit = (text: string) => ({ [PERMIT_HEADER]: text });
const [NAME = expect.fail()] = Object.keys(PACKAGES);
const PATH = `/agent/packages/${NAME}`;
const enrolmentCode = (api: TestApi, name: string) => api.request('POST', '/sites/home/agents', { body: { name } });

test('the script and the signed text, without a token and behind any prefix; every package with one', async () => {
  await using api = await start();
  for (const prefix of ['', '/server']) {
    for (const [name, text] of Object.entries(texts)) {
      const answer = await get(api, `${prefix}/agent/${name}`);
      expect([answer.status, await answer.text()]).toEqual([200, text]);
    }
  }
  for (const [name, { content }] of Object.entries(PACKAGES)) {
    const answer = await get(api, `/agent/packages/${name}`, ofToken(api));
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(content.length)]);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  }
  const head = await get(api, PATH, ofToken(api), 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await enrolmentCode(api, 'attic')).json).toMatchObject({
    release: { version: '1.2.3', packages: ['deb-amd64', 'npm', 'program'] },
  });
});

test('without a permit a package is refused, and no address is given; an unknown token opens none', async () => {
  await using api = await startTestApi({
    releases: { current: async () => null, open: async () => ({ url: 'https://bucket.example/signed' }) },
  });
  for (const method of ['GET', 'HEAD']) {
    const answer = await get(api, PATH, {}, method);
    expect([answer.status, answer.headers.get('location')]).toEqual([401, null]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
  expect(await (await get(api, PATH)).json()).toMatchObject({
    message: expect.stringContaining('lanreach agent enrol'),
  });
  expect((await get(api, PATH, { authorization: 'Bearer lr_0123456789abcdef_x' })).status).toBe(403);
  const open = await get(api, PATH, ofToken(api));
  expect([open.status, open.headers.get('location')]).toEqual([302, 'https://bucket.example/signed']);
});

test('a code opens packages, is not used up by them, and opens none when it is wrong, over, used, revoked or for others', async () => {
  await using api = await start();
  const statusWith = async (code: string) => (await get(api, PATH, permit(code))).status;
  const make = async (body: object) =>
    (await api.request('POST', '/sites/home/agents', { body })).json as { code: string; id: string };
  const good = await make({ name: 'attic' });
  for (let i = 0; i < 3; i++) expect(await statusWith(good.code)).toBe(200);
  const { csr } = await api.makeCsr();
  expect((await api.request('POST', '/enrol', { token: null, body: { code: good.code, csr } })).status).toBe(201);
  const revoked = await make({ name: 'shed' });
  await api.request('DELETE', `/enrolment-codes/${revoked.id}`);
  const elsewhere = await make({ name: 'barn', networks: ['203.0.113.0/24'] });
  const wanted = { site: 'home', agent: null, replace: false };
  const over = await api.context.enrolments.create({
    ...wanted,
    expiresAt: new Date(Date.now() - 1_000).toISOString(),
  });
  const codes = { used: good, revoked, elsewhere, over };
  for (const [what, { code }] of Object.entries({ ...codes, wrong: { code: 'lre_none' }, empty: { code: '' } }))
    expect([what, await statusWith(code)]).toEqual([what, 403]);
  const lines = JSON.stringify(api.logged);
  for (const { code } of Object.values(codes)) expect(lines).not.toContain(code);
});

test('an agent opens the package that its proof names, until it is revoked', async () => {
  await using api = await start();
  await using agent = await enrolAgent(api, 'home', 'attic');
  const proof = permitFor(NAME, agent.identity);
  const statusWith = async (text: string, path = PATH) => (await get(api, path, permit(text))).status;
  expect([await statusWith(proof), await statusWith(proof)]).toEqual([200, 200]);
  expect(await statusWith(proof, '/agent/packages/lanreach-agent-1.2.3.tgz')).toBe(403);
  expect(await statusWith(proof.replace('home:attic', 'home:other'))).toBe(403);
  const [, , signature] = proof.split(' ');
  const late = await get(api, PATH, permit(`home:attic ${Date.now() - 600_000} ${signature}`));
  expect([late.status, await late.json()]).toMatchObject([400, { errors: [{ path: 'at' }] }]);
  await api.request('DELETE', '/sites/home/agents/attic');
  expect(await statusWith(proof)).toBe(403);
});

test('the script is the same whatever host a request names: nothing of a request gets into it', async () => {
  await using api = await start();
  const headers = { 'x-forwarded-host': '$(reboot)', 'x-forwarded-proto': '`reboot`' };
  const answer = await api.service(new Request('http://evil.example/agent/install.sh?url=x', { headers }));
  expect(await answer.text()).toBe(texts['install.sh']);
});

test('nothing else that lies in the folder, and nothing outside of it', async () => {
  await using api = await start();
  await writeFile(join(folder.path, 'signing-key.pem'), 'secret');
  const names = ['signing-key.pem', 'release.json', '..%2frelease.json', '%2e%2e', '__proto__', 'constructor'];
  for (const name of names) {
    const answer = await get(api, `/agent/packages/${name}`, ofToken(api));
    // The text of the release is no secret, and a name like another.
    expect([name, answer.status]).toEqual([name, name === 'release.json' ? 200 : 404]);
  }
  for (const path of ['/agent', '/agent/signing-key.pem', '/agent/packages', '/agent/packages/a/b']) {
    expect([path, (await get(api, path, ofToken(api))).status]).toEqual([path, 404]);
  }
});

test('what is not as it was signed is not handed out, and the log says why', async () => {
  await appendFile(join(folder.path, 'release.json'), ' ');
  await using api = await start();
  for (const name of ['release.json', 'install.sh', `packages/${Object.keys(PACKAGES)[0]}`]) {
    const answer = await get(api, `/agent/${name}`, ofToken(api));
    const message = expect.stringContaining('hands out no agent');
    expect([answer.status, await answer.json()]).toMatchObject([404, { message }]);
  }
  expect(api.logged.filter(({ msg }) => msg === 'the release of the agent cannot be handed out')).toHaveLength(1);
  expect((await enrolmentCode(api, 'attic')).json).toMatchObject({ release: null });
});

test('a package that was cut short is not handed out; the others are', async () => {
  const [cut = '', other = ''] = Object.keys(PACKAGES);
  await writeFile(join(folder.path, cut), 'short');
  await using api = await start();
  expect((await get(api, `/agent/packages/${cut}`, ofToken(api))).status).toBe(404);
  expect((await get(api, `/agent/packages/${other}`, ofToken(api))).status).toBe(200);
});

test.runIf(process.platform === 'linux')('a reader that stops in between keeps no file open', async () => {
  const [[name = '', { content }] = expect.fail()] = Object.entries(PACKAGES);
  await using api = await start();
  const reader = (await get(api, `/agent/packages/${name}`, ofToken(api))).body?.getReader() ?? expect.fail();
  let length = (await reader.read()).value?.length ?? 0;
  const opened = () =>
    readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return ''; // That of the listing itself.
      }
    });
  // The next piece may be read ahead.
  await expect.poll(() => opened().filter((path) => path.startsWith(folder.path))).toEqual([]);
  for (let next = await reader.read(); !next.done; next = await reader.read()) length += next.value.length;
  expect(length).toBe(content.length);
});

test('where there is no release, the answer says what makes one', async () => {
  await using api = await startTestApi();
  const answer = await get(api, '/agent/install.sh');
  const message = expect.stringContaining('npm run package');
  expect([answer.status, await answer.json()]).toMatchObject([404, { message }]);
  expect((await enrolmentCode(api, 'attic')).json).toMatchObject({ release: null });
});
