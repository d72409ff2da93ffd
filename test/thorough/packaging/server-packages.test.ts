/** The packages of the server: installed by npm without a registry, and run on another processor. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runToEnd } from '../../../local/child-process.ts';
import { readConfig } from '../../../local/config.ts';
import { findProgram } from '../../../local/programs.ts';
import { ARM64_PROGRAMS, ARM64_ROOT, buildPackages } from '../../support/packages.ts';
import { makeTestFolder } from '../../support/test-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const ENVIRONMENT = readConfig().childEnvironment;
/** The kinds of processors in the header of an ELF file. */
const MACHINES = { amd64: 62, arm64: 183 } as const;
type Architecture = keyof typeof MACHINES;

const temporary = makeTestFolder();
const folder = temporary.path;
/** What was made, by the end of its name, or why it could not be. */
let made: { tarball: string; debs: Record<Architecture, string> } | { missing: string };
const started: ChildProcess[] = [];

beforeAll(async () => {
  const files = await buildPackages(join(folder, 'packages'), '--of', 'server', '--compression', 'none');
  if (typeof files === 'string') {
    made = { missing: files };
    return;
  }
  const [tarball = '', amd64 = '', arm64 = ''] = files;
  made = { tarball, debs: { amd64, arm64 } };
}, 600_000);
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});
afterAll(() => temporary.remove());

async function passes(argv: readonly [string, ...string[]], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { ...ENVIRONMENT, ...environment };
  const { code, output } = await runToEnd(argv, { env, timeoutMs: 120_000 });
  expect(code, `${argv.join(' ')}\n${output}`).toBe(0);
  return output;
}

async function unpacked(deb: string, name: string): Promise<string> {
  const tree = join(folder, name);
  await passes(['dpkg-deb', '--extract', deb, tree]);
  return tree;
}

/** Starts a server in a folder of its own. @returns its URL, when everything runs */
async function start(argv: readonly [string, ...string[]], data: string, withinMs: number): Promise<string> {
  const settings = { PORT: '0', MQTT_PORT: '0', LANREACH_INSTALL: 'no', LANREACH_DATA: join(folder, data) };
  const [program, ...args] = argv;
  const server = spawn(program, args, { env: { ...ENVIRONMENT, ...settings }, cwd: folder });
  started.push(server);
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  const isUp = () => {
    if (server.exitCode !== null) throw new Error(`The server has ended:\n${said}`);
    return said.includes('Ctrl-C stops everything.');
  };
  await waitFor(() => `the server, which says:\n${said}`, isUp, withinMs);
  expect(said).toContain('agent     home:main, online');
  return /^ {2}URL {7}(\S+)$/m.exec(said)?.[1] ?? '';
}

/** It hands out what it has, and keeps sites: they are in LMDB, whose keys a native build writes and reads. */
async function works(url: string, data: string): Promise<void> {
  const paths = ['health/ready', 'console/', 'docs', 'docs/swagger-ui.css', 'openapi.json', 'agent/release.json'];
  const got = await Promise.all(paths.map(async (path) => [path, (await fetch(`${url}/${path}`)).status]));
  expect(got).toEqual(paths.map((path) => [path, 200]));
  const token = (await readFile(join(folder, data, 'api-token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (const id of ['cabin', 'office']) {
    const written = await fetch(`${url}/sites`, { method: 'POST', headers, body: JSON.stringify({ id }) });
    expect([written.status, await written.text()]).toEqual([201, expect.stringContaining(id)]);
  }
  const { sites } = (await (await fetch(`${url}/sites`, { headers })).json()) as { sites: { id: string }[] };
  expect(sites.map(({ id }) => id).sort()).toEqual(['cabin', 'home', 'office']);
  // Assistants are answered by a file that is read only then.
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const accepting = { ...headers, accept: 'application/json, text/event-stream' };
  const ping = await fetch(`${url}/mcp`, { method: 'POST', headers: accepting, body });
  expect([ping.status, await ping.text()]).toEqual([200, expect.stringContaining('"result":{}')]);
}

test('npm installs it without a registry, it runs as it is, and goes again without a trace', async (context) => {
  if ('missing' in made) return context.skip(made.missing);
  const home = join(folder, 'home');
  const prefix = join(folder, 'prefix');
  await mkdir(home);
  const quiet = { npm_config_offline: 'true', npm_config_update_notifier: 'false' };
  const offline = { HOME: home, npm_config_cache: join(folder, 'cache'), ...quiet };
  await passes(['npm', 'install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', made.tarball], offline);
  const url = await start([join(prefix, 'bin', 'lanreach-server')], 'npm-data', 60_000);
  await works(url, 'npm-data');
  await passes(['npm', 'uninstall', '--global', '--prefix', prefix, 'lanreach-server'], offline);
  expect(await readdir(join(prefix, 'bin'))).toEqual([]);
  expect(await readdir(join(prefix, 'lib', 'node_modules')).catch(() => [])).not.toContain('lanreach-server');
}, 240_000);

test.each(Object.keys(MACHINES) as Architecture[])(
  'every program in the .deb for %s is for that processor, and needs no newer libraries than the .deb asks for',
  async (architecture) => {
    if ('missing' in made) return;
    const tree = await unpacked(made.debs[architecture], architecture);
    const names = await readdir(tree, { recursive: true, encoding: 'utf8' });
    const native = names.filter((name) => name.endsWith('.node') || name.endsWith('/lanreach-server/node'));
    expect(native.map((name) => name.split('/').at(-1))).toEqual(
      expect.arrayContaining(['node', 'node.napi.glibc.node']),
    );
    const depends = await passes(['dpkg-deb', '--field', made.debs[architecture], 'Depends']);
    const glibc = /libc6 \(>= ([\d.]+)\)/.exec(depends)?.[1] ?? '';
    for (const name of native) {
      const program = await readFile(join(tree, name));
      expect([name, program.toString('latin1', 1, 4), program.readUInt16LE(18)]).toEqual([
        name,
        'ELF',
        MACHINES[architecture],
      ]);
      const versions = program.toString('latin1').match(/(?<=\0GLIBC_)2\.\d+(?=[.\d]*\0)/g) ?? [];
      expect(versions.length).toBeGreaterThan(0);
      expect([name, Math.max(...versions.map(minor))]).toEqual([name, expect.any(Number)]);
      expect(Math.max(...versions.map(minor))).toBeLessThanOrEqual(minor(glibc));
    }
  },
  120_000,
);

function minor(version: string): number {
  return Number(version.split('.')[1]);
}

test('the server of the .deb for arm64 runs on such a processor, with its database and its agent', async (context) => {
  if ('missing' in made) return context.skip(made.missing);
  if (process.arch === 'arm64') return context.skip('the test of the installed .deb runs on this processor');
  const [qemu] = ARM64_PROGRAMS.map((name) => findProgram(name, ENVIRONMENT.PATH ?? ''));
  if (!qemu || !existsSync(ARM64_ROOT)) return context.skip(`it needs ${ARM64_PROGRAMS} and ${ARM64_ROOT}`);
  const tree = await unpacked(made.debs.arm64, 'emulated');
  const home = join(tree, 'usr/lib/lanreach-server');
  // A kernel that knows no other processor starts its children only by way of qemu.
  const node = join(folder, 'node-arm64');
  await writeFile(join(folder, 'by-qemu.cjs'), `process.execPath = ${JSON.stringify(node)};`);
  const run = `exec '${qemu}' -L ${ARM64_ROOT} '${home}/node' --require '${join(folder, 'by-qemu.cjs')}' "$@"`;
  await writeFile(node, `#!/bin/sh\n${run}\n`, { mode: 0o755 });
  expect(await passes([node, '--print', 'process.arch'])).toContain('arm64');
  const url = await start([node, join(home, 'dist', 'local.js')], 'arm64-data', 240_000);
  await works(url, 'arm64-data');
}, 300_000);
