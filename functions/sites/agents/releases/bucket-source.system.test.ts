/** A release in a bucket: a server of this host in the place of S3, which checks no signature. */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { folderOfEachTest } from '../../../../test/support/folder-of-tests.ts';
import { closeServer, listenOnLoopback } from '../../../../test/support/loopback.ts';
import { PACKAGES, writeRelease } from '../../../../test/support/made-up-release.ts';
import { openReleaseBucket } from './bucket-source.ts';

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' };
const silent = { info: () => {}, warn: () => {}, error: () => {} };

const folder = folderOfEachTest();
let origin: string;
/** Requested paths; unsigned ones are rejected. */
let requested: string[];
/** Content in the place of a file's own. */
let instead: Record<string, Buffer>;

beforeEach(async () => {
  requested = [];
  instead = {};
  const server = createServer(async (request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
    requested.push(pathname);
    const content = instead[pathname.slice(1)] ?? (await readFile(join(folder.path, pathname)).catch(() => null));
    const isSigned = /^[0-9a-f]{64}$/.test(searchParams.get('X-Amz-Signature') ?? '');
    // S3 says 403 of what is not there, to who may not list the bucket.
    answer.writeHead(content === null || !isSigned ? 403 : 200).end(content);
  });
  origin = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  return () => closeServer(server);
});

const source = () => openReleaseBucket({ origin, region: 'eu-central-1' }, () => KEYS, silent);

test('its texts are read once, and packages are an address that was signed for a minute', async () => {
  const texts = await writeRelease(folder.path);
  const bucket = source();
  expect(await bucket.current()).toMatchObject({ version: '1.2.3' });
  const script = await bucket.open('install.sh');
  if (script === null || !('body' in script)) throw new Error('no script');
  expect(await new Response(script.body).text()).toBe(texts['install.sh']);
  expect(requested.sort()).toEqual(
    Object.keys(texts)
      .map((name) => `/${name}`)
      .sort(),
  );

  const [[name = '', { content } = { content: null }] = []] = Object.entries(PACKAGES);
  const handed = await bucket.open(name);
  if (handed === null || !('url' in handed)) throw new Error('no address');
  expect(Number(new URL(handed.url).searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(60);
  expect(Buffer.from(await (await fetch(handed.url)).arrayBuffer())).toEqual(content);
  expect(await bucket.open('signing-key.pem')).toBeNull();
});

test('an empty bucket hands out nothing, and one with too much in it neither', async () => {
  expect(await source().current()).toBeNull();
  await writeRelease(folder.path);
  instead['release.json'] = Buffer.alloc(1024 * 1024, ' ');
  expect(await source().current()).toBeNull();
});
