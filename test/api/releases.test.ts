/** `/agent/`: what is handed out to anybody, and what is not. */
import { readdirSync, readlinkSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
const get = (api: TestApi, path: string, method = 'GET') => api.service(new Request(`http://lan${path}`, { method }));
const enrolmentCode = (api: TestApi, name: string) => api.request('POST', '/sites/home/agents', { body: { name } });

test('the script, the signed text and every package, without a token and behind any prefix', async () => {
  await using api = await start();
  for (const prefix of ['', '/server']) {
    for (const [name, text] of Object.entries(texts)) {
      const answer = await get(api, `${prefix}/agent/${name}`);
      expect([answer.status, await answer.text()]).toEqual([200, text]);
    }
  }
  for (const [name, { content }] of Object.entries(PACKAGES)) {
    const answer = await get(api, `/agent/packages/${name}`);
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(content.length)]);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  }
  const [[name = ''] = []] = Object.entries(PACKAGES);
  const head = await get(api, `/agent/packages/${name}`, 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await enrolmentCode(api, 'attic')).json).toMatchObject({
    release: { version: '1.2.3', packages: ['deb-amd64', 'npm', 'program'] },
  });
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
    const answer = await get(api, `/agent/packages/${name}`);
    // The text of the release is no secret, and a name like another.
    expect([name, answer.status]).toEqual([name, name === 'release.json' ? 200 : 404]);
  }
  for (const path of ['/agent', '/agent/signing-key.pem', '/agent/packages', '/agent/packages/a/b']) {
    expect([path, (await get(api, path)).status]).toEqual([path, 404]);
  }
});

test('what is not as it was signed is not handed out, and the log says why', async () => {
  await appendFile(join(folder.path, 'release.json'), ' ');
  await using api = await start();
  for (const name of ['release.json', 'install.sh', `packages/${Object.keys(PACKAGES)[0]}`]) {
    const answer = await get(api, `/agent/${name}`);
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { message: expect.stringContaining('hands out no agent') },
    ]);
  }
  expect(api.logged.filter(({ msg }) => msg === 'the release of the agent cannot be handed out')).toHaveLength(1);
  expect((await enrolmentCode(api, 'attic')).json).toMatchObject({ release: null });
});

test('a package that was cut short is not handed out; the others are', async () => {
  const [cut = '', other = ''] = Object.keys(PACKAGES);
  await writeFile(join(folder.path, cut), 'short');
  await using api = await start();
  expect((await get(api, `/agent/packages/${cut}`)).status).toBe(404);
  expect((await get(api, `/agent/packages/${other}`)).status).toBe(200);
});

test.runIf(process.platform === 'linux')('a reader that stops in between keeps no file open', async () => {
  const [[name = '', { content }] = expect.fail()] = Object.entries(PACKAGES);
  await using api = await start();
  const reader = (await get(api, `/agent/packages/${name}`)).body?.getReader() ?? expect.fail();
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
  expect([answer.status, await answer.json()]).toMatchObject([
    404,
    { message: expect.stringContaining('npm run package') },
  ]);
  expect((await enrolmentCode(api, 'attic')).json).toMatchObject({ release: null });
});
