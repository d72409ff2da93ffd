import { expect, test } from 'vitest';
import { MAX_SCANS_AT_ONCE } from '../../shared/api/trigger-scan.ts';
import { discoveryPasses, portScans } from './trigger-scan.ts';

const agent = (name: string, networks: string[] = [], discovery: object | null = null) =>
  ({ id: `home:${name}`, networks, discovery }) as Parameters<typeof portScans>[0][number];
const targets = (...agents: Parameters<typeof portScans>[0]) =>
  portScans(agents, { mode: 'fast' }).map(
    ({ agent, command }) => `${agent} ${JSON.parse(JSON.stringify(command)).target}`,
  );

test('without a target, ports are scanned in each private IPv4 network of at most 1,024 addresses, once', () => {
  const attached = '192.168.1.0/24 127.0.0.0/8 10.0.0.0/8 10.9.0.0/22 8.8.8.0/24 fd00::/64 10.1.1.1/32'.split(' ');
  expect(targets(agent('attic', attached), agent('cellar', ['192.168.1.0/24', '192.168.7.0/24']))).toEqual([
    'attic 192.168.1.0/24',
    'attic 10.9.0.0/22',
    'cellar 192.168.7.0/24',
  ]);
});

test('where discovery is on, the networks that it watches go before those to which the host is attached', () => {
  const attached = ['192.168.1.0/24', '192.168.99.0/24'];
  expect(targets(agent('attic', attached, { state: 'on', networks: ['192.168.1.0/24'] }))).toEqual([
    'attic 192.168.1.0/24',
  ]);
  expect(targets(agent('attic', attached, { state: 'failing' }))).toHaveLength(2);
});

test('one request starts a bounded number of jobs', () => {
  const many = Array.from({ length: 20 }, (_, i) => `192.168.${i}.0/24`);
  expect(portScans([agent('attic', many)], { mode: 'fast' })).toHaveLength(MAX_SCANS_AT_ONCE);
  const agents = many.map((_, i) => agent(`a${i}`, [], { state: 'on' }));
  expect(discoveryPasses(agents)).toHaveLength(MAX_SCANS_AT_ONCE);
});

test('where there is no network to scan, the answer names the field that is missing', () => {
  expect(() => portScans([agent('attic', ['10.0.0.0/8'])], { mode: 'fast' })).toThrow(
    /scan: expected an address or a range/,
  );
});

test('each watching agent discovers devices; if none watches, one reports the reason', () => {
  const agents = [
    agent('a', [], { state: 'not-allowed' }),
    agent('b', [], { state: 'on' }),
    agent('c', [], { state: 'failing' }),
  ];
  expect(discoveryPasses(agents).map(({ agent }) => agent)).toEqual(['b', 'c']);
  expect(discoveryPasses(agents.slice(0, 1)).map(({ agent }) => agent)).toEqual(['a']);
});
