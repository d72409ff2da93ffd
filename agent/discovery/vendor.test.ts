import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fitToReport } from '../../shared/agent/fit-text.ts';
import { isRandomMac, vendorOf } from './vendor.ts';
import vendorTable from './vendor-table.json' with { type: 'json' };

const registry = createRequire(import.meta.url)('oui-data') as Record<string, string>;
const NOBODY = ['IEEE Registration Authority', 'Private'];

/** An address of the block with this prefix. */
function macIn(prefix: string, fill = 'E'): string {
  return prefix
    .padEnd(12, fill)
    .replace(/(..)(?!$)/g, '$1:')
    .toUpperCase();
}

test('every block of the registry is in the table, with its vendor', () => {
  const wrong: string[] = [];
  for (const [prefix, text] of Object.entries(registry)) {
    const vendor = fitToReport(text.split('\n')[0] ?? '', 200);
    const mac = macIn(prefix);
    // Within a block of 24 bits, the address that is tried may lie in a smaller one.
    const isDivided =
      prefix.length < 9 && [9, 7].some((length) => mac.replaceAll(':', '').slice(0, length) in registry);
    if (isRandomMac(mac) || (isDivided && prefix.length < 9) || NOBODY.includes(vendor ?? '')) continue;
    if (vendorOf(mac) !== vendor) wrong.push(`${prefix} ${vendor}: ${vendorOf(mac)}`);
  }
  expect(wrong.slice(0, 5)).toEqual([]);
});

test('the table was made of the version of oui-data that package.json names', () => {
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(vendorTable.source, 'npm run vendors').toBe(`oui-data ${dependencies['oui-data']}`);
});

test('unassigned addresses, at both ends of the table, have no vendor', () => {
  for (const mac of ['FF:FF:FF:FF:FF:FF', 'FC:FF:FF:00:00:00', '04:00:00:00:00:00']) {
    expect([mac, vendorOf(mac)]).toEqual([mac, null]);
  }
});

test('a randomized address is recognized, and has no vendor', () => {
  for (const mac of ['7A:5C:11:77:01:90', '02:00:00:00:00:01', 'DE:AD:BE:EF:00:01', '06:00:00:00:00:01']) {
    expect([mac, isRandomMac(mac), vendorOf(mac)]).toEqual([mac, true, null]);
  }
  for (const mac of ['02:42:AC:11:00:02', '52:54:00:12:34:56', '0A:00:27:00:00:01', '00:1E:06:00:00:01']) {
    expect([mac, isRandomMac(mac)]).toEqual([mac, false]);
  }
});
