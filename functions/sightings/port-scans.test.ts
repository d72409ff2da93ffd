import { expect, test } from 'vitest';
import { BLANK_DEVICE } from '../../shared/device.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import { foundHost, nmapResult, openPort } from '../../test/support/found-host.ts';
import { Snapshot } from '../devices/collection/snapshot.ts';
import { scansByDevice } from './port-scans.ts';

type Host = ToolResult<'nmap'>['hosts'][number];

const NAS = '00:1E:06:AA:BB:01';
const device = (devMac: string, devLastIP: string, devPresentLastScan: 0 | 1 = 1, key = devMac) => ({
  key,
  record: { ...BLANK_DEVICE, devMac, devLastIP, devPresentLastScan },
});
const SITE = new Snapshot('home', 1, [
  device(NAS, '10.0.0.20'),
  device('00:1E:06:AA:BB:02', '10.0.0.30', 0),
  device('00:1E:06:AA:BB:03', '10.0.0.30', 1),
  device('00:1E:06:AA:BB:04', '10.0.0.40', 0),
  device('00:1E:06:AA:BB:05', '10.0.0.40', 0),
  device('', 'fd00::7', 1, '~0190'),
]);
const open = (port: number, rest = {}) => ({ ...openPort(port), service: null, ...rest });
const host = (ip: string, rest: Partial<Host> = {}): Host => ({ ...foundHost(ip, null, [open(22)]), ...rest });
function scanned(hosts: Host[], { mode = 'fast', target = '10.0.0.0/24' } = {}) {
  const name = { scan: 'home.x' as never, at: 1 };
  return scansByDevice(SITE, name, { tool: 'nmap', target, mode: mode as 'fast' }, nmapResult(hosts, '22,80', 256));
}
const keys = (hosts: Host[], rest = {}) => [...scanned(hosts, rest).keys()];

test('a host is the device of its MAC, at whatever address it was met, and never another one that last had that', () => {
  expect(keys([host('10.0.0.99', { mac: NAS })])).toEqual([NAS]);
  expect(keys([host('10.0.0.20', { mac: '00:1E:06:FF:FF:FF' })])).toEqual([]);
});

test('a host without a MAC is the device at its address: the present one, and none where two have an equal claim', () => {
  expect(keys([host('10.0.0.20'), host('10.0.0.30'), host('10.0.0.40'), host('10.0.0.50')])).toEqual([
    NAS,
    '00:1E:06:AA:BB:03',
  ]);
  expect(keys([host('fd00:0::7')], { target: 'fd00::/64' })).toEqual(['~0190']);
});

test('a host that is down, has no address, or was not to be scanned is left out', () => {
  const others = [host('10.0.0.20', { state: 'down' }), host('', { mac: NAS }), host('10.0.1.20', { mac: NAS })];
  expect(keys(others)).toEqual([]);
});

test('only open ports are taken, each once, with texts that can be shown', () => {
  const ports = [
    open(22, { service: 'ssh\u0000\u202e', product: 'x'.repeat(1_000) }),
    open(22),
    open(80, { state: 'closed' }),
    open(81, { state: 'filtered' }),
    open(53, { protocol: 'udp', state: 'open|filtered' }),
    open(70_000),
    open(-1),
    open(1, { protocol: 'ip' }),
  ];
  const found = scanned([host('10.0.0.20', { ports: ports.toReversed() })]).get(NAS)?.[0]?.open ?? [];
  expect(found.map(({ port, protocol }) => `${protocol}/${port}`).sort()).toEqual(['tcp/22', 'udp/53']);
  expect(found.find(({ port }) => port === 22)).toMatchObject({ service: 'ssh', product: 'x'.repeat(200) });
});

test('a scan that may not have met the host, or has not come to its end there, shows no port to be closed', () => {
  const tried = (one: Partial<Host>, mode = 'fast') => scanned([host('10.0.0.20', one)], { mode }).get(NAS)?.[0]?.tried;
  expect(tried({})).toBe('22,80');
  expect(tried({ ports: [] })).toBe('22,80');
  expect(tried({ timedOut: true })).toBe('');
  expect(tried({ ports: [] }, 'skipdiscovery')).toBe('');
  expect(tried({ ports: [], mac: NAS }, 'skipdiscovery')).toBe('22,80');
});

test('a device that was met at several addresses has the ports of each there; the main one is nameless', () => {
  const hosts = [host('10.0.0.20', { mac: NAS }), host('10.0.0.21', { mac: NAS, ports: [open(22), open(80)] })];
  expect(scanned(hosts).get(NAS)).toMatchObject([
    { address: '', tried: '22,80', open: [{ port: 22 }] },
    { address: '10.0.0.21', tried: '22,80', open: [{ port: 22 }, { port: 80 }] },
  ]);
});
