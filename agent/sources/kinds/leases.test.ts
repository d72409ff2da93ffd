import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SourceObservation } from '../source.ts';
import { leasesIn } from './dnsmasq.ts';
import { iscLeasesIn } from './isc-dhcpd.ts';
import { keaLeasesIn } from './kea-file.ts';

const NOW = Date.UTC(2026, 10, 28, 12);
const NOW_S = NOW / 1000;
const MAC = 'aa:bb:cc:00:00:01';
const LLT = `00:01:00:01:2c:11:22:33:${MAC}`;

const short = (hosts: Iterable<SourceObservation>) =>
  [...hosts].map(({ mac, addresses, hostName = '' }) => [mac, addresses[0] ?? '', hostName].join(' '));

const byte = fc.integer({ min: 0, max: 255 }).map((value) => value.toString(16).padStart(2, '0'));
const mac = fc.tuple(byte, byte, byte).map((last) => `00:16:3e:${last.join(':')}`);
const ipv4 = fc.integer({ min: 256, max: 65_279 }).map((host) => `10.9.${host >> 8}.${host & 255}`);
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/);
const rows = fc.uniqueArray(fc.record({ mac, ip: ipv4, name }), { selector: ({ ip }) => ip, maxLength: 30 });
const canonical = (row: { mac: string; ip: string; name: string }) =>
  [row.mac.toUpperCase(), row.ip, row.name].join(' ');
const upper = (lines: string[]) => lines.map((line) => line.replace(/^\S+/, (first) => first.toUpperCase())).sort();

/** No file, however broken, makes a parser fail or take long. */
function neverFails(parse: (text: string) => Iterable<SourceObservation>, pieces: readonly string[]) {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 60 })
    .map((all) => all.join(''));
  fc.assert(fc.property(text, (broken) => void [...parse(broken)]));
}

test('dnsmasq: leases of IPv4, and of IPv6 by the MAC in the DUID; what is no lease is skipped', () => {
  const lines = [
    `${NOW_S + 60} ${MAC} 10.9.0.1 nas 01:${MAC}`,
    `0 06-aa:bb:cc:00:00:02 10.9.0.2 * *`, // For ever, on another network than Ethernet.
    `3600 aa:bb:cc:00:00:03 10.9.0.3 clockless *`, // A duration.
    `${NOW_S - 60} aa:bb:cc:00:00:04 10.9.0.4 over *`,
    `${NOW_S + 60} 20-80:00:00:48:fe:80:00:00:00:00:00:00:00:02:c9:03:00:00:00:01 10.9.0.5 infiniband *`,
    `${NOW_S + 60} not-a-mac 10.9.0.6 bad *`,
    `duid 00:01:00:01:2c:11:22:33:aa:bb:cc:ff:ff:ff`,
    `${NOW_S + 60} 12345678 fd00::1 six ${LLT}`,
    `${NOW_S + 60} T98765 fd00::2 temporary 00:03:00:01:aa:bb:cc:00:00:05`,
    `${NOW_S + 60} 11 fd00::3 uuid 00:04:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00`,
    '# eth0 000100012c11 1a2b3c4d lamp 1764237600 64 64 fd00::9/64',
    `${NOW_S + 60} aa:bb:cc:00:00:06 10.9.0.10`,
  ];
  expect(short(leasesIn(lines.join('\n'), NOW))).toEqual([
    'AA:BB:CC:00:00:01 10.9.0.1 nas',
    'AA:BB:CC:00:00:02 10.9.0.2 *',
    'AA:BB:CC:00:00:03 10.9.0.3 clockless',
    'AA:BB:CC:00:00:01 fd00::1 six',
    'AA:BB:CC:00:00:05 fd00::2 temporary',
  ]);
  for (const { lastSeen } of leasesIn(lines.join('\n'), NOW)) expect(lastSeen).toBeUndefined();
});

test('dnsmasq: every lease comes back, and a file that is cut anywhere has only whole ones', () => {
  fc.assert(
    fc.property(rows, fc.nat(), (all, cut) => {
      const text = all.map((row) => `${NOW_S + 60} ${row.mac} ${row.ip} ${row.name} *\n`).join('');
      const wanted = all.map(canonical);
      expect(short(leasesIn(text, NOW))).toEqual(wanted);
      const found = short(leasesIn(text.slice(0, cut % (text.length + 1)), NOW));
      expect(found).toEqual(wanted.slice(0, found.length));
    }),
  );
  neverFails((text) => leasesIn(text, NOW), ['\n', ' ', 'duid ', '0 ', MAC, LLT, 'fd00::1', '10.9.0.1']);
});

const V4 = 'address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state';
const V6 =
  'address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,fqdn_fwd,fqdn_rev,hostname,hwaddr,state';

test('Kea: by the names of columns; the last row of an address counts, also of two files', () => {
  const before = `${V4}\n10.9.0.1,${MAC},,3600,${NOW_S + 60},1,0,0,old,0\n10.9.0.9,${MAC},,3600,${NOW_S + 60},1,0,0,moved,0\n`;
  const now = [
    `${V4},user_context,pool_id`,
    `10.9.0.1,${MAC},,3600,${NOW_S + 60},1,0,0,a&#x2cb.,0,{&#x22},0`,
    `10.9.0.9,${MAC},,0,${NOW_S + 60},1,0,0,moved,0,,0`, // Deleted.
    `10.9.0.2,aa:bb:cc:00:00:02,,3600,${NOW_S - 1},1,0,0,over,0,,0`,
    `10.9.0.3,aa:bb:cc:00:00:03,,3600,${NOW_S + 60},1,0,0,declined,1,,0`,
    `10.9.0.4,,,3600,${NOW_S + 60},1,0,0,without,0,,0`,
    `10.9.0.5,aa:bb:cc:00:00:05,,1200,${NOW_S + 900},1,0,0,short,0,,0`,
    `10.9.0.6,aa:bb:cc:00`, // The server is writing it.
  ].join('\n');
  const found = [...keaLeasesIn([before, now], NOW)];
  expect(short(found)).toEqual([`${MAC} 10.9.0.1 a,b.`, 'aa:bb:cc:00:00:05 10.9.0.5 short']);
  // A lease of an hour says nothing of presence; one of 20 minutes is renewed every ten.
  expect(found.map(({ lastSeen }) => lastSeen)).toEqual([undefined, (NOW_S - 300) * 1000]);
  const six = [
    V6,
    `fd00::1,${LLT},3600,${NOW_S + 60},1,3000,0,7,128,0,0,six,,0`,
    `fd00:1::,${LLT},3600,${NOW_S + 60},1,3000,2,7,56,0,0,delegated,,0`,
    `fd00::2,00:04:11,3600,${NOW_S + 60},1,3000,0,7,128,0,0,by-card,aa:bb:cc:00:00:07,4`,
    '',
  ].join('\n');
  expect(short(keaLeasesIn(['', six], NOW))).toEqual([
    'AA:BB:CC:00:00:01 fd00::1 six',
    'aa:bb:cc:00:00:07 fd00::2 by-card',
  ]);
  expect(() => [...keaLeasesIn(['<html>\n'], NOW)]).toThrow('the columns of a file of Kea');
});

test('Kea: every lease comes back, in any order of the columns', () => {
  const columns = fc.shuffledSubarray(V4.split(','), { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(rows, columns, (all, names) => {
      const line = (row: (typeof all)[number]) => {
        const { ip: address, mac: hwaddr, name: hostname } = row;
        const times = { valid_lifetime: '3600', expire: String(NOW_S + 60), state: '0' };
        const known: Record<string, string> = { address, hwaddr, hostname, ...times };
        return names.map((each) => known[each] ?? '').join(',');
      };
      const text = [names.join(','), ...all.map(line), ''].join('\n');
      expect(upper(short(keaLeasesIn([text], NOW)))).toEqual(all.map(canonical).sort());
    }),
  );
  neverFails((text) => keaLeasesIn([`${V4}\n${text}`], NOW), ['\n', ',', MAC, '10.9.0.1', String(NOW_S + 60), '3600']);
});

const LEASES = String.raw`
# The format of this file is documented in the dhcpd.leases(5) manual page.
authoring-byte-order little-endian;
lease 10.9.0.1 {
  starts 6 2026/11/28 10:00:00;
  ends 6 2026/11/28 14:00:00;
  cltt 6 2026/11/28 10:00:00;
  binding state active;
  next binding state free;
  hardware ethernet aa:bb:cc:00:00:01;
  uid "\001\252\273\314\000\000\001";
  set vendor-class-identifier = "MSFT 5.0";
  client-hostname "first";
}
lease 10.9.0.2 { starts 6 2026/11/28 10:00:00; ends never; binding state active; hardware ethernet aa:bb:cc:00:00:02; client-hostname "a\"}b;"; }
lease 10.9.0.3 { ends never; binding state abandoned; hardware ethernet aa:bb:cc:00:00:03; }
lease 10.9.0.4 { ends epoch ${String(NOW_S - 1)}; # over
  binding state active; hardware ethernet aa:bb:cc:00:00:04; }
lease 10.9.0.5 { binding state active; }
lease 10.9.0.6 { starts epoch ${String(NOW_S - 300)}; ends epoch ${String(NOW_S + 300)}; cltt epoch ${String(NOW_S - 300)};
  binding state active; hardware ethernet aa:bb:cc:00:00:06; }
lease 10.9.0.7 { binding state active; hardware ethernet aa:bb:cc:00:00:07; }
lease 10.9.0.7 { binding state free; hardware ethernet aa:bb:cc:00:00:07; }
lease 10.9.0.1 {
  ends 6 2026/11/28 14:00:00;
  binding state active;
  hardware ethernet aa:bb:cc:00:00:01;
  set vendor-class-identifier = "MSFT 5.0";
  client-hostname "k\303\274che";
}
ia-na "\"\000\000\001\000\001\000\001,\021\"3\252\273\314\000\000\010" {
  cltt 6 2026/11/28 10:00:00;
  iaaddr fd00::8 { binding state active; preferred-life 375; max-life 600; ends 6 2026/11/28 14:00:00; }
  iaaddr fd00::9 { binding state expired; ends never; }
}
lease 10.9.0.10 { binding state active; hardware ethernet aa:bb:cc:00:00:10; client-hostname "brok`;

test('ISC dhcpd: the last block of an address counts, with escapes, `never`, `epoch` and IPv6', () => {
  const found = [...iscLeasesIn(LEASES, NOW)];
  expect(short(found)).toEqual([
    `${MAC} 10.9.0.1 küche`,
    'aa:bb:cc:00:00:02 10.9.0.2 a"}b;',
    'aa:bb:cc:00:00:06 10.9.0.6 ',
    'AA:BB:CC:00:00:08 fd00::8 ',
  ]);
  expect(found[0]?.dhcp).toEqual({ vendorClass: 'MSFT 5.0' });
  expect(found.map(({ lastSeen }) => lastSeen)).toEqual([undefined, undefined, (NOW_S - 300) * 1000, undefined]);
});

test('ISC dhcpd: every lease comes back, whatever is in its texts, and a cut file has only whole blocks', () => {
  const octal = (text: string) =>
    [...Buffer.from(text)].map((each) => `\\${each.toString(8).padStart(3, '0')}`).join('');
  fc.assert(
    fc.property(rows, fc.string(), fc.nat(), (all, uid, cut) => {
      const blocks = all.map(
        (row) =>
          `lease ${row.ip} {\n  ends never;\n  binding state active;\n  hardware ethernet ${row.mac};\n  uid "${octal(uid)}";\n  client-hostname "${row.name}";\n}\n`,
      );
      const text = blocks.join('');
      const wanted = all.map(canonical);
      expect(upper(short(iscLeasesIn(text, NOW)))).toEqual([...wanted].sort());
      const found = upper(short(iscLeasesIn(text.slice(0, cut % (text.length + 1)), NOW)));
      expect(wanted).toEqual(expect.arrayContaining(found));
    }),
  );
  const blocks = ['lease 10.9.0.1 {', 'ia-na "', 'iaaddr fd00::1 {', `hardware ethernet ${MAC};`, 'ends never;'];
  neverFails((text) => iscLeasesIn(text, NOW), [...blocks, ...'};"\\#\n']);
  // A text of megabytes that does not end, and blocks without end.
  expect([...iscLeasesIn(`lease 10.9.0.1 { uid "${'\\001'.repeat(1_000_000)}`, NOW)]).toEqual([]);
  expect([...iscLeasesIn('{'.repeat(100_000), NOW)]).toEqual([]);
});
