/** The installed service replaces itself, with the rights that it has, and comes back from a release that hangs. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Presence } from '../../../shared/agent/messages.ts';
import { codeOfVersion, makeRelease } from '../../support/agent/made-up-release.ts';
import { bundleProgram } from '../../support/bundle-program.ts';
import { ARCHITECTURE, buildPackages, ROOT } from '../../support/packages.ts';
import { makeTestFolder, type TestFolder } from '../../support/test-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectHardened, left, passes, unitOn } from './on-host.ts';
import { FOLDER, startTestHost, type TestHost, testHostSupport } from './test-host.ts';

const PORT = '8788';
const SERVICE = `http://127.0.0.1:${PORT}`;
const STATE = '/var/lib/lanreach-agent';
const { version: PACKAGED } = packageJson;
const [NEWER, HANGING] = ['900.1.0', '900.2.0'];

const unsupported = testHostSupport('systemd');
if (unsupported !== null) console.warn(`No update is made on a test host: ${unsupported}`);

let temporary: TestFolder;
let made: string[] | string = [];
beforeAll(async () => {
  if (unsupported !== null) return;
  temporary = makeTestFolder();
  const only = ['--only', 'deb', '--architecture', ARCHITECTURE, '--compression', 'none'];
  made = await buildPackages(temporary.path, ...only);
  if (typeof made === 'string') return;
  await bundleProgram(join(import.meta.dirname, 'stand-in-service.ts'), temporary.path);
  const packed = await readFile(join(temporary.path, `lanreach-agent-${PACKAGED}.mjs.gz`));
  const signingKey = await readFile(join(ROOT, 'dist', 'test-release-key.pem'), 'utf8');
  const code = codeOfVersion(
    { launcher: '', version: PACKAGED, code: gunzipSync(packed).toString(), signingKey },
    NEWER,
  );
  await writeReleases(signingKey, { [NEWER]: code, [HANGING]: 'while (true);' });
});
afterAll(() => temporary?.remove());

async function writeReleases(signingKey: string, codes: Record<string, string>): Promise<void> {
  for (const [version, code] of Object.entries(codes)) {
    const folder = join(temporary.path, 'releases', version);
    await mkdir(join(folder, 'packages'), { recursive: true });
    for (const [path, content] of makeRelease(signingKey, code, version)) await writeFile(join(folder, path), content);
  }
}

async function ask(host: TestHost, path: string): Promise<unknown> {
  const program = 'fetch(process.argv[1]).then(async (answer) => console.log(await answer.text()))';
  return JSON.parse(await passes(host, process.execPath, '-e', program, SERVICE + path));
}

/** Waits until the agent says this of itself. */
async function becomes(host: TestHost, wanted: string): Promise<Presence> {
  let said = '';
  const look = async () => {
    const last = ((await ask(host, '/said')) as Presence[]).findLast(({ state }) => state === 'online');
    said = `${last?.version} ${last?.update?.last?.version ?? '-'} ${last?.update?.last?.state ?? '-'}`;
    return said === wanted && last !== undefined && last;
  };
  return waitFor(() => `"${wanted}", but it is "${said}"`, look, 120_000);
}

test.skipIf(unsupported !== null)('an update by systemd, and one that hangs', { timeout: 360_000 }, async (context) => {
  if (typeof made === 'string') return context.skip(made);
  await using host = await startTestHost('systemd', temporary.path);
  const before = await host.changes();
  const show = unitOn(host, 'lanreach-agent.service');
  const trialOf = (seconds: number) => {
    const settings = `LANREACH_TRIAL_SECONDS=${seconds}\nLANREACH_SETTLE_SECONDS=1\n`;
    return passes(host, 'sh', '-c', `printf '${settings}' > /etc/default/lanreach-agent`);
  };

  await passes(host, 'dpkg', '--install', join(FOLDER, basename(made[0] ?? '')));
  await trialOf(100);
  const service = host.start(process.execPath, join(FOLDER, 'stand-in-service.mjs'), join(FOLDER, 'releases'), PORT);
  await new Promise((resolve) => service.stdout?.once('data', resolve));
  await passes(host, 'lanreach-agent', 'enrol', 'lre_code', '--url', SERVICE);
  expect(await becomes(host, `${PACKAGED} - -`)).toMatchObject({ update: { able: true } });
  const first = await show('MainPID');

  await ask(host, `/plan/${NEWER}`);
  await becomes(host, `${NEWER} ${NEWER} done`);
  expect([await show('Result'), await show('ActiveState')]).toEqual(['success', 'active']);
  expect(await show('MainPID')).not.toBe(first);
  expectHardened(await passes(host, 'cat', `/proc/${await show('MainPID')}/status`));
  expect((await passes(host, 'ls', `${STATE}/update`)).split('\n')).toContain(`agent-${NEWER}.mjs`);
  // Root runs nothing of what the service's user may write.
  expect(await passes(host, 'lanreach-agent', '--version')).toBe(`${PACKAGED}\n`);
  expect(await host.run('lanreach-agent', 'run')).toMatchObject({ code: 2, stderr: expect.stringContaining('root') });
  const report = JSON.parse(await passes(host, 'lanreach-agent', 'doctor', '--json'));
  expect(report.findings).toContainEqual(
    expect.objectContaining({ check: 'updates', state: 'ok', message: expect.stringContaining(NEWER) }),
  );

  // It neither connects nor hears that it is to end.
  await trialOf(3);
  await ask(host, `/plan/${HANGING}`);
  const { update } = await becomes(host, `${NEWER} ${HANGING} failed`);
  expect(update?.last?.reason).toBe('it was not found healthy within 3 s');
  expect(await show('ActiveState')).toBe('active');

  await passes(host, 'dpkg', '--purge', 'lanreach-agent');
  expect(await left(host, before)).toEqual([]);
});
