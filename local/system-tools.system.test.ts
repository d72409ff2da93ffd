import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { folderOfEachTest } from '../test/support/folder-of-tests.ts';
import { childEnvironment } from './config.ts';
import { findProgram } from './programs.ts';
import { provideTools, SYSTEM_TOOLS, type Tools } from './system-tools.ts';

const folder = folderOfEachTest();
let said: string[];
const say = (line: string) => said.push(line);

beforeEach(() => {
  said = [];
});

/** Programs that stand before the system's own on the PATH. */
function place(name: string, script: string): void {
  writeFileSync(join(folder.path, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder.path, name), 0o755);
}
const env = () => ({ ...childEnvironment(), PATH: `${folder.path}:/usr/bin:/bin` });

const TOOLS: Tools = {
  programs: ['sh', 'lanreach-test-scanner'],
  packagesFor: (missing) => missing.map((name) => `${name}-package`),
};
const ADVICE =
  'missing: lanreach-test-scanner. On Debian or Ubuntu: sudo apt-get install lanreach-test-scanner-package';

test('programs are found on the PATH and in the directories of the system', () => {
  expect(findProgram('sh', '')).toMatch(/\/bin\/sh$/);
  expect(findProgram('lanreach-test-scanner', folder.path)).toBe(null);
  place('lanreach-test-scanner', 'exit 0');
  expect(findProgram('lanreach-test-scanner', `/nowhere::${folder.path}`)).toBe(
    join(folder.path, 'lanreach-test-scanner'),
  );
  writeFileSync(join(folder.path, 'notes'), 'not a program');
  expect(findProgram('notes', folder.path)).toBe(null);
  expect(findProgram('.', folder.path)).toBe(null);
});

test('nothing is done and nothing is said when nothing is missing', async () => {
  place('lanreach-test-scanner', 'exit 0');
  expect(await provideTools({ tools: TOOLS, env: env(), install: true, say })).toEqual([]);
  expect(said).toEqual([]);
});

test('without the right to install, the missing programs and their packages are named', async () => {
  place('apt-get', `touch ${folder.path}/apt-was-called`);
  expect(await provideTools({ tools: TOOLS, env: env(), install: false, say })).toEqual(['lanreach-test-scanner']);
  expect(said).toEqual([ADVICE]);
  expect(findProgram('apt-was-called', folder.path)).toBe(null);
});

/** An apt-get that writes down how it was called. Install works after `update` has been called `updatesNeeded` times. */
function placeAptGet(updatesNeeded: number): void {
  place(
    'apt-get',
    `echo "$DEBIAN_FRONTEND $@" >> ${folder.path}/calls
     case "$*" in *update*) echo x >> ${folder.path}/updates; echo "Get:1 lists"; exit 0;; esac
     [ "$(cat ${folder.path}/updates 2>/dev/null | wc -l)" -ge ${updatesNeeded} ] || { echo "E: Unable to locate package" >&2; exit 100; }
     echo "Reading package lists..."
     echo "Setting up scanner (1.0) ..."
     printf '#!/bin/sh\\n' > ${folder.path}/lanreach-test-scanner
     chmod 755 ${folder.path}/lanreach-test-scanner`,
  );
  place('sudo', 'shift; exec "$@"'); // For who runs these tests without being root.
}
const calls = () => readFileSync(join(folder.path, 'calls'), 'utf8').trimEnd().split('\n');
const INSTALL =
  'noninteractive -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends --no-upgrade lanreach-test-scanner-package';

test('what is missing is installed, and the progress is shown', async () => {
  placeAptGet(0);
  expect(await provideTools({ tools: TOOLS, env: env(), install: true, say })).toEqual([]);
  expect(calls()).toEqual([INSTALL]);
  expect(said).toEqual([
    'installing lanreach-test-scanner-package (at most 5 minutes)',
    'Setting up scanner (1.0) ...',
  ]);
});

test('package lists are fetched when the first attempt fails', async () => {
  placeAptGet(1);
  expect(await provideTools({ tools: TOOLS, env: env(), install: true, say })).toEqual([]);
  expect(calls()).toEqual([INSTALL, 'noninteractive -o DPkg::Lock::Timeout=120 update', INSTALL]);
});

test('an installation that fails says why, and what to do', async () => {
  placeAptGet(99);
  expect(await provideTools({ tools: TOOLS, env: env(), install: true, say })).toEqual(['lanreach-test-scanner']);
  expect(said.slice(-2)).toEqual(['the installation failed: E: Unable to locate package', ADVICE]);
});

test('the tools of LanReach are known by their Debian packages', () => {
  expect(SYSTEM_TOOLS.packagesFor(['ip', 'nmap'])).toEqual(['iproute2', 'nmap']);
});
