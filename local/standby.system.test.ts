/** A standby and a first server that hands out what a test makes up. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { END, HEAD } from '../shared/backup/contents.ts';
import { TAR_END, tarHeader, tarPadding } from '../shared/backup/tar.ts';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { openDataFolder } from './data-folder.ts';
import { startStandby } from './standby.ts';

const TOKEN = 'the-first-token-of-the-first-server';
const log = pino({ level: 'silent' });

function backupOf(madeAt: string, term: number, authority = 'A'): Buffer {
  const files: { name: string; size: number; sha256: string }[] = [];
  const parts: Uint8Array[] = [];
  const add = (name: string, value: object) => {
    const content = Buffer.from(JSON.stringify(value));
    files.push({ name, size: content.length, sha256: createHash('sha256').update(content).digest('hex') });
    parts.push(tarHeader({ name, size: content.length }, 0), content, tarPadding(content.length));
  };
  add(HEAD, { format: 1, version: '0.2.0', madeAt, broker: 'mqtts://first:8883', databaseBytes: 0 });
  add('state.json', { term });
  add('ca/authority.pem', { authority });
  add(END, { rows: 0, files: [...files] });
  return Buffer.concat([...parts, TAR_END]);
}

async function startFirst() {
  const first = { backup: backupOf('2026-11-26T01:00:00.000Z', 4), asked: 0 };
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return response.writeHead(403).end();
    first.asked++;
    response.writeHead(request.url === '/backup' && request.method === 'POST' ? 200 : 404).end(first.backup);
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  return Object.assign(first, {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  });
}

/** What a standby says of itself, and what tests read of a refusal. */
interface Health {
  status?: string;
  copy: { madeAt: string; term: number } | null;
  problem: string | null;
}

async function startSecond(url: string, path: string, everyMs = 50) {
  const data = await openDataFolder(path);
  const of = { url, tokenFile: '', everyMs, promoteAfterMs: null };
  const config = { host: '127.0.0.1', port: 0 };
  const standby = await startStandby({ of, token: TOKEN, config, data, version: '0.2.0', log });
  const ask = async (method: string, path: string, token = TOKEN) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${standby.port}${path}`, { method, headers });
    return { status: answer.status, json: (await answer.json()) as Health };
  };
  return {
    standby,
    ask,
    copy: async () => (await ask('GET', '/health')).json,
    async [Symbol.asyncDispose]() {
      await standby.close();
      data.release();
    },
  };
}

test('it keeps the newest copy that is whole, says how old it is, and serves nobody', async () => {
  await using first = await startFirst();
  await using folder = makeTestFolder();
  await using second = await startSecond(first.url, folder.path);
  await expect
    .poll(async () => (await second.copy()).copy)
    .toMatchObject({ term: 4, madeAt: '2026-11-26T01:00:00.000Z' });
  for (const damaged of [first.backup.subarray(0, -1024), first.backup.subarray(0, 600), Buffer.from('no backup')]) {
    first.backup = damaged;
    const before = first.asked;
    await expect.poll(() => first.asked - before).toBeGreaterThan(2);
    const { copy, problem } = await second.copy();
    expect(copy).toMatchObject({ madeAt: '2026-11-26T01:00:00.000Z' });
    expect(problem).toMatch(/^it is (?:not complete|no backup|damaged)/);
  }
  first.backup = backupOf('2026-11-26T03:00:00.000Z', 4, 'B');
  await expect.poll(async () => (await second.copy()).problem).toContain('another system than that of the copy');
  expect((await second.copy()).copy).toMatchObject({ madeAt: '2026-11-26T01:00:00.000Z' });
  first.backup = backupOf('2026-11-26T02:00:00.000Z', 4);
  await expect.poll(async () => (await second.copy()).copy?.madeAt).toBe('2026-11-26T02:00:00.000Z');
  expect((await second.copy()).problem).toBeNull();
  for (const [method, path] of [
    ['GET', '/devices'],
    ['POST', '/enrol'],
    ['GET', '/health/ready'],
  ] as const)
    expect(await second.ask(method, path)).toMatchObject({ status: 503, json: { code: 'unavailable' } });
});

test('it is promoted by the first token alone, and with a copy, which a start finds again', async () => {
  await using first = await startFirst();
  await using folder = makeTestFolder();
  const whole = first.backup;
  first.backup = Buffer.alloc(0);
  {
    await using second = await startSecond(first.url, folder.path, 10_000);
    await expect.poll(async () => (await second.copy()).problem).toBe('it is no backup of LanReach');
    expect(await second.ask('POST', '/standby/promote')).toMatchObject({ status: 409 });
    first.backup = whole;
  }
  {
    await using second = await startSecond(first.url, folder.path);
    await expect.poll(async () => (await second.copy()).copy).not.toBeNull();
  }
  await using second = await startSecond('http://127.0.0.1:4', folder.path);
  expect((await second.copy()).copy).toMatchObject({ term: 4 });
  expect((await second.ask('POST', '/standby/promote', 'another-token-than-that')).status).toBe(403);
  expect(await second.ask('POST', '/standby/promote')).toMatchObject({ status: 202, json: { status: 'taking-over' } });
  expect(await second.standby.promoted).toMatchObject({ term: 4 });
});

test('where that was asked for, the silence of the first promotes it', async () => {
  await using first = await startFirst();
  await using folder = makeTestFolder();
  const data = await openDataFolder(folder.path);
  const of = { url: first.url, tokenFile: '', everyMs: 50, promoteAfterMs: 300 };
  const config = { host: '127.0.0.1', port: 0 };
  const standby = await startStandby({ of, token: TOKEN, config, data, version: '0.2.0', log });
  expect(await standby.promoted).toMatchObject({ term: 4 });
  data.release();
});
