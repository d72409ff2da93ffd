/** The commands of docs/moving-from-netalertx.md, as they stand there, against an API that listens. */
import { expect, test } from 'vitest';
import { devices } from '../shared/api/devices.ts';
import { NETALERTX_EXPORT } from './netalertx-export.ts';
import { missingPrograms, runGuide } from './support/guide.ts';
import { startTestApi } from './support/in-process.ts';
import { parsePrometheusText } from './support/prometheus-text.ts';

/** Between the outputs of the commands. */
const MARK = '\u0001';
const HOMER = 'http://homer.lan:8080';

test('every command works as it stands there', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  await using system = await startTestApi({ listens: true, corsOrigins: [HOMER] });
  const { port } = new URL(system.url);
  // `npm start` is running already.
  const edit = (block: string) =>
    block.includes('npm start') ? [] : [`${block.replaceAll('8787', port)}\nprintf '\\001'`];
  const files = { 'devices.csv': NETALERTX_EXPORT };
  const said = (await runGuide(system, 'moving-from-netalertx.md', '', edit, files)).split(MARK);
  expect(said).toHaveLength(11); // Of ten blocks, and what follows the last mark.
  const [, imports = '', parts, token, totals, preflight, named, inventory, metrics, withDevices] = said;
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
});
