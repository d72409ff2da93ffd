/** What becomes of the server when something runs out that it needs: file descriptors, or room on its disk. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ApiClient, openApiClient } from '../test/api-client.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { childEnvironment } from './config.ts';

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'local.js');
const OPEN_FILES = 256;
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Only root can mount a disk of its own: what becomes of a full one is not tested');

const temporary = makeTestFolder();
let folder: string;
let child: ChildProcess;
let output = '';
let client: ApiClient;
const sockets: Socket[] = [];

beforeAll(async () => {
  folder = join(temporary.path, 'data');
  mkdirSync(folder, { mode: 0o700 });
  const mount = isRoot ? 'mount -t tmpfs -o size=48m,mode=700 tmpfs "$LANREACH_DATA" && ' : '';
  const script = `ulimit -n ${OPEN_FILES} && ${mount}exec "$0" "$1"`;
  const inNamespace = isRoot ? ['unshare', '--mount', '--propagation', 'private'] : [];
  const [program = '', ...args] = [...inNamespace, 'sh', '-c', script, process.execPath, PROGRAM];
  child = spawn(program, args, {
    cwd: temporary.path,
    env: { ...childEnvironment(), PORT: '0', MQTT_PORT: '0', LANREACH_DATA: folder, LANREACH_INSTALL: 'no' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text;
    });
  }
  await vi.waitUntil(() => output.includes('Ctrl-C stops everything.') || child.exitCode !== null, { timeout: 60_000 });
  const url = /URL\s+(\S+)/.exec(output)?.[1] ?? expect.fail(output);
  client = openApiClient(url, readFileSync(inside('api-token'), 'utf8').trim());
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }
  await temporary.remove();
});

/** A file of the data folder, as the server sees it. */
const inside = (name: string) => join(`/proc/${child.pid}/root`, folder, name);

const openedFiles = () => readFileSync(`/proc/${child.pid}/limits`, 'utf8').match(/Max open files\s+(\d+)/)?.[1];

function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  return new Promise((resolve) => {
    socket.on('error', () => resolve(socket)).once('connect', () => resolve(socket));
    socket.resume();
  });
}

test('a server that may open few files says so, and lives through more connections than that', async () => {
  expect(openedFiles()).toBe(String(OPEN_FILES));
  expect(output).toContain(`this process may have ${OPEN_FILES} files open, so at most 48 connections to the API`);
  const broker = Number(/MQTT with TLS on [^\n]*:(\d+)/.exec(output)?.[1]);
  for (const port of [Number(new URL(client.url).port), broker]) {
    const opened = await Promise.all(Array.from({ length: 2 * OPEN_FILES }, () => open(port)));
    // What is too much is closed at once; the rest stays until it is given up here.
    await vi.waitUntil(() => opened.filter((socket) => socket.closed).length >= OPEN_FILES, { timeout: 60_000 });
    for (const socket of opened) socket.destroy();
  }
  await expect.poll(async () => (await client.request('GET', '/devices/totals')).status).toBe(200);
  await expect.poll(async () => (await client.request('GET', '/health/ready')).status).toBe(200);
  expect(child.exitCode).toBeNull();
});

test.runIf(isRoot)(
  'a full disk is called so: reads go on, writes and readiness are refused until there is room',
  async () => {
    const importing = (csv: string) =>
      client.request('POST', '/devices/import', { body: { content: Buffer.from(csv).toString('base64') } });
    expect((await importing('devName,devMac\nnas,00:1E:06:AA:BB:01\n')).status).toBe(200);
    const isFull = { code: 'unavailable', message: expect.stringContaining('The disk of the database is full') };
    let name = '';
    const rename = async (devName: string) => {
      const answer = await client.request('PATCH', '/devices/00:1E:06:AA:BB:01', {
        body: { devName, devComments: 'x'.repeat(4_000) },
      });
      if (answer.status === 200) name = devName;
      return answer;
    };
    const { bfree, bsize } = statfsSync(inside('.'));
    writeFileSync(inside('filler'), Buffer.alloc(bfree * bsize - 9 * 1024 * 1024));
    // Its writer can neither complete it nor say that it has failed.
    const many = Array.from(
      { length: 10_000 },
      (_, i) => `${i},${(0x1e0700000000 + i).toString(16)},${'x'.repeat(500)}`,
    );
    const broken = await importing(`devName,devMac,devComments\n${many.join('\n')}\n`);
    expect([broken.status, broken.json]).toMatchObject([503, isFull]);
    let refused = await rename('0');
    // What the files of the database hold already may be written over.
    for (let i = 1; i < 5_000 && refused.status === 200; i++) refused = await rename(String(i));
    expect([refused.status, refused.json]).toMatchObject([503, isFull]);
    const ready = await client.request('GET', '/health/ready', { token: null });
    expect([ready.status, ready.json]).toMatchObject([503, isFull]);
    for (const path of ['/devices', '/devices/totals', '/events', '/devices?text=nas', '/jobs']) {
      const { status, text } = await client.request('GET', path);
      expect([path, status, text]).toEqual([path, 200, expect.any(String)]);
    }
    rmSync(inside('filler'));
    // What was refused has not happened, and does not happen later.
    expect((await client.request('GET', '/device/00:1E:06:AA:BB:01')).json).toMatchObject({ devName: name || 'nas' });
    await expect.poll(async () => (await rename('again')).status, { timeout: 60_000 }).toBe(200);
    await expect.poll(async () => (await client.request('GET', '/health/ready')).status).toBe(200);
  },
);
