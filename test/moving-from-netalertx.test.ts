/** The commands of docs/moving-from-netalertx.md, as they stand there, against an API that listens. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { devices } from '../shared/api/devices.ts';
import { NETALERTX_EXPORT } from './netalertx-export.ts';
import { startTestApi } from './support/in-process.ts';
import { parsePrometheusText } from './support/prometheus-text.ts';
import { makeTestFolder } from './support/test-folder.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'moving-from-netalertx.md'), 'utf8');
/** Between the outputs of the commands. */
const MARK = '\u0001';
const HOMER = 'http://homer.lan:8080';

const run = promisify(execFile);
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);
if (!hasCurl) console.warn('The commands of docs/moving-from-netalertx.md are not tried: curl is not installed');

test.skipIf(!hasCurl)('every command works as it stands there', async () => {
  await using folder = makeTestFolder();
  const system = await startTestApi({ listens: true, corsOrigins: [HOMER] });
  try {
    await mkdir(join(folder.path, '.lanreach'));
    await writeFile(join(folder.path, '.lanreach', 'api-token'), `${system.token}\n`);
    await writeFile(join(folder.path, 'devices.csv'), NETALERTX_EXPORT);
    const blocks = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    const tried = blocks.filter((block) => !block.includes('npm start')); // That is running already.
    expect([blocks.length, tried.length]).toEqual([11, 10]);
    const script = [
      'set -euo pipefail',
      'curl() { command curl --fail "$@"; }',
      `npx() { [ "$1" = lanreach ] && shift && "${process.execPath}" "${join(ROOT, 'dist', 'cli.js')}" "$@"; }`,
      ...tried.map((block) => `${block.replaceAll('8787', new URL(system.url).port)}\nprintf '\\001'`),
    ].join('\n');
    const { stdout } = await run('bash', ['-c', script], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.path, LANREACH_URL: system.url, LANREACH_TOKEN: system.token },
      timeout: 240_000,
    });
    const [, imports = '', parts, token, totals, preflight, named, inventory, metrics, withDevices] =
      stdout.split(MARK);
    const [dryRun, real] = imports.split(/(?<=\})(?=\{"success")/).map((one) => JSON.parse(one));
    expect([dryRun, real]).toMatchObject([
      { success: true, inserted: 3, updated: 0, change: null },
      { success: true, inserted: 3, updated: 0, skipped: [] },
    ]);
    expect(JSON.parse(parts ?? '')).toMatchObject({ success: true, inserted: 3, updated: 3, skipped: [] });
    expect(token).toMatch(/lr_[0-9a-f]{16}\./);
    const numbers = devices.countDevices.response.parse(JSON.parse(totals ?? ''));
    expect(preflight?.toLowerCase()).toContain(`access-control-allow-origin: ${HOMER}`);
    expect(devices.countDevicesByName.response.parse(JSON.parse(named ?? '')).totals.devices).toBe(numbers[0]);
    const hosts = devices.listDevices.response.parse(JSON.parse(inventory ?? '')).devices;
    expect(hosts.map((host) => 'devFQDN' in host && 'devComments' in host)).toEqual([true, true, true]);
    expect(parsePrometheusText(metrics ?? '').get('netalertx_device_status')).toBeUndefined();
    expect(parsePrometheusText(withDevices ?? '').get('netalertx_device_status')?.samples).toHaveLength(3);
  } finally {
    await system.close();
  }
});
