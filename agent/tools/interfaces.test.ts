import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { interfaces } from '../../shared/tools/interfaces.ts';
import { FINISHED } from '../../test/support/agent/finished.ts';
import { TOOL_CONTEXT } from '../../test/support/agent/tool-settings.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { interfacesFromSysfs, listInterfaces, parseInterfaces } from './interfaces.ts';

test('every field of the contract', async () => {
  const recording = await readFile(join(import.meta.dirname, '../../test/fixtures/tools/ip-addr.json'), 'utf8');
  expect(parseInterfaces(recording)).toEqual({
    lo: {
      ...{ name: 'lo', short: 'lo', type: 'loopback', state: 'up', mtu: 65536, mac: null },
      ...{ ipv4: ['127.0.0.1/8'], ipv6: ['::1/128'], rx_bytes: 13136, tx_bytes: 13136 },
    },
    eth0: {
      ...{ name: 'eth0', short: 'eth0', type: 'ethernet', state: 'up', mtu: 1500, mac: '00:1E:06:77:01:02' },
      ...{ ipv4: ['10.77.1.2/24'], ipv6: ['fd77:1::2/64', 'fe80::21e:6ff:fe77:102/64'] },
      ...{ rx_bytes: 127081, tx_bytes: 173628 },
    },
  });
});

const one = (link: object) => Object.values(parseInterfaces(JSON.stringify([{ ifname: 'x0', ...link }])))[0];

test.each([
  [['UP', 'LOWER_UP'], 'UP', 'up'],
  [['UP'], 'UNKNOWN', 'up'],
  [['UP'], 'DOWN', 'down'],
  [['UP'], 'LOWERLAYERDOWN', 'down'],
  [[], 'DOWN', 'down'],
  [[], 'UNKNOWN', 'down'],
])('flags %j with operational state %s are %s', (flags, operstate, state) => {
  expect(one({ flags, operstate })).toMatchObject({ state });
});

test.each([
  ['ether', 'ethernet'],
  ['loopback', 'loopback'],
  ['none', 'point2point'],
  ['ppp', 'point2point'],
  ['ieee802.11', 'other'],
])('link type %s is %s', (link_type, type) => expect(one({ link_type })).toMatchObject({ type }));

test('counters of older versions, empty objects and counters beyond exact integers', () => {
  expect(one({ stats: { rx: { bytes: 5 }, tx: { bytes: 6 } } })).toMatchObject({ rx_bytes: 5, tx_bytes: 6 });
  expect(one({ stats64: { rx: { bytes: 2 ** 63 }, tx: { bytes: 0 } } })?.rx_bytes).toBe(Number.MAX_SAFE_INTEGER);
  expect(parseInterfaces('[{},{"ifname":"a","addr_info":[{}]}]')).toMatchObject({ a: { ipv4: [] } });
});

const LO =
  '{"ifname":"lo","link_type":"loopback","flags":["UP"],"addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8}]}';

test('a field of another type costs only itself', () => {
  const odd = { mtu: 'big', flags: ['UP', 7], operstate: null, stats64: { rx: {}, tx: { bytes: 6 } } };
  const addr_info = [{ family: 'inet', local: '10.0.0.1' }, { family: 'inet', local: '10.0.0.2', prefixlen: 24 }, 7];
  expect(one({ ...odd, addr_info })).toMatchObject({ state: 'up', mtu: 0, tx_bytes: 6, ipv4: ['10.0.0.2/24'] });
});

test.each([
  ['no JSON', { stdout: 'Segmentation fault' }],
  ['nothing', { stdout: '' }],
  ['a failure', { code: 255, stderr: 'Option "-json" is unknown' }],
])('where ip prints %s, sysfs says which interfaces there are', async (_, printed) => {
  const commands: string[] = [];
  const run = async (_program: string, args: readonly string[]) => {
    commands.push(args.join(' '));
    return { ...FINISHED, ...printed };
  };
  const means = { ...TOOL_CONTEXT, run };
  const lo = parseInterfaces(`[${LO}]`);
  expect((await listInterfaces(means, 'linux', {}, async () => lo)).result).toEqual(lo);
  await expect(listInterfaces(means, 'linux', {}, async () => null)).rejects.toThrow(ToolFailure);
  expect(commands[0]).not.toContain('details');
});

test('no text breaks the parser, and what it gives fits the schema', () => {
  const fields = 'ifname flags mtu operstate link_type address addr_info stats64'.split(' ');
  const entry = fc.dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 3 }));
  const entries = fc.array(entry, { maxLength: 5 }).map((value) => JSON.stringify(value));
  const json = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), entries);
  fc.assert(
    fc.property(json, (text) => {
      try {
        interfaces.result.parse(parseInterfaces(text));
      } catch (error) {
        expect(error).toBeInstanceOf(ToolFailure);
      }
    }),
  );
});

test('the same from sysfs', async () => {
  await using temporary = makeTestFolder();
  const folder = temporary.path;
  const write = async (name: string, type: string, flags: string, operstate: string, mtu: string, address: string) => {
    await mkdir(join(folder, name, 'statistics'), { recursive: true });
    const counters = { 'statistics/rx_bytes': '10', 'statistics/tx_bytes': '20' };
    for (const [file, text] of Object.entries({ type, flags, operstate, mtu, address, ...counters }))
      await writeFile(join(folder, name, file), `${text}\n`);
  };
  await write('lo', '772', '0x9', 'unknown', '65536', '00:00:00:00:00:00');
  await write('eth0', '1', '0x1003', 'up', '1500', '00:1e:06:77:01:02');
  await write('eth1', '1', '0x1002', 'down', '1500', '00:1e:06:77:01:03');
  await writeFile(join(folder, 'bonding_masters'), 'bond0\n');
  const base = { netmask: '', mac: '', internal: false };
  const records = await interfacesFromSysfs(folder, {
    eth0: [
      { ...base, family: 'IPv4', address: '10.77.1.2', cidr: '10.77.1.2/24' },
      { ...base, family: 'IPv6', address: 'fd77:1::2', cidr: 'fd77:1::2/64', scopeid: 0 },
    ],
  });
  const addresses = { ipv4: ['10.77.1.2/24'], ipv6: ['fd77:1::2/64'] };
  expect(records).toMatchObject({
    lo: { type: 'loopback', state: 'up', mac: null, mtu: 65536 },
    eth0: { type: 'ethernet', state: 'up', mac: '00:1E:06:77:01:02', ...addresses, rx_bytes: 10 },
    eth1: { state: 'down', ipv4: [] },
  });
  expect(Object.keys(records ?? {})).toHaveLength(3);
  expect(await interfacesFromSysfs(join(folder, 'nothing'))).toBeNull();
});

test('the interfaces of macOS: from Node.js', async () => {
  const card = { netmask: '', mac: '00:1e:06:aa:bb:02', internal: false };
  const known = {
    en0: [
      { ...card, address: '192.168.1.7', cidr: '192.168.1.7/24', family: 'IPv4' as const },
      { ...card, address: 'fe80::7', cidr: 'fe80::7/64', family: 'IPv6' as const, scopeid: 5 },
    ],
  };
  const { result } = await listInterfaces(TOOL_CONTEXT, 'macos', known);
  expect(interfaces.result.parse(result)).toEqual(result);
  expect(result.en0).toEqual({
    ...{ name: 'en0', short: 'en0', type: 'ethernet', state: 'up', mtu: 0, mac: '00:1E:06:AA:BB:02' },
    ...{ ipv4: ['192.168.1.7/24'], ipv6: ['fe80::7/64'], rx_bytes: 0, tx_bytes: 0 },
  });
});
