/** Backup and restore, with the command line as people use it, and writers that do not stop for it. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { beforeEach, expect, test } from 'vitest';
import { openLmdbTable } from '../../../functions/table/lmdb.ts';
import { PROGRAM } from '../../support/cli/command-line.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { makeTestFolder, type TestFolder } from '../../support/test-folder.ts';
import { startTestSystem, type TestSystem } from '../../test-system.ts';

const SERVER = join(import.meta.dirname, '..', '..', '..', 'dist', 'local.js');
const PASSPHRASE = 'five words that nobody knows';
const MB = 1024 * 1024;

let folder: TestFolder;
beforeEach(() => {
  folder = makeTestFolder();
  return () => folder.remove();
});
const at = (...names: string[]) => join(folder.path, ...names);

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Greatest memory of its own, in MB. */
  peakMb: number;
}

async function lanreach(args: string[], url = '', data = '', env: object = {}): Promise<Ran> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: folder.path, LANREACH_URL: url, LANREACH_DATA: data, ...env },
  });
  child.stdin.end();
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, ownMemoryMb(child.pid ?? 0));
  }, 20);
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  clearInterval(watch);
  return { code, stdout, stderr, peakMb };
}

/** Without what is mapped from files, which the kernel takes back when it needs it: the database is. */
function ownMemoryMb(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // It has ended.
  }
}

async function succeeds(...of: Parameters<typeof lanreach>): Promise<Ran> {
  const ran = await lanreach(...of);
  expect([of[0], ran.code, ran.code === 0 ? '' : ran.stderr]).toEqual([of[0], 0, '']);
  return ran;
}

const exported = async ({ request }: TestSystem, site: string) =>
  (await request('GET', '/devices/export?columns=all', { site })).text;

const macOf = (n: number) =>
  `02:00:00:${[n >> 16, n >> 8, n].map((byte) => (byte & 255).toString(16).padStart(2, '0')).join(':')}`;
const csvOf = (from: number, count: number) =>
  [
    'devMac,devName,devOwner',
    ...Array.from({ length: count }, (_, i) => `${macOf(from + i)},host ${from + i},me`),
  ].join('\n');

test('a backup that is made while writes go on has all that was acknowledged', async () => {
  const first = await startTestSystem({ LANREACH_DATA: at('first') });
  const { url } = first;
  await first.request('POST', '/sites', { body: { id: 'cabin' } });
  await first.importCsv(csvOf(0, 3_000), 'cabin');

  // Each writer says what was acknowledged, one after the other.
  const acknowledged = new Set<string>();
  let isOver = false;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 10_000 + writer; !isOver; n += 4) {
      const mac = macOf(n);
      await first.importCsv(`devMac,devName\n${mac},written ${n}`, 'cabin');
      acknowledged.add(mac.toUpperCase());
    }
  });
  await sleep(1_500);
  const before = [...acknowledged];
  await succeeds(['backup', '--output', 'load.tar.gz'], url, at('first'));
  const during = acknowledged.size - before.length;
  await sleep(300);
  isOver = true;
  await Promise.all(writers);
  expect(before.length).toBeGreaterThan(10);
  expect(during).toBeGreaterThan(0);
  expect(statSync(at('load.tar.gz')).mode & 0o777).toBe(0o600);

  await first.close();
  await succeeds(['restore', 'load.tar.gz', '--data', at('loaded')]);
  const loaded = await startTestSystem({ LANREACH_DATA: at('loaded') });
  const devices = await exported(loaded, 'cabin');
  expect(before.filter((mac) => !devices.toUpperCase().includes(mac))).toEqual([]);
  await loaded.close();
});

test('a file that is not whole, not ours or not opened is refused, and nothing is written', async () => {
  const system = await startTestSystem({ LANREACH_DATA: at('data') });
  const { url } = system;
  const [data, phrase] = [at('data'), at('phrase')];
  const identity = await generateIdentity();
  await writeFile(phrase, `${PASSPHRASE}\n`);
  await writeFile(at('wrong'), 'another five words entirely\n');
  await writeFile(at('identity'), `# mine\n${identity}\n`);
  await system.importCsv(csvOf(0, 500));
  const truth = await exported(system, 'home');
  const recipient = await identityToRecipient(identity);
  await succeeds(['backup', '--output', 'plain'], url, data);
  await succeeds(['backup', '--output', 'locked', '--passphrase-file', phrase], url, data);
  await succeeds(['backup', '--output', 'sealed', '--recipient', recipient], url, data);
  await system.close();

  for (const name of ['locked', 'sealed']) {
    const bytes = await readFile(at(name));
    expect([bytes.includes(system.token.slice(-20)), bytes.includes('host 1')]).toEqual([false, false]);
    expect(statSync(at(name)).mode & 0o777).toBe(0o600);
  }
  const open = (name: string) =>
    name === 'sealed' ? ['--identity-file', at('identity')] : ['--passphrase-file', phrase];
  const refused = async (name: string, options: string[], says: RegExp) => {
    const { code, stderr } = await lanreach(['restore', name, '--data', at('target'), ...options]);
    expect([name, code, existsSync(at('target')), stderr]).toEqual([name, 1, false, expect.stringMatching(says)]);
  };
  for (const name of ['plain', 'locked', 'sealed']) {
    const bytes = await readFile(at(name));
    for (const share of [0.3, 0.999]) {
      await writeFile(at('cut'), bytes.subarray(0, Math.floor(bytes.length * share)));
      await refused('cut', open(name), /not complete|cut off/);
    }
    const flipped = Buffer.from(bytes);
    const middle = Math.floor(bytes.length / 2);
    flipped[middle] = (flipped[middle] ?? 0) ^ 1;
    await writeFile(at('flipped'), flipped);
    await refused('flipped', open(name), /damaged/);
  }
  await refused('locked', ['--passphrase-file', at('wrong')], /does not open it/);
  await writeFile(at('foreign'), 'devMac,devName\n');
  await refused('foreign', [], /no backup of LanReach/);
  // A folder with something in it is never written to.
  const occupied = await lanreach(['restore', 'plain', '--data', data]);
  expect([occupied.code, occupied.stderr]).toEqual([1, expect.stringContaining('is not empty')]);

  for (const name of ['locked', 'sealed']) {
    await succeeds(['restore', name, '--data', at(`from-${name}`), ...open(name)]);
    const restored = await startTestSystem({ LANREACH_DATA: at(`from-${name}`) });
    expect((await exported(restored, 'home')) === truth).toBe(true);
    await restored.close();
  }
});

test.each<[what: string, end: (answer: ServerResponse) => void]>([
  ['is broken off', (answer) => answer.destroy()],
  ['ends too early, as if it were whole', (answer) => answer.end()],
])('an answer that %s leaves no file', async (_, end) => {
  await using made = await startTestSystem({ LANREACH_DATA: at('data') });
  const whole = Buffer.from(await (await made.fetch('POST', '/backup')).arrayBuffer());
  const server = createServer((_request, answer) => {
    answer.writeHead(200, { 'content-type': 'application/x-tar' });
    answer.write(whole.subarray(0, whole.length - 3_000), () => end(answer));
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  try {
    const { code, stderr } = await lanreach(['backup', '--output', 'half'], url, '', { LANREACH_TOKEN: made.token });
    expect([code, stderr]).toEqual([1, expect.stringContaining('incomplete, and not kept')]);
    expect([existsSync(at('half')), existsSync(at('half.part'))]).toEqual([false, false]);
  } finally {
    server.close();
  }
});

test('neither the server nor the command line takes more memory for 200 MB', async () => {
  const data = at('data');
  const empty = await startServerProcess(SERVER, folder.path, 'a-token-for-this-test');
  await empty.stop();
  const table = openLmdbTable(join(data, 'lanreach.mdb'));
  const rows = Array.from({ length: 2_100 }, (_, i) => ({ pk: 'V#home', sk: `filler ${String(i).padStart(6, '0')}` }));
  for (let from = 0; from < rows.length; from += 100) {
    await table.transact(rows.slice(from, from + 100).map((key) => ({ put: { ...key, bytes: randomBytes(100_000) } })));
  }
  await table.close();
  expect(statSync(join(data, 'lanreach.mdb')).size).toBeGreaterThan(200 * MB);

  const server = await startServerProcess(SERVER, folder.path, 'a-token-for-this-test');
  const idle = ownMemoryMb(server.pid);
  let peak = idle;
  const watch = setInterval(() => {
    peak = Math.max(peak, ownMemoryMb(server.pid));
  }, 20);
  const env = { LANREACH_TOKEN: 'a-token-for-this-test' };
  const making = await succeeds(['backup', '--output', 'large'], server.url, '', env);
  clearInterval(watch);
  await server.stop();
  const restoring = await succeeds(['restore', 'large', '--data', at('target')]);
  console.log(
    `server: ${idle.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most; backup ${making.peakMb.toFixed(0)} MB, restore ${restoring.peakMb.toFixed(0)} MB`,
  );
  expect(peak - idle).toBeLessThan(120);
  expect(making.peakMb).toBeLessThan(200);
  expect(restoring.peakMb).toBeLessThan(200);
}, 600_000);
