import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSign, isUndecided } from './neighbours.ts';
import { linksOfNode } from './watched-networks.ts';
import { neighbourScript, parseWindowsNeighbours } from './windows-neighbours.ts';

const TABLE = [
  '192.168.1.1 00-1E-06-AA-BB-01 5 1',
  '192.168.1.9 00-1E-06-AA-BB-09 5 0',
  '192.168.1.10 00-1E-06-AA-BB-10 4 0',
  '192.168.1.11 00-1E-06-AA-BB-11 3 0',
  '192.168.1.255 FF-FF-FF-FF-FF-FF 5 0',
  'fe80::9%5 00-1E-06-AA-BB-09 5 0',
].join('\r\n');

test('who answers a ping has just answered; who is only said to be reachable may have gone three quarters of a minute ago', () => {
  const found = parseWindowsNeighbours(TABLE, null, 100);
  expect(found.map(({ ip, fresh }) => [ip, fresh])).toEqual([
    ['192.168.1.1', true],
    ['192.168.1.9', false],
    ['192.168.1.10', false],
    ['192.168.1.11', false],
    ['fe80::9', false],
  ]);
  expect(found.filter(isSign).map(({ ip }) => ip)).toEqual(['192.168.1.1', '192.168.1.9', 'fe80::9']);
  expect(found.filter(isUndecided).map(({ ip }) => ip)).toEqual(['192.168.1.11']);
  expect(found[0]?.mac).toBe('00:1E:06:AA:BB:01');
});

test('who was not reachable in a table of this cycle, and now is, has answered since', () => {
  const before = (at: number, ...reachable: string[]) => ({ at, reachable: new Set(reachable) });
  const isFresh = (former: Parameters<typeof parseWindowsNeighbours>[1]) =>
    parseWindowsNeighbours(TABLE, former, 100).find(({ ip }) => ip === '192.168.1.9')?.fresh;
  expect(isFresh(before(100))).toBe(true);
  expect(isFresh(before(100, '192.168.1.9 00:1E:06:AA:BB:09'))).toBe(false);
  expect(isFresh(before(99))).toBe(false);
});

test('whatever is printed is read without a fault', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom(...TABLE.split('\r\n')), fc.stringMatching(/^\S+ \S+ \d [01]$/));
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      for (const { mac } of parseWindowsNeighbours(lines.join('\n'), null, 0)) expect(mac).toMatch(/^[0-9A-F:]{17}$/);
    }),
  );
});

test('what PowerShell is to run has no double quotes, which a command line would take away', () => {
  expect(neighbourScript('192.168.1.7', 4)).not.toContain('"');
  expect(neighbourScript('192.168.1.7', 4)).toContain("-IPAddress '192.168.1.7'");
});

test('the links of Windows: cards with an address, and not those that lead to its guests alone', () => {
  const card = (cidr: string, mac: string) => ({
    address: cidr.split('/')[0]!,
    cidr,
    mac,
    netmask: '',
    internal: false,
    ...(cidr.includes(':') ? { family: 'IPv6' as const, scopeid: 5 } : { family: 'IPv4' as const }),
  });
  const interfaces = {
    Ethernet: [card('fe80::7/64', '00:1e:06:aa:bb:02'), card('192.168.1.7/24', '00:1e:06:aa:bb:02')],
    'vEthernet (WSL)': [card('172.20.0.1/20', '00:15:5d:01:02:03')],
    'vEthernet (LAN)': [card('10.0.0.7/24', '00:15:5d:01:02:04')],
    'Ethernet 2': [card('169.254.3.4/16', '00:1e:06:aa:bb:03')],
  };
  const routes = [
    { gateway: '192.168.1.1', from: '192.168.1.7' },
    { gateway: '10.0.0.1', from: '10.0.0.7' },
  ];
  expect(linksOfNode(interfaces, routes).map((link) => [link.interface, link.gateway, link.virtual])).toEqual([
    ['Ethernet', '192.168.1.1', false],
    ['vEthernet (WSL)', null, true],
    ['vEthernet (LAN)', '10.0.0.1', false],
  ]);
  expect(linksOfNode(interfaces, routes)[0]).toMatchObject({ mac: '00:1E:06:AA:BB:02', address: '192.168.1.7' });
});
