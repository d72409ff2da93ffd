import { expect, test } from 'vitest';
import { networkOf, openRefusalBrake } from './refusal-brake.ts';

test('IPv4 addresses count one by one, IPv6 addresses by the network of a host', () => {
  expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
  expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:db8:1:2:ffff::9'));
  expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
  expect(networkOf('fe80::1%eth0')).toBe('fe80::/64');
  expect(networkOf('')).toBe('');
});

test('an address is rate-limited after a number of rejections, others are not, and a warning is logged once a minute', () => {
  let time = 0;
  const warnings: unknown[] = [];
  const log = { info() {}, warn: (fields: object) => warnings.push(fields), error() {} };
  const brake = openRefusalBrake(log, () => time);
  for (let i = 0; i < 300; i++) {
    expect(brake.waitMs('192.0.2.7')).toBe(0);
    brake.refused('192.0.2.7');
  }
  expect(warnings).toEqual([]);
  brake.refused('192.0.2.8');
  for (let i = 0; i < 50; i++) expect(brake.waitMs('192.0.2.7')).toBe(1_000);
  expect(brake.waitMs('192.0.2.8')).toBe(0);
  expect(warnings).toEqual([{ address: '192.0.2.7', requests: 301, otherAddresses: 1 }]);

  time += 30_000; // One refusal a second is allowed again.
  for (let i = 0; i < 30; i++) {
    expect(brake.waitMs('192.0.2.7')).toBe(0);
    brake.refused('192.0.2.7');
  }
  expect(brake.waitMs('192.0.2.7')).toBe(1_000);
  expect(warnings).toHaveLength(1);

  time += 30_000;
  for (let i = 0; i < 30; i++) brake.refused('192.0.2.7');
  brake.waitMs('192.0.2.7');
  expect(warnings).toHaveLength(2);
  expect(warnings[1]).toEqual({ address: '192.0.2.7', requests: 49 + 30 + 1 + 30 + 1, otherAddresses: 0 });
});
