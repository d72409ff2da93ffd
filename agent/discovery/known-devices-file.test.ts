import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { type KnownState, readKnownState, writeKnownState } from './known-devices-file.ts';
import { newDevice } from './new-device.ts';

const NOW = Date.UTC(2026, 10, 26);
const folder = makeTestFolder();
afterAll(() => folder.remove());

const NETWORK = { cidr: '10.0.0.0/24', gateways: [], looks: 1, seenAt: NOW };
const state = (devices: number): KnownState => ({
  epoch: NOW,
  lastChange: 7,
  confirmed: 3,
  digestedAt: null,
  devices: Array.from({ length: devices }, (_, i) =>
    newDevice(
      // Line ends within a text are no ends of lines.
      { mac: `00:1E:06:00:00:0${i}`, ip: null, addresses: [], network: '10.0.0.0/24\n]}', baseline: false },
      NOW,
    ),
  ),
  waiting: [['00:1E:06:00:00:00', 'detail']],
  networks: [NETWORK],
});

async function readBack(path: string): Promise<{ found: KnownState | null; errors: number }> {
  let errors = 0;
  const found = await readKnownState(path, NOW, { error: () => errors++ } as never);
  return { found, errors };
}

test.each([0, 1, 3])('what is written of %i devices is read', async (count) => {
  const path = join(folder.path, `known-${count}.json`);
  await writeKnownState(path, state(count));
  expect(await readBack(path)).toEqual({ found: state(count), errors: 0 });
});

test('what changes while it is written is not in it', async () => {
  const path = join(folder.path, 'changing.json');
  const devices = state(3);
  const writing = writeKnownState(path, devices);
  for (const device of devices.devices) device.n = 9;
  await writing;
  expect((await readBack(path)).found?.devices.map(({ n }) => n)).toEqual([0, 0, 0]);
});

test('a file that is truncated, or cannot be read, is ignored, and logged', async () => {
  const path = join(folder.path, 'short.json');
  await writeKnownState(path, state(3));
  const text = await readFile(path, 'utf8');
  const cut = [text.length - 2, text.length - 4, text.indexOf('\n') + 1, 20, 0].map((length) => text.slice(0, length));
  for (const broken of [...cut, '{', '[]', '{"version":1,"epoch":1}']) {
    await writeFile(path, broken);
    expect(await readBack(path)).toEqual({ found: null, errors: 1 });
  }
  expect(await readBack(join(folder.path, 'absent.json'))).toEqual({ found: null, errors: 0 });
});
