/** `npm run release`: made twice, signed in a step of its own, and accepted by an agent only then. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRelease, unpackProgram } from '../../../agent/update/verify-release.ts';
import { runToEnd } from '../../../local/child-process.ts';
import { readConfig } from '../../../local/config.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { registrySettings } from '../../registry-settings.ts';
import { ROOT } from '../../support/packages.ts';
import { makeTestFolder } from '../../support/test-folder.ts';

const { version } = packageJson;
const WITHIN_MS = 900_000;
const temporary = makeTestFolder();
const folder = temporary.path;
const out = (name: string) => join(folder, name);
/** Why there is none: without the npm registry. */
let missing: string | null = null;

/** In a home without a key: none may be made there. */
const env = { ...readConfig().childEnvironment, ...registrySettings(), XDG_CONFIG_HOME: join(folder, 'config') };
const run = (argv: readonly [string, ...string[]], cwd = folder) => runToEnd(argv, { env, cwd, timeoutMs: WITHIN_MS });
const release = (...args: string[]) =>
  run([process.execPath, join(ROOT, 'scripts', 'release.mjs'), '--compression', 'none', ...args]);

async function makeKey(name: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  await writeFile(out(`${name}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  await writeFile(out(`${name}-public.pem`), publicKey.export({ type: 'spki', format: 'pem' }));
}

beforeAll(async () => {
  await Promise.all(['key', 'other'].map(makeKey));
  for (const name of ['first', 'second']) {
    const { code, output } = await release('--public-key', out('key-public.pem'), '--out', out(name));
    if (code === 0) continue;
    if (!/Cannot fetch|dpkg-deb is missing/.test(output)) throw new Error(output);
    missing = output;
    return;
  }
}, 2 * WITHIN_MS);
afterAll(() => temporary.remove());

const sums = (name: string) => readFile(join(out(name), 'SHA256SUMS'), 'utf8');

test('it has everything, with checksums, and two runs give the same bytes', async (context) => {
  if (missing !== null) return context.skip(missing);
  const debs = ['agent_V_amd64', 'agent_V_arm64', 'agent_V_armhf', 'server_V_amd64', 'server_V_arm64'];
  const wanted = [
    ...debs.map((deb) => `lanreach-${deb.replace('V', version)}.deb`),
    ...['lanreach-', 'lanreach-agent-', 'lanreach-server-'].map((name) => `${name}${version}.tgz`),
    ...[`lanreach-agent-${version}.mjs.gz`, `lanreach-${version}.sbom.json`],
    ...['NOTES.md', 'release.json', 'release-key.pem', 'SHA256SUMS'],
  ];
  expect((await readdir(out('first'))).sort()).toEqual(wanted.sort());
  const { code, output } = await run(['sha256sum', '--check', '--strict', 'SHA256SUMS'], out('first'));
  expect([code, output.match(/: OK$/gm)?.length]).toEqual([0, wanted.length - 1]);
  expect(await sums('second')).toBe(await sums('first'));
  const bom = JSON.parse(await readFile(join(out('first'), `lanreach-${version}.sbom.json`), 'utf8'));
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'lanreach', version } } });
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: true; link?: true }>;
  };
  const named = (isDev: boolean) =>
    Object.entries(packages)
      .filter(([path, { dev = false, link = false }]) => path.includes('node_modules/') && !link && dev === isDev)
      .map(([path, one]) => `${path.replace(/^.*node_modules\//, '')}@${one.version}`);
  const refs = bom.components.map((one: { 'bom-ref': string }) => one['bom-ref'].split('|')[0]);
  expect(refs).toEqual(expect.arrayContaining(named(false)));
  const ofDevelopment = named(true).filter((one) => !named(false).includes(one));
  expect(ofDevelopment.filter((one) => refs.includes(one))).toEqual([]);
  expect(await readFile(join(out('first'), 'NOTES.md'), 'utf8')).toMatch(/^# LanReach /);
});

test('the key that signs must be there, and the one for which it was built', async (context) => {
  if (missing !== null) return context.skip(missing);
  const none = await release('--sign', '--out', out('first'));
  expect([none.code, none.output]).toEqual([1, expect.stringContaining('Cannot read the key that signs releases')]);
  expect(await readdir(folder)).not.toContain('config');
  const other = await release('--sign', '--key', out('other.pem'), '--out', out('first'));
  expect([other.code, other.output]).toEqual([1, expect.stringContaining('contain another public key')]);
  const before = await sums('first');
  await writeFile(
    join(out('first'), 'SHA256SUMS'),
    before.replace(/^[0-9a-f]/, (digit) => (digit === '0' ? '1' : '0')),
  );
  const changed = await release('--sign', '--key', out('key.pem'), '--out', out('first'));
  expect([changed.code, changed.output]).toEqual([1, expect.stringContaining('is not as it was built')]);
  await writeFile(join(out('first'), 'SHA256SUMS'), before);
  expect(await readdir(out('first'))).not.toContain('release.json.sig');
});

test(
  'signed, an agent of an earlier version takes it, and the server hands out a signed agent',
  async (context) => {
    if (missing !== null) return context.skip(missing);
    const { code, output } = await release('--sign', '--key', out('key.pem'), '--out', out('first'));
    expect([code, output]).toEqual([0, expect.stringContaining(out('first'))]);
    const read = (name: string) => readFile(join(out('first'), name), 'utf8');
    const key = await read('release-key.pem');
    const text = await readFile(join(out('first'), 'release.json'));
    const expected = { version, running: '0.0.1', node: process.versions.node };
    const { program } = readRelease({ text, signature: await read('release.json.sig') }, key, expected);
    expect(String(await unpackProgram(await readFile(join(out('first'), program.name)), program))).toContain(version);
    expect(await read('install.sh')).toContain(key.trim());
    const listed = await run(['tar', '-tzf', join(out('first'), `lanreach-server-${version}.tgz`)]);
    expect(listed.output.split('\n')).toContain('package/dist/packages/release.json.sig');
    // All but the signature and what contains it is as it was built.
    const unchanged = (await sums('second')).split('\n').filter((line) => line !== '' && !line.includes('server'));
    expect((await sums('first')).split('\n')).toEqual(expect.arrayContaining(unchanged));
  },
  WITHIN_MS,
);

test.each([
  [['--tag', 'v9.9.9'], `--tag: expected v${version}`],
  [['--compression', 'zip'], '--compression: expected one of xz, zstd, none'],
  [['--public-key', '/nonexistent'], 'Cannot read the public key'],
])('%j is refused: %s', async (args, message) => {
  const { code, output } = await release(...args, '--out', out('refused'));
  expect([code, output]).toEqual([1, expect.stringContaining(message)]);
});

test('a folder with something else is refused, and left as it is', async () => {
  await mkdir(out('other'));
  await writeFile(join(out('other'), 'thesis.txt'), 'the only copy');
  const { code, output } = await release('--out', out('other'));
  expect([code, output]).toEqual([1, expect.stringContaining('contains something else than a release')]);
  expect(await readdir(out('other'))).toEqual(['thesis.txt']);
});
