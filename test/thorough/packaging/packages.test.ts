/** What `npm run package` makes: what is in it, and that it works from where it is put. */

import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePolicy } from '../../../agent/jobs/policy.ts';
import { runToEnd } from '../../../local/child-process.ts';
import { readConfig } from '../../../local/config.ts';
import { findProgram } from '../../../local/programs.ts';
import { SYSTEM_TOOLS } from '../../../local/system-tools.ts';
import { ARCHITECTURE, buildPackages, ROOT } from '../../../packaging/testing/packages.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { makeTestFolder, type TestFolder } from '../../support/test-folder.ts';

const ENVIRONMENT = readConfig().childEnvironment;
const DEBIAN = join(ROOT, 'packaging', 'debian');
const VERSION = /^\d+\.\d+\.\d+$/;
let temporary: TestFolder;
let folder: string;

beforeAll(async () => {
  temporary = makeTestFolder();
  folder = temporary.path;
});
afterAll(() => temporary.remove());

async function passes(argv: readonly [string, ...string[]], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { ...ENVIRONMENT, ...environment };
  const { code, output } = await runToEnd(argv, { env, timeoutMs: 60_000 });
  expect(code, `${argv.join(' ')}\n${output}`).toBe(0);
  return output;
}

/** The same for a program that prints more than is kept. */
async function linesOf(argv: readonly [string, ...string[]]): Promise<string[]> {
  const lines: string[] = [];
  const { code, output } = await runToEnd(argv, {
    env: ENVIRONMENT,
    timeoutMs: 60_000,
    onLine: (line) => lines.push(line),
  });
  expect(code, `${argv.join(' ')}\n${output}`).toBe(0);
  return lines;
}

/** The tarballs for npm: of the agent, and of the command line with the client. */
let tarballs: readonly string[];
beforeAll(async () => {
  const made = await buildPackages(folder, '--only', 'npm');
  tarballs = typeof made === 'string' ? [] : made;
});

describe('the tarball of the agent', () => {
  let tarball: string;
  beforeAll(() => {
    tarball = tarballs[0] ?? '';
  });

  test('holds one program, what has to be read about it, and nothing that runs while it is installed', async () => {
    const unpacked = join(folder, 'unpacked');
    await mkdir(unpacked);
    await passes(['tar', '-xzf', tarball, '-C', unpacked]);
    const files = await readdir(join(unpacked, 'package'));
    expect(files.sort()).toEqual([
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENSES',
      'lanreach-agent.mjs',
      'package.json',
    ]);
    const manifest = JSON.parse(await readFile(join(unpacked, 'package', 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'lanreach-agent', license: 'Apache-2.0', engines: { node: '>=20.19.0' } });
    for (const field of ['scripts', 'dependencies', 'optionalDependencies']) expect(manifest).not.toHaveProperty(field);
    const program = await readFile(join(unpacked, 'package', 'lanreach-agent.mjs'), 'utf8');
    expect(program).not.toContain('sourceMappingURL');
    const licences = await readFile(join(unpacked, 'package', 'THIRD-PARTY-LICENSES'), 'utf8');
    const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    for (const name of ['mqtt', 'pino', 'zod', 'fast-xml-parser', '@peculiar/x509']) {
      expect(licences).toContain(`\n${name} ${dependencies[name]} (`);
    }
    for (const name of ['aedes', '@aws-sdk/client-iot', 'esbuild']) expect(licences).not.toContain(`\n${name} `);
  });

  test('runs by npx, and installed for everybody; it goes again without a trace', async () => {
    const home = join(folder, 'home');
    const prefix = join(folder, 'prefix');
    await mkdir(home);
    const quiet = { npm_config_offline: 'true', npm_config_update_notifier: 'false' };
    const offline = { HOME: home, npm_config_cache: join(folder, 'cache'), ...quiet };
    const npx = ['sh', '-c', 'cd "$1" && npx --yes "./$2" --version', 'sh', folder, basename(tarball)] as const;
    expect((await passes(npx, offline)).trim()).toMatch(VERSION);
    await passes(['npm', 'install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball], offline);
    const path = { ...offline, PATH: `${join(prefix, 'bin')}:${ENVIRONMENT.PATH}` };
    expect((await passes(['lanreach-agent', '--version'], path)).trim()).toMatch(VERSION);
    expect(await passes(['lanreach-agent', 'uninstall'], path)).toContain('Nothing of the agent is left');
    await passes(['npm', 'uninstall', '--global', '--prefix', prefix, 'lanreach-agent'], offline);
    expect(await readdir(join(prefix, 'bin'))).toEqual([]);
    expect(await readdir(join(prefix, 'lib', 'node_modules')).catch(() => [])).not.toContain('lanreach-agent');
  });
});

describe('the tarball of the command line and the client', () => {
  let unpacked: string;
  beforeAll(async () => {
    // As npm puts it, with the one package that its types refer to.
    const modules = join(folder, 'project', 'node_modules');
    unpacked = join(modules, 'lanreach');
    await mkdir(unpacked, { recursive: true });
    await passes(['tar', '-xzf', tarballs[1] ?? '', '-C', unpacked, '--strip-components=1']);
    await symlink(join(ROOT, 'node_modules', 'zod'), join(modules, 'zod'));
    await writeFile(join(folder, 'project', 'package.json'), '{"type": "module"}');
  });

  test('runs', async () => {
    expect((await passes([join(unpacked, 'lanreach.mjs'), '--version'])).trim()).toMatch(VERSION);
    const licences = await readFile(join(unpacked, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of ['commander', 'eventsource-parser', 'zod']) expect(licences).toContain(`\n${name} `);
  });

  test('its client asks and follows the API, and needs nothing of Node.js', async () => {
    expect(await readFile(join(unpacked, 'client.js'), 'utf8')).not.toMatch(/from\s*"|\brequire\(|\bprocess\./);
    const server = createServer((request, response) => {
      const asked = [request.method, request.url, request.headers.authorization].join(' ');
      if (request.headers.accept !== 'text/event-stream') return response.end(JSON.stringify([asked, 0, 0, 0, 0, 0]));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`event: ready\ndata: ${JSON.stringify(asked)}\n\n`);
    });
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
    const program = join(folder, 'project', 'program.js');
    await writeFile(
      program,
      `import { openClient, operations } from 'lanreach/client';
       const { devices, admin } = operations;
       const client = openClient({ url: '${url}', token: 't' });
       for await (const { data } of client.follow(devices.listEvents, '', { site: 'cabin' })) console.log(data);
       await client.ask(admin.listSites).catch(({ name, message }) => console.log(name, message));`,
    );
    const printed = await passes(['node', program]).finally(() => server.close());
    expect(printed.trim()).toBe(
      `GET /events?site=cabin Bearer t\nUnexpectedAnswerError ${url} answered with status 200 and an unexpected ` +
        'body; is this the URL of the API?',
    );
  });

  test('its types know what an operation takes and gives', async () => {
    const program = join(folder, 'project', 'typed.ts');
    const typed = (question: string) => `import { openClient, operations } from 'lanreach/client';
      const client = openClient({ url: 'https://lanreach.example.com', token: 't' });
      const answer = await client.ask(operations.devices.searchDevices, ${question});
      export const names: string[] = answer.devices.map((device) => device.devName);`;
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--ignoreConfig',
      '--target',
      'es2023',
      '--module',
      'nodenext',
    ];
    const tsc = [process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, program] as const;
    await writeFile(program, typed("{ site: 'home', body: { query: 'nas' } }"));
    await passes(tsc);
    await writeFile(program, typed('{ body: { query: 1 } }'));
    const { code, output } = await runToEnd(tsc, { env: ENVIRONMENT, timeoutMs: 60_000 });
    expect(code).not.toBe(0);
    expect(output).toMatch(/'number' is not assignable to type 'string'/);
  });
});

describe('the .deb', () => {
  /** The file, or why there is none. */
  let made: { deb: string } | { missing: string };
  const build = async (name: string) => {
    const only = ['--only', 'deb', '--architecture', ARCHITECTURE, '--compression', 'none'];
    const files = await buildPackages(join(folder, name), ...only);
    return typeof files === 'string' ? { missing: files } : { deb: files[0] ?? '' };
  };
  beforeAll(async () => {
    made = await build('first');
    if ('missing' in made) console.warn(`There is no .deb to look at: ${made.missing}`);
  });

  test('says what it is and what it needs; nothing in it belongs to a user or may be changed by one', async (context) => {
    if ('missing' in made) return context.skip(made.missing);
    const field = async (name: string) => (await passes(['dpkg-deb', '--field', deb, name])).trim();
    const { deb } = made;
    expect(basename(deb)).toBe(`lanreach-agent_${await field('Version')}_${ARCHITECTURE}.deb`);
    expect(await field('Depends')).toMatch(/libc6.*arp-scan, iproute2, iputils-ping, nmap, traceroute/);
    expect(Number(await field('Installed-Size'))).toBeGreaterThan(50_000);
    const tree = join(folder, 'tree');
    await passes(['dpkg-deb', '--raw-extract', deb, tree]);
    const list = await linesOf(['dpkg-deb', '--contents', deb]);
    expect(list.filter((line) => !/^[-d]rw[-x]r-[-x]r-[-x] root\/root /.test(line))).toEqual([]);
    for (const path of (await readFile(join(tree, 'DEBIAN', 'conffiles'), 'utf8')).trim().split('\n')) {
      expect((await stat(join(tree, path))).isFile(), path).toBe(true);
    }
    await passes(['sh', '-c', 'cd "$1" && md5sum --check --quiet DEBIAN/md5sums', 'sh', tree]);
    const copyright = await readFile(join(tree, 'usr', 'share', 'doc', 'lanreach-agent', 'copyright'), 'utf8');
    for (const name of ['mqtt ', 'zod ', 'Node.js is licensed for use as follows']) expect(copyright).toContain(name);
    const { version } = JSON.parse(await readFile(join(ROOT, 'packaging', 'node-runtime.json'), 'utf8'));
    const node = join(tree, 'usr', 'lib', 'lanreach-agent', 'node');
    expect((await passes([node, '--version'])).trim()).toBe(`v${version}`);
  });

  test('is the same, byte for byte, when it is made again', async (context) => {
    if ('missing' in made) return context.skip(made.missing);
    const again = await build('second');
    if ('missing' in again) throw new Error(again.missing);
    expect((await readFile(made.deb)).equals(await readFile(again.deb))).toBe(true);
  });

  test('is not made with another Node.js than the one that was pinned', async (context) => {
    if ('missing' in made) return context.skip(made.missing);
    // The same sources, but for one digit of the checksum.
    const root = join(folder, 'sources');
    await mkdir(join(root, 'packaging'), { recursive: true });
    for (const name of await readdir(ROOT)) {
      if (name !== 'packaging' && name !== 'scripts' && name !== 'dist')
        await symlink(join(ROOT, name), join(root, name));
    }
    await passes(['cp', '-r', join(ROOT, 'scripts'), root]);
    await symlink(DEBIAN, join(root, 'packaging', 'debian'));
    const pinned = await readFile(join(ROOT, 'packaging', 'node-runtime.json'), 'utf8');
    await writeFile(join(root, 'packaging', 'node-runtime.json'), pinned.replaceAll('sha512-', 'sha512-A'));
    const argv = [process.execPath, join(root, 'scripts', 'package.mjs'), '--only', 'deb'] as const;
    const { code, output } = await runToEnd([...argv, '--architecture', ARCHITECTURE, '--out', folder], {
      env: ENVIRONMENT,
      timeoutMs: 60_000,
    });
    expect([code, output]).toEqual([1, expect.stringContaining('is not the pinned file')]);
  });
});

test('an option that makes no sense is refused', async () => {
  await expect(buildPackages(folder, '--compression', 'bzip2')).rejects.toThrow('--compression: expected one of');
});

test('the policy that the package shows as an example is the default one', async () => {
  const read = async (name: string) => parsePolicy(JSON.parse(await readFile(join(DEBIAN, name), 'utf8')));
  expect(await read('policy-example.json')).toEqual(parsePolicy({}));
  expect(await read('policy.json')).toEqual(parsePolicy({}));
});

test('maintainer scripts and the container can be read by a shell, and by the strict one', async () => {
  for (const script of ['postinst', 'prerm', 'postrm', 'lanreach-agent.sh'])
    await passes(['sh', '-n', join(DEBIAN, script)]);
  await passes(['sh', '-n', join(ROOT, 'packaging', 'container-entry.sh')]);
});

test('the manual page is one', async () => {
  const man = findProgram('man', ENVIRONMENT.PATH ?? '');
  const page = await readFile(join(DEBIAN, 'lanreach-agent.8'), 'utf8');
  const { output } = await runToEnd([process.execPath, join(ROOT, 'dist', 'agent.js'), '--help'], {
    env: ENVIRONMENT,
    timeoutMs: 60_000,
  });
  const commands = [...output.matchAll(/^ {2}lanreach-agent (\w+)/gm)].map(([, command]) => command);
  expect(commands).toEqual(expect.arrayContaining(['enrol', 'doctor', 'uninstall']));
  for (const command of commands) expect(page).toContain(`lanreach-agent ${command}`);
  if (man !== null) {
    expect(await passes([man, '--warnings', '--local-file', join(DEBIAN, 'lanreach-agent.8')])).not.toMatch(
      /warning|error/,
    );
  }
});

test('everything that the Containerfile copies is in the sources or made by `npm run package`', async () => {
  const recipe = await readFile(join(ROOT, 'packaging', 'Containerfile'), 'utf8');
  const copied = [...recipe.matchAll(/^COPY (\S+) \S+$/gm)].map(([, path]) => path ?? '');
  expect(copied).toHaveLength(2);
  for (const path of copied) {
    if (path.startsWith('dist/packages/')) {
      const pattern = path.replace(/\*/, '0.1.0').replace(/\$\{TARGETARCH\}/, ARCHITECTURE);
      expect(basename(pattern)).toBe(`lanreach-agent_0.1.0_${ARCHITECTURE}.deb`);
      expect(dirname(pattern)).toBe('dist/packages');
    } else expect((await stat(join(ROOT, path))).mode & 0o111, path).not.toBe(0);
  }
});

test('the server as a service and as a container is started as `npm start` starts it, with the programs it needs', async () => {
  const read = (path: string) => readFile(join(ROOT, path), 'utf8');
  const { scripts } = JSON.parse(await read('package.json'));
  const words = scripts.start.replace('exec node ', '');
  expect(await read('packaging/system/lanreach.service')).toContain(`ExecStart=/usr/bin/node ${words}\n`);
  const recipe = await read('packaging/system/Containerfile');
  const [, command = ''] = /^CMD (\[.*\])$/m.exec(recipe) ?? [];
  expect(JSON.parse(command).join(' ')).toBe(`node ${words}`);
  // Every Debian has util-linux.
  const packages = SYSTEM_TOOLS.packagesFor(SYSTEM_TOOLS.programs).filter((name) => name !== 'util-linux');
  expect(packages).toContain('nmap');
  for (const text of [recipe, await read('packaging/system/lanreach.service')]) {
    for (const name of packages) expect(text).toContain(name);
  }
  // They never come into the container, whatever lies in the folder.
  const left = await read('.dockerignore');
  for (const name of ['node_modules', 'dist', '.lanreach', '.git']) expect(left.split('\n')).toContain(name);
});

const analyze = findProgram('systemd-analyze', ENVIRONMENT.PATH ?? '');
if (analyze === null && process.env.CI !== 'true')
  console.warn('The units are not checked: systemd-analyze is missing');

describe.skipIf(analyze === null && process.env.CI !== 'true')('the units', () => {
  /** Exposure as systemd counts it, from 0 (none) to 10. */
  const MOST_EXPOSURE = 2.0;

  test('say nothing that systemd does not understand', async () => {
    // It looks for the program and for the manual page too, which only an installation brings.
    const units = join(folder, 'units');
    await mkdir(units);
    for (const name of ['lanreach-agent.service', 'lanreach-agent.path']) {
      const text = await readFile(join(DEBIAN, name), 'utf8');
      const alone = text.replace(/^Documentation=.*\n/m, '').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true');
      await writeFile(join(units, name), alone);
    }
    const server = await readFile(join(ROOT, 'packaging', 'system', 'lanreach.service'), 'utf8');
    const anywhere = server.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true').replace(/^(?:User|WorkingDir).*\n/gm, '');
    await writeFile(join(units, 'lanreach.service'), anywhere);
    const names = ['lanreach-agent.service', 'lanreach-agent.path', 'lanreach.service'];
    const verify = ['verify', ...names.map((name) => join(units, name))];
    expect(await passes([analyze ?? 'systemd-analyze', ...verify])).not.toContain('lanreach');
  });

  test('leave the service little that it could do', async () => {
    const unit = join(DEBIAN, 'lanreach-agent.service');
    const limit = `--threshold=${MOST_EXPOSURE * 10}`;
    const output = await passes([
      analyze ?? 'systemd-analyze',
      'security',
      '--offline=true',
      '--no-pager',
      limit,
      unit,
    ]);
    const [, exposure] = /Overall exposure level for .*: ([\d.]+)/.exec(output) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(MOST_EXPOSURE);
  });

  test('let the agent lower the priority of the programs that it runs', async () => {
    const unit = await readFile(join(DEBIAN, 'lanreach-agent.service'), 'utf8');
    const callsOf = async (name: string): Promise<string[]> => {
      if (!name.startsWith('@')) return [name];
      const listed = await linesOf([analyze ?? 'systemd-analyze', 'syscall-filter', '--no-pager', name]);
      const members = listed.flatMap((line) => /^ +([@\w-]+)$/.exec(line)?.[1] ?? []);
      return (await Promise.all(members.map(callsOf))).flat();
    };
    // Later lines add to what earlier ones have allowed, or take from it.
    const allowed = new Set<string>();
    for (const [, takes, names = ''] of unit.matchAll(/^SystemCallFilter=(~?)(.+)$/gm)) {
      const calls = (await Promise.all(names.split(' ').map(callsOf))).flat();
      for (const call of calls) {
        if (takes === '') allowed.add(call);
        else allowed.delete(call);
      }
    }
    expect([...allowed]).toContain('read');
    expect([...allowed]).not.toContain('setrlimit');
    expect([...allowed]).toContain('setpriority');
  });

  test('give the agent longer to stop than it gives its commands', async () => {
    const unit = await readFile(join(DEBIAN, 'lanreach-agent.service'), 'utf8');
    const source = await readFile(join(ROOT, 'agent', 'main.ts'), 'utf8');
    const graceMs = Number(/STOP_GRACE_MS = ([\d_]+);/.exec(source)?.[1]?.replaceAll('_', ''));
    const stopS = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    expect(stopS * 1000).toBeGreaterThanOrEqual(graceMs + 10_000);
  });
});
