/** The one line for a host: from nothing to devices, refused when not as signed, an upgrade when run again. */
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ARCHITECTURE, buildPackages, buildPackagesOf, ROOT } from '../../support/packages.ts';
import { makeTestFolder, type TestFolder } from '../../support/test-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { becomes, left, openAsk, passes, startSystem, TOKEN, unitOn } from './on-host.ts';
import { FOLDER, PROJECT, startTestHost, type TestHost, testHostSupport } from './test-host.ts';

const SERVER = '192.168.77.1';
const URL = `http://${SERVER}:8787`;
/** Hands out files that were changed on the way. */
const OTHER_URL = `http://${SERVER}:9000`;
const NEXT_VERSION = '99.0.0';
const WITHIN_S = 60;
/** Where Node.js is kept for the service while the host has none. */
const NODE = '/tmp/node';

const unsupported = testHostSupport('systemd');
if (unsupported !== null) console.warn(`The one line is not run on a test host: ${unsupported}`);

let temporary: TestFolder;
let folder: string;
/** Why the packages cannot be built; null when they were. */
let missing: string | null = null;

beforeAll(async () => {
  if (unsupported !== null) return;
  temporary = makeTestFolder();
  folder = temporary.path;
  const deb = ['--of', 'agent', '--only', 'deb', '--architecture', ARCHITECTURE, '--compression', 'zstd'];
  const made = await buildPackages(join(folder, 'first'), ...deb);
  if (typeof made === 'string') missing = made;
  await buildPackages(join(folder, 'tarball'), '--of', 'agent', '--only', 'npm');
  // The same sources, but for the version.
  const sources = join(folder, 'sources');
  await mkdir(sources);
  for (const name of ['agent', 'scripts', 'shared', 'LICENSE', 'package.json', 'tsconfig.json']) {
    await cp(join(ROOT, name), join(sources, name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
  const manifest = JSON.parse(await readFile(join(sources, 'package.json'), 'utf8'));
  await writeFile(join(sources, 'package.json'), JSON.stringify({ ...manifest, version: NEXT_VERSION }));
  if (missing === null) await buildPackagesOf(sources, join(folder, 'second'), ...deb);
}, 240_000);
afterAll(async () => {
  if (unsupported === null) await temporary.remove();
});

/** A host on whose LAN is nobody but the service, which hands out the release in `/tmp/release`. */
async function startHost(release: string): Promise<{ host: TestHost; ask: ReturnType<typeof openAsk> }> {
  const host = await startTestHost('systemd', folder);
  const lines = [
    `cp ${process.execPath} ${NODE}`,
    // It would be started by apt, and take its time.
    'rm -f /etc/apt/apt.conf.d/20packagekit',
    `ln -s ${FOLDER}/${release} /tmp/release`,
    'ip netns add cloud && ip link set lan1 netns cloud && ip -n cloud link set lo up && ip -n cloud link set lan1 up',
    `ip -n cloud addr add ${SERVER}/24 dev lan1`,
  ];
  await passes(host, 'sh', '-ec', lines.join('\n'));
  await startSystem(host, {
    node: ['ip', 'netns', 'exec', 'cloud', NODE],
    environment: ['HOST=0.0.0.0', 'LANREACH_RELEASES=/tmp/release'],
  });
  const ask = openAsk(host, URL, NODE);
  expect(await ask('POST', '/sites', { id: 'cabin' })).toMatchObject({ status: 201 });
  expect(await ask('PATCH', '/sites/cabin', { discovery: { enabled: true } })).toMatchObject({ status: 200 });
  return { host, ask };
}

/** What `lanreach agent enrol` prints. */
async function lineFrom(host: TestHost, ...options: string[]): Promise<string> {
  const variables = [`LANREACH_URL=${URL}`, `LANREACH_TOKEN=${TOKEN}`];
  const command = [NODE, '--no-warnings', join(PROJECT, 'dist', 'cli.js'), 'agent', 'enrol', '--site', 'cabin'];
  return (await passes(host, 'env', ...variables, ...command, ...options)).trim();
}

/** Starts a server of files below /tmp/other, in the network of the service. */
async function startOtherServer(host: TestHost): Promise<void> {
  const program = `
    require('node:http').createServer((request, answer) => {
      const path = '/tmp/other/' + request.url.replace(/^\\/agent\\//, '').replace('packages/', '');
      require('node:fs').readFile(path, (error, bytes) => answer.writeHead(error ? 404 : 200).end(bytes));
    }).listen(9000);`;
  host.start('ip', 'netns', 'exec', 'cloud', NODE, '-e', program);
  await passes(host, 'mkdir', '/tmp/other');
  await passes(host, 'sh', '-c', `for i in 1 2 3 4 5 6 7 8 9; do curl -s ${OTHER_URL}/ && exit; sleep 1; done; exit 1`);
}

const agentOf = async (ask: ReturnType<typeof openAsk>) => {
  const { json } = await ask('GET', '/sites/cabin/agents');
  return (json.agents as { state: string; version: string | null }[])[0];
};

describe.skipIf(unsupported !== null)('the one line', { timeout: 600_000 }, () => {
  test('from nothing to a list of devices; refused when it is not what was signed; again: an upgrade; purged: nothing', async (context) => {
    if (missing !== null) return context.skip(missing);
    const { host, ask } = await startHost('first');
    await using _ = host;
    await passes(host, 'rm', '-f', '/usr/bin/node'); // As on a bare Debian.
    const before = await host.changes();
    await startOtherServer(host);

    const script = `curl -fsSL ${URL}/agent/install.sh | sh -s -- --url`;
    /** Runs the script of the service with another server's files. */
    const refused = async (change: string) => {
      const copy = `rm -rf /tmp/other && cp -r ${FOLDER}/first /tmp/other && cd /tmp/other && ${change}`;
      await passes(host, 'sh', '-ec', copy);
      const { code, stderr } = await host.run('sh', '-c', `${script} ${OTHER_URL} --code lre_x`);
      expect(await left(host, before)).toEqual([]);
      expect([code, await passes(host, 'sh', '-c', 'ls -d /tmp/lanreach-* || true')]).toEqual([1, '']);
      return stderr.trim();
    };
    const deb = `lanreach-agent_*_${ARCHITECTURE}.deb`;
    const swapped = `f=$(echo ${deb}); echo x >> $f; s=$(sha256sum $f | cut -c 1-64); sed -i "s/[0-9a-f]\\{64\\}/$s/" release.json`;
    const wrongSignature = 'lanreach-agent: the signature of the release is wrong, so nothing was installed';
    expect(await refused(swapped)).toBe(wrongSignature);
    const otherKey =
      'openssl ecparam -name prime256v1 -genkey -noout -out key && openssl dgst -sha256 -sign key release.json | base64 -w 0 > release.json.sig';
    expect(await refused(otherKey)).toBe(wrongSignature);
    expect(await refused(': > release.json.sig')).toBe(wrongSignature);
    expect(await refused(`printf x | dd of=$(echo ${deb}) bs=1 seek=5000 conv=notrunc status=none`)).toMatch(
      /^lanreach-agent: \S+\.deb is not the package that was signed, so nothing was installed$/,
    );
    expect(await refused(`rm ${deb}`)).toMatch(/^lanreach-agent: cannot fetch \S+\.deb: .*404/);

    // A code that nobody has made: it brings no package.
    const wrongCode = await host.run('sh', '-c', `${script} ${URL} --code lre_none`);
    expect([wrongCode.code, wrongCode.stderr]).toEqual([
      1,
      expect.stringMatching(/cannot fetch .*403; if the code is used or expired, ask for a new line\n$/),
    ]);
    expect(await left(host, before)).toEqual([]);

    const startedAt = performance.now();
    const line = await lineFrom(host);
    expect(line).toMatch(
      new RegExp(`^curl -fsSL ${URL}/agent/install.sh \\| sh -s -- --url ${URL} --code lre_[\\w-]+$`),
    );
    const installed = await passes(host, 'sh', '-c', line);
    expect(installed).toMatch(/^lanreach-agent \d+\.\d+\.\d+ runs here\.$/m);
    const sees = async () => {
      const { json } = await ask('GET', '/devices');
      return (json.devices as { devIP?: string }[]).some(({ devIP }) => devIP === SERVER);
    };
    await waitFor('the first device', sees);
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(`from nothing to a list of devices: ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(WITHIN_S);
    const { version: first } = (await agentOf(ask)) ?? {};
    expect(installed).toContain(`${first}`);

    // The service finds the newer release by itself; the host has wget now, and no curl.
    await passes(host, 'ln', '-sfn', `${FOLDER}/second`, '/tmp/release');
    const show = unitOn(host, 'lanreach-agent');
    const firstPid = await show('MainPID');
    const isNewer = async () => (await passes(host, 'curl', '-s', `${URL}/agent/release.json`)).includes(NEXT_VERSION);
    await waitFor('the newer release', isNewer);
    await passes(host, 'mv', '/usr/bin/curl', '/usr/bin/no-curl');
    await passes(host, 'sh', '-c', `wget -qO- ${URL}/agent/install.sh | sh -s -- --url ${URL}`);
    await passes(host, 'mv', '/usr/bin/no-curl', '/usr/bin/curl');
    expect(await show('MainPID')).not.toBe(firstPid);
    await becomes(`online ${NEXT_VERSION}`, async () => {
      const agent = await agentOf(ask);
      return `${agent?.state} ${agent?.version}`;
    });
    // The first line again: its code is used, and its agent stays as it is.
    const again = await host.run('sh', '-c', line);
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/403; if the code is used/)]);
    await becomes('online', async () => (await agentOf(ask))?.state ?? '');
    // An older release is refused.
    await passes(host, 'ln', '-sfn', `${FOLDER}/first`, '/tmp/release');
    await waitFor('the older release', async () => !(await isNewer()));
    const older = await host.run('sh', '-c', `${script} ${URL}`);
    expect([older.code, older.stderr]).toEqual([
      1,
      expect.stringContaining(`version ${NEXT_VERSION} is installed, which is newer`),
    ]);

    await passes(host, 'apt-get', 'purge', '--yes', 'lanreach-agent');
    expect(await passes(host, 'systemctl', 'list-units', '--all', '--no-legend', 'lanreach*')).toBe('');
    expect(await left(host, before)).toEqual([]);
  });

  test('where there is no Debian package: the tarball with a service, on the Node.js of the host; uninstalled, nothing is left', async () => {
    const { host, ask } = await startHost('tarball');
    await using _ = host;
    const before = await host.changes();
    await passes(host, 'mv', '/usr/bin/node', '/usr/bin/no-node');
    const line = await lineFrom(host);
    const without = await host.run('sh', '-c', line);
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('install Node.js 20.19.0 or newer')]);
    await passes(host, 'mv', '/usr/bin/no-node', '/usr/bin/node');
    expect(await left(host, before)).toEqual([]);

    expect(await passes(host, 'sh', '-c', line)).toMatch(/runs here\.$/m);
    await becomes('online', async () => (await agentOf(ask))?.state ?? '');
    const show = unitOn(host, 'lanreach-agent');
    const first = await show('MainPID');
    const status = await passes(host, 'cat', `/proc/${first}/status`);
    expect(status).toMatch(/^CapBnd:\s*0*2000$/m);
    expect(status).not.toMatch(/^Uid:\s*0\b/m);
    // Run again, with a new code for the same agent.
    expect(await passes(host, 'sh', '-c', await lineFrom(host, '--replace'))).toMatch(/runs here\.$/m);
    await becomes('online', async () => (await agentOf(ask))?.state ?? '');
    expect(await show('MainPID')).not.toBe(first);
    expect(await passes(host, 'lanreach-agent', 'uninstall')).toContain('Nothing of the agent is left');
    expect(await passes(host, 'systemctl', 'list-units', '--all', '--no-legend', 'lanreach*')).toBe('');
    expect(await left(host, before)).toEqual([]);
  });
});
