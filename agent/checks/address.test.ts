import { expect, test } from 'vitest';
import { METADATA_SERVICES } from '../../shared/metadata-services.ts';
import { formatRange, range } from '../../shared/network.ts';
import type { Attachment } from '../host/network.ts';
import { parsePolicy } from '../jobs/policy.ts';
import { addressOf } from './address.ts';
import { NoAnswer, NotSent } from './finding.ts';

const HOST: Attachment = { networks: [range('192.168.1.0/24')], addresses: [], interfaceNames: new Set(['eth0']) };

const find = (host: string, checks: object = {}, resolved: string[] = []) =>
  addressOf(host, parsePolicy({ checks }).checks, HOST, async () => resolved);

test.each([
  ['10.0.0.7', {}, '10.0.0.7'],
  ['203.0.113.7', {}, '203.0.113.7'],
  ['::ffff:10.0.0.7', {}, '10.0.0.7'],
  ['fe80::1%eth0', {}, 'fe80::1%eth0'],
  ['2001:DB8:0::7', {}, '2001:db8::7'],
  ['192.168.1.9', { outside: false }, '192.168.1.9'],
  ['203.0.113.7', { outside: false, allow: ['203.0.113.0/24'] }, '203.0.113.7'],
])('%s is resolved with %j', async (host, checks, address) => {
  expect(await find(host, checks)).toBe(address);
});

test.each([
  ['10.0.0.7', { enabled: false }, 'does not allow checks'],
  ['10.0.0.7', { deny: ['10.0.0.0/8'] }, 'does not allow the target 10.0.0.7'],
  ['203.0.113.7', { outside: false }, 'does not allow the target'],
  ['64:ff9b::10.0.0.7', { deny: ['10.0.0.0/8'] }, 'does not allow the target'],
  ['64:ff9b::169.254.169.254', {}, 'leads to 169.254.169.254, cloud metadata'],
  ['::ffff:169.254.169.254', {}, 'cloud metadata'],
  ['0.0.0.0', {}, 'not the address of a host'],
  ['ff02::1', {}, 'not the address of a host'],
  ['fe80::1', {}, 'exists on every interface'],
  ['fe80::1%eth9', {}, 'no interface eth9'],
  ['-f', {}, 'expected an address'],
  ['a b', {}, 'expected an address'],
  ['0x7f.1', {}, 'expected an address'],
])('%s is refused with %j', async (host, checks, why) => {
  const refused = find(host, checks);
  await expect(refused).rejects.toThrow(NotSent);
  await expect(refused).rejects.toThrow(why);
});

test('services of metadata are refused, unless the operator allows them', async () => {
  for (const service of METADATA_SERVICES) {
    const zone = formatRange(service).startsWith('fe80') ? '%eth0' : '';
    await expect(find(`${formatRange(service)}${zone}`)).rejects.toThrow('checks.allow');
  }
  expect(await find('169.254.169.254', { allow: ['169.254.169.254'] })).toBe('169.254.169.254');
});

test('of a name, the first address counts that is allowed; a name of none is refused', async () => {
  expect(await find('nas.lan', {}, ['169.254.169.254', '10.0.0.7', '10.0.0.8'])).toBe('10.0.0.7');
  await expect(find('evil.example', {}, ['169.254.169.254', '0.0.0.0'])).rejects.toThrow('cloud metadata');
  await expect(find('nobody.example', {}, [])).rejects.toThrow(NoAnswer);
});
