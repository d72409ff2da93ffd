import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { dnsmasq } from './kinds/dnsmasq.ts';
import { readSources } from './settings.ts';
import { MAX_ROWS, SourceFailure, type SourceKind, type SourceObservation } from './source.ts';
import { sourceCommand } from './source-command.ts';

const NOW = Date.now();

/** A product whose rows a test chooses. */
function madeUp(rows: () => AsyncIterable<SourceObservation>): SourceKind {
  return {
    kind: 'made-up',
    title: 'Made-up router',
    settings: z.object({
      ...{ url: z.url(), listId: z.string().optional() },
      ...{ password: z.string().min(4), code: z.string().optional() },
    }),
    secrets: ['password', 'code'],
    rights: 'The role "reader".',
    async *read({ password }) {
      if (password !== 'hunter2') throw new SourceFailure('it rejects the password', { waitMs: 1 });
      yield* rows();
    },
  };
}

async function* hosts(): AsyncGenerator<SourceObservation> {
  const addresses = ['10.9.0.1', '224.0.0.1', 'nonsense'];
  yield { mac: '02-AA-BB-00-00-01', addresses, givenName: 'Hall', lastSeen: NOW + 9e9 };
  const link = { medium: 'wireless', ssid: 'Home' } as const;
  yield { mac: '02aabb000001', addresses: ['fe80::1%eth0'], hostName: '10.9.0.1', link };
  yield { mac: '02:aa:bb:00:00:02', addresses: ['10.9.0.2'], hostName: '02:AA:BB:00:00:02', lastSeen: NOW - 9e6 };
  yield { mac: '02:aa:bb:00:00:03', addresses: [], hostName: 'nas.lan.' };
  yield { mac: 'ff:ff:ff:ff:ff:ff', addresses: [], hostName: 'broadcast' };
  yield { mac: 'ip-192.0.2.9', addresses: [], hostName: 'none' };
}

async function console(rows: () => AsyncIterable<SourceObservation> = hosts, entered: string[] = ['hunter2', '']) {
  const folder = makeTestFolder();
  const directory = join(folder.path, 'state');
  const lines: string[] = [];
  const labels: string[] = [];
  const terminal = {
    print: (line: string) => void lines.push(line),
    secrets: async (names: readonly string[]) => {
      labels.push(...names);
      return entered;
    },
  };
  const run = async (...args: string[]) => {
    lines.length = 0;
    await sourceCommand(args, { stateDirectory: directory, policyFile: null }, terminal, [madeUp(rows), dnsmasq]);
    return lines.join('\n');
  };
  const file = join(directory, 'sources.json');
  return { run, file, labels, folder, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const ADD = ['add', 'made-up', '--name', 'office', '--url', 'http://192.0.2.1', '--list-id', '7', '--every', '2'];

test('a source that can be read is added, with what it brings; secrets are entered, kept, and shown nowhere', async () => {
  await using at = await console();
  expect(await at.run(...ADD)).toBe(
    [
      'It knows 3 hosts: 2 with a name (1 by a person), 1 seen within 15 minutes, 1 with a port or radio network.',
      'Source office was added. A running agent reads it within seconds.',
    ].join('\n'),
  );
  expect(at.labels).toEqual(['password (secret)', 'code (secret)']);
  expect((await stat(at.file)).mode & 0o777).toBe(0o600);
  const settings = { url: 'http://192.0.2.1', listId: '7', password: 'hunter2' };
  const stored = { name: 'office', kind: 'made-up', everyMinutes: 2, pins: {}, settings };
  expect(await readSources(at.file)).toEqual([stored]);
  expect(await at.run('list')).toBe(
    'office (Made-up router), every 2 min: --url http://192.0.2.1 --list-id 7 --password (set)',
  );
  expect(await at.run('test', 'office')).toContain('It knows 3 hosts');
  await expect(at.run(...ADD)).rejects.toThrow('--name: there is a source office');
  expect(await at.run('remove', 'office')).toBe('Source office was removed.');
  expect(await at.run('list')).toContain('There are no sources');
});

test('one that cannot be read is not kept', async () => {
  await using wrong = await console(hosts, ['password', '']);
  await expect(wrong.run(...ADD)).rejects.toThrow('it rejects the password');
  await using broken = await console(async function* () {
    yield* [];
    throw new TypeError('secret of hunter2');
  });
  await expect(broken.run(...ADD)).rejects.toThrow('its answer could not be understood');
  for (const at of [wrong, broken]) expect(await readSources(at.file)).toEqual([]);
});

test('of more rows than are read, the first count', async () => {
  await using at = await console(async function* () {
    for (let i = 0; ; i++) yield { mac: `02${i.toString(16).padStart(10, '0')}`, addresses: [] };
  });
  expect(await at.run(...ADD)).toContain(`It knows ${MAX_ROWS} hosts`);
});

test.each([
  [['add'], 'source add expects a kind: made-up, dnsmasq'],
  [['add', 'made-up', '--password', 'hunter2'], '--password is secret, and no argument'],
  [['add', 'made-up', '--password=hunter2'], '--password is secret, and no argument'],
  [['add', 'made-up', '--nonsense', 'x'], 'nonsense'],
  [['add', 'made-up', '--url', 'here'], '--url: '],
  [['add', 'made-up', 'twice', '--url', 'http://192.0.2.1'], 'but got "twice" as well'],
  [['add', 'made-up', '--name', 'Büro', '--url', 'http://192.0.2.1'], '--name: expected at most 31 small letters'],
  [['add', 'made-up', '--every', '0', '--url', 'http://192.0.2.1'], '--every: expected 1 to 30 minutes'],
  [['test', 'none'], 'source test expects the name of a source: there is none'],
  [['steal'], 'there is no command "source steal"'],
])('%j: the error names the argument and what was expected', async (args, message) => {
  await using at = await console();
  const error: unknown = await at.run(...args).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(message);
  expect(String(error)).not.toContain('hunter2');
});

test('a file of leases, and every kind with its settings and rights', async () => {
  await using at = await console();
  const file = join(at.folder.path, 'dnsmasq.leases');
  await writeFile(file, '0 02:aa:bb:00:00:01 10.9.0.1 nas *\n');
  expect(await at.run('add', 'dnsmasq', '--file', file)).toContain('It knows 1 host: 1 with a name');
  expect(at.labels).toEqual([]);
  await expect(at.run('add', 'dnsmasq', '--name', 'b', '--file', `${file}.gone`)).rejects.toThrow('does not exist');
  await expect(at.run('add', 'dnsmasq', '--name', 'b', '--file', at.folder.path)).rejects.toThrow('is no file');
  await expect(at.run('add', 'dnsmasq', '--name', 'b', '--file', 'leases')).rejects.toThrow('an absolute path');
  expect(await at.run()).toContain('Usage:');
  const kinds = await at.run('kinds');
  const about = ['made-up: Made-up router', '--list-id', 'password (secret)', 'Rights: The role "reader".'];
  for (const text of [...about, 'dhcp-leasefile']) expect(kinds).toContain(text);
});
