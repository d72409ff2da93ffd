import { isIP, isIPv4, SocketAddress } from 'node:net';
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  embeddedIpv4,
  formatIp,
  formatRange,
  type IpRange,
  LookupTarget,
  namesNoHost,
  parseHostName,
  parseIp,
  parseMac,
  parseRange,
  range,
  rangeSize,
  rangesOverlap,
  rangeWithin,
  TargetAddress,
  TargetRange,
  WakeableMac,
} from './network.ts';

/* ---- what is fed in ------------------------------------------------------------------------------------------- */

const octets = fc.uint8Array({ minLength: 6, maxLength: 6 });
const hex = (bytes: Uint8Array, separator: string, group = 1) =>
  Array.from({ length: bytes.length / group }, (_, i) =>
    Buffer.from(bytes.subarray(i * group, (i + 1) * group)).toString('hex'),
  ).join(separator);

const ipv4 = fc.ipV4();
/** Many zero groups, so that every place for `::` occurs. */
const ipv6Value = fc
  .array(fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 0xffffn })), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.reduce((value, group) => (value << 16n) | group, 0n));
/** Almost an address: what a parser that is too kind, or too strict, stumbles over. */
const nearlyIp = fc.oneof(
  fc.ipV4Extended(),
  fc.ipV6(),
  fc.stringMatching(/^[0-9a-fA-F:.]{0,45}$/),
  fc
    .array(fc.constantFrom(':', '::', '0', '1', 'ffff', '10000', '1.2.3.4', '01', '256', '.', ' ', '\n'), {
      maxLength: 10,
    })
    .map((parts) => parts.join('')),
  fc.tuple(fc.ipV6(), fc.string({ maxLength: 3 })).map(([ip, end]) => ip + end),
  fc.tuple(fc.ipV4(), fc.string({ maxLength: 3 })).map(([ip, end]) => end + ip),
);
const anyRange = fc
  .oneof(
    fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((value) => ({ family: 4 as const, value, zone: null })),
    ipv6Value.filter((value) => value >> 32n !== 0xffffn).map((value) => ({ family: 6 as const, value, zone: null })),
  )
  .chain((address) =>
    fc.integer({ min: 0, max: address.family === 4 ? 32 : 128 }).map((prefix): IpRange => ({ address, prefix })),
  );

/* ---- MAC addresses -------------------------------------------------------------------------------------------- */

describe('parseMac', () => {
  test('reads the four notations, in any letter case, as one address', () => {
    fc.assert(
      fc.property(octets, fc.boolean(), (bytes, upper) => {
        const canonical = hex(bytes, ':').toUpperCase();
        for (const text of [hex(bytes, ':'), hex(bytes, '-'), hex(bytes, '.', 2), hex(bytes, '')]) {
          expect(parseMac(upper ? text.toUpperCase() : text)).toBe(canonical);
        }
        expect(parseMac(canonical)).toBe(canonical);
      }),
    );
  });

  test.each([
    ...'00:1e:06:aa:bb 00:1e:06:aa:bb:cc:dd 00:1e-06:aa:bb:cc 001e:06aa:bbcc 000:1e:06:aa:bb:cc'.split(' '),
    ...'0:1e:6::aa:7:1 0.1e.6.aa.7.1 1e.6aa.71 01e6aa71 00:1e:06:aa:bb:cg ００:1e:06:aa:bb:cc'.split(' '),
    ...['', ' 00:1e:06:aa:bb:cc', '00:1e:06:aa:bb:cc\n'],
  ])('refuses %j', (text) => {
    expect(parseMac(text)).toBeNull();
  });

  test('reads a MAC without its leading zeros, as macOS prints it, with colons or dashes', () => {
    fc.assert(
      fc.property(octets, fc.constantFrom(':', '-'), fc.boolean(), (bytes, separator, upper) => {
        const text = Array.from(bytes, (byte) => byte.toString(16)).join(separator);
        expect(parseMac(upper ? text.toUpperCase() : text)).toBe(hex(bytes, ':').toUpperCase());
      }),
    );
  });
});

test('neither the empty nor the broadcast MAC can be woken, in any notation', () => {
  for (const text of ['00:00:00:00:00:00', '000000000000', 'ff-ff-ff-ff-ff-ff', 'FFFF.FFFF.FFFF', 'x', '']) {
    expect(WakeableMac.safeParse(text).success, text).toBe(false);
  }
  expect(WakeableMac.safeParse('0000.0000.0001').success).toBe(true);
});

/* ---- addresses ------------------------------------------------------------------------------------------------ */

describe('parseIp', () => {
  test('accepts exactly what the platform accepts, zones aside', () => {
    fc.assert(
      fc.property(nearlyIp, (text) => {
        if (text.includes('%')) return;
        expect(parseIp(text) !== null, JSON.stringify(text)).toBe(isIP(text) !== 0);
      }),
      { numRuns: 1_000 },
    );
  });

  test('understands an address as the platform does', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, fc.ipV6()), (text) => {
        const parsed = parseIp(text);
        if (parsed === null) throw new Error(`refused ${text}`);
        expect(platformValue(formatIp(parsed))).toBe(platformValue(text));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ...'1.2.3 1.2.3.4.5 01.2.3.4 0x7f.0.0.1 2130706433 1.2.3.256 １.2.3.4 1.2.3.4%eth0 ::: 1::2::3'.split(' '),
    ...'1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1:2:3:4:5:6:7:8:: ::12345 ::1.2.3 1.2.3.4:: [::1] ::1%lo'.split(' '),
    ...'2001:db8::1%eth0 fe80::1% fe80::1%eth0%eth1 fe80::1%abcdefghijklmnop'.split(' '),
    ...['', '1.2.3.4 ', '1.2.3.4\n', 'fe80::1%a b'],
  ])('refuses %j', (text) => {
    expect(parseIp(text)).toBeNull();
  });

  test('keeps the zone of a link-local address', () => {
    expect(formatIp(parseIp('FE80::1%eth0')!)).toBe('fe80::1%eth0');
    expect(formatIp(parseIp('febf::1%br-lan.2')!)).toBe('febf::1%br-lan.2');
    expect(parseIp('fec0::1%eth0')).toBeNull();
  });

  test('takes an IPv4-mapped address for the IPv4 address that it stands for, however it is written', () => {
    fc.assert(
      fc.property(ipv4, (text) => {
        const plain = parseIp(text);
        const [high, low] = [(plain!.value >> 16n).toString(16), (plain!.value & 0xffffn).toString(16)];
        for (const mapped of [`::ffff:${text}`, `::FFFF:${high}:${low}`, `0:0:0:0:0:ffff:${high}:${low}`]) {
          expect(parseIp(mapped), mapped).toEqual(plain);
        }
      }),
    );
  });
});

test('IPv6 is written as RFC 5952 wants it, which is how URLs write it', () => {
  fc.assert(
    fc.property(ipv6Value, (value) => {
      const text = formatIp({ family: 6, value, zone: null });
      expect(`[${text}]`).toBe(new URL(`http://[${text}]`).hostname);
    }),
    { numRuns: 500 },
  );
});

/** The address as the platform writes it, whichever way it was written. */
function platformValue(text: string): string {
  const family = isIPv4(text) ? 'ipv4' : 'ipv6';
  const { address } = new SocketAddress({ address: text, family });
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

/* ---- ranges --------------------------------------------------------------------------------------------------- */

describe('ranges', () => {
  test('read back as the same range', () => {
    fc.assert(
      fc.property(anyRange, (given) => {
        expect(parseRange(formatRange(given))).toEqual(given);
        expect(parseRange(`${formatIp(given.address)}/${given.prefix}`)).toEqual(given);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ...'1.2.3.4/ 1.2.3.4/33 1.2.3.4/-1 1.2.3.4/024 1.2.3.4/8/8 ::/129 /8 ::ffff:1.2.3.4/95'.split(' '),
    ...['1.2.3.4/255.0.0.0', '1.2.3.4/8 ', ''],
  ])('refuses %j', (text) => {
    expect(parseRange(text)).toBeNull();
  });

  test('count 96 bits less in the prefix of an IPv4-mapped range', () => {
    expect(formatRange(parseRange('::ffff:10.0.0.0/104')!)).toBe('10.0.0.0/8');
    expect(formatRange(parseRange('::ffff:10.0.0.1')!)).toBe('10.0.0.1');
  });

  test('hold one another exactly when all addresses do', () => {
    fc.assert(
      fc.property(anyRange, anyRange, fc.nat(8), (a, b, more) => {
        const [fromA, toA] = bounds(a);
        const [fromB, toB] = bounds(b);
        const inside = a.address.family === b.address.family && fromA >= fromB && toA <= toB;
        expect(rangeWithin(a, b)).toBe(inside);
        expect(rangeSize(a)).toBe(toA - fromA + 1n);
        const width = a.address.family === 4 ? 32 : 128;
        expect(rangeWithin({ ...a, prefix: Math.min(width, a.prefix + more) }, a)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('overlap exactly when an address lies in both', () => {
    fc.assert(
      fc.property(anyRange, anyRange, (a, b) => {
        const [fromA, toA] = bounds(a);
        const [fromB, toB] = bounds(b);
        expect(rangesOverlap(a, b)).toBe(a.address.family === b.address.family && fromA <= toB && fromB <= toA);
        expect(rangesOverlap(a, { ...a, prefix: Math.floor(a.prefix / 2) })).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('in the source that are misspelt are found at start', () => {
    expect(() => range('10.0.0.0/33')).toThrow('10.0.0.0/33');
  });

  test('that hold no host are known', () => {
    const noHost = '0.0.0.0 0.1.2.3 224.0.0.1 239.0.0.0/8 255.255.255.255 :: ff02::1 ::ffff:224.0.0.1';
    for (const text of noHost.split(' ')) expect(namesNoHost(parseRange(text)!), text).toBe(true);
    for (const text of ['0.0.0.0/0', '10.0.0.0/8', '::/0', '::1', '240.0.0.1', 'fe80::1%eth0']) {
      expect(namesNoHost(parseRange(text)!), text).toBe(false);
    }
  });
});

function bounds({ address, prefix }: IpRange): [bigint, bigint] {
  const hostBits = BigInt((address.family === 4 ? 32 : 128) - prefix);
  const from = (address.value >> hostBits) << hostBits;
  return [from, from + (1n << hostBits) - 1n];
}

/* ---- IPv4 addresses inside of IPv6 addresses ------------------------------------------------------------------ */

/** The 32 hexadecimal digits of an IPv6 address that contains the IPv4 address `v4`; `free` fills the other digits. */
const FORMS: Record<string, (v4: string, free: string) => string> = {
  'IPv4-compatible': (v4) => `${'0'.repeat(24)}${v4}`,
  'IPv4-translated (SIIT)': (v4) => `${'0'.repeat(16)}ffff0000${v4}`,
  'NAT64, well-known prefix': (v4) => `0064ff9b${'0'.repeat(16)}${v4}`,
  'NAT64, 64:ff9b:1::/48': (v4, free) => `0064ff9b0001${v4.slice(0, 4)}00${v4.slice(4)}${free.slice(0, 10)}`,
  'NAT64, a /56 of it': (v4, free) =>
    `0064ff9b0001${free.slice(0, 2)}${v4.slice(0, 2)}00${v4.slice(2)}${free.slice(2, 10)}`,
  'NAT64, a /64 of it': (v4, free) => `0064ff9b0001${free.slice(0, 4)}00${v4}${free.slice(4, 10)}`,
  'NAT64, a /96 of it': (v4, free) => `0064ff9b0001${free.slice(0, 4)}00${free.slice(4, 10)}${v4}`,
  '6to4': (v4, free) => `2002${v4}${free.slice(0, 20)}`,
  'Teredo, server': (v4, free) => `20010000${v4}${free.slice(0, 16)}`,
  'Teredo, client': (v4, free) => `20010000${free.slice(0, 16)}${inverted(v4)}`,
  'ISATAP, link-local': (v4) => `fe80${'0'.repeat(12)}00005efe${v4}`,
  'ISATAP, global address': (v4) => `fe80${'0'.repeat(12)}02005efe${v4}`,
  'ISATAP, unique local prefix': (v4, free) => `fd${free.slice(0, 14)}00005efe${v4}`,
  'ISATAP, any prefix': (v4, free) => `${free.slice(0, 16)}02005efe${v4}`,
};

function inverted(digits: string): string {
  return [...digits].map((digit) => (15 - Number.parseInt(digit, 16)).toString(16)).join('');
}

const digits = (bits: number) =>
  fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n }).map((value) => value.toString(16).padStart(bits / 4, '0'));
const hostIpv4 = digits(32).filter((v4) => !namesNoHost(oneIpv4(v4)));

function oneIpv4(v4: string): IpRange {
  return { address: { family: 4, value: BigInt(`0x${v4}`), zone: null }, prefix: 32 };
}

const embedded = (text: string) => embeddedIpv4(range(text)).map(formatRange);

describe('the IPv4 addresses that an IPv6 address leads to', () => {
  test.each(Object.keys(FORMS))(
    '%s: any IPv4 address is found, also as a part of the range that a range leads to',
    (form) => {
      const prefixes = fc.oneof(fc.constant(128), fc.integer({ min: 0, max: 128 }));
      fc.assert(
        fc.property(hostIpv4, digits(80), prefixes, (v4, free, prefix) => {
          const written = BigInt(`0x${FORMS[form]!(v4, free)}`);
          const found = embeddedIpv4({ address: { family: 6, value: written, zone: null }, prefix });
          if (prefix === 128) expect(found).toContainEqual(oneIpv4(v4));
          expect(found.some((range) => rangeWithin(oneIpv4(v4), range))).toBe(true);
        }),
      );
    },
  );

  test.each([
    // RFC 6052 section 2.4 has the same examples with a prefix of documentation.
    ['64:ff9b::c000:221', ['192.0.2.33']],
    ['64:ff9b:1:c000:2:2100::', ['192.0.2.33', '2.33.0.0']], // It may be that of a /48 or of a /64.
    ['64:ff9b:1:c0:0:221::', ['192.0.2.33']],
    ['64:ff9b:1:0:c0:2:2100:0', ['192.0.2.33', '33.0.0.0']],
    ['64:ff9b::a00:0/120', ['10.0.0.0/24']],
    ['2002:c000:221::/112', ['192.0.2.33']],
    ['2002:c000::/32', ['192.0.0.0/16', '0.0.0.0/0']], // Some of its addresses have the form of ISATAP, too.
    // RFC 4380 section 5.1: server 65.54.227.120, client 192.0.2.45.
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', ['65.54.227.120', '192.0.2.45']],
    ['fe80::5efe:192.0.2.33%eth0', ['192.0.2.33']],
    ['::/0', ['0.0.0.0/0']],
  ])('%s leads to %j', (text, expected) => {
    expect([...new Set(embedded(text))].sort()).toEqual([...expected].sort());
  });

  test('there are none in an IPv4 address, in other IPv6 addresses, and none that is no host', () => {
    for (const text of ['10.0.0.5', '::ffff:10.0.0.5', '::1', '2001:db8::a00:5', 'fd00::a00:5', 'fe80::a00:5%eth0']) {
      expect(embedded(text), text).toEqual([]);
    }
    expect(embedded('64:ff9b::224.0.0.1')).toEqual([]);
    fc.assert(
      fc.property(digits(128), (text) => {
        const value = BigInt(`0x26${text.slice(2, 16)}1${text.slice(17)}`);
        expect(embeddedIpv4({ address: { family: 6, value, zone: null }, prefix: 128 })).toEqual([]);
      }),
    );
  });
});

/* ---- targets -------------------------------------------------------------------------------------------------- */

describe('targets', () => {
  test('that a schema accepts have a canonical form, which it accepts and which is its own', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyIp, anyRange.map(formatRange), fc.string()), (text) => {
        for (const schema of [TargetAddress, TargetRange]) {
          const target = schema.safeParse(text).data;
          if (target === undefined) continue;
          const canonical = JSON.parse(JSON.stringify(target));
          const again = schema.safeParse(canonical).data;
          expect([again?.text, again?.range], `${text} -> ${canonical}`).toEqual([canonical, target.range]);
          expect(target.written).toBe(text);
          expect(canonical).toMatch(/^[0-9a-f]*[:.][0-9a-f:.]*(?:%[\w.-]{1,15})?(?:\/\d{1,3})?$/i);
        }
      }),
      { numRuns: 600 },
    );
  });

  test('are hosts; a range may be anything but everything', () => {
    for (const text of ['0.0.0.0', '::', '255.255.255.255', 'ff02::1', '10.0.0.0/8', 'router']) {
      expect(TargetAddress.safeParse(text).success, text).toBe(false);
    }
    for (const text of ['0.0.0.0/0', '::/0', '224.0.0.0/4', '-iL/etc/passwd']) {
      expect(TargetRange.safeParse(text).success, text).toBe(false);
    }
  });
});

/* ---- host names ----------------------------------------------------------------------------------------------- */

describe('parseHostName', () => {
  test.each([
    ['Router.LAN', 'router.lan'],
    ['router.lan.', 'router.lan'],
    ['_ipp._tcp.local', '_ipp._tcp.local'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['1.2.3.4a', '1.2.3.4a'],
    ['a'.repeat(63), 'a'.repeat(63)],
  ])('%j is %j', (text, name) => {
    expect(parseHostName(text)).toBe(name);
  });

  test.each([
    ...'. a..b .a -a a- a.-b 1.2.3.4 0x7f000001 host.123 １２７.0.0.1 a/b a:b a%62 user@host a?b a#b [::1]'.split(' '),
    ...['', 'a b', 'a\nb', 'a'.repeat(64), `${'a.'.repeat(127)}aa`, '; rm -rf'],
  ])('refuses %j', (text) => {
    expect(parseHostName(text)).toBeNull();
  });

  test('gives a name that is its own canonical form, safe as an argument, and no address', () => {
    const nearlyName = fc.oneof(
      fc.domain(),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc
        .array(fc.constantFrom('a', 'ß', 'İ', '-', '_', '.', '。', '0', 'xn--', 'ａ', '１', '٣', '\u200d', '\u00ad'), {
          maxLength: 12,
        })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(nearlyName, (text) => {
        const name = parseHostName(text);
        if (name === null) return;
        expect(name).toMatch(/^[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?$/);
        expect(isIP(name)).toBe(0);
        expect(parseHostName(name), `${JSON.stringify(text)} -> ${name}`).toBe(name);
      }),
      { numRuns: 1_000 },
    );
  });

  test('agrees with the platform on international names', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zäöüßéèñçøåα-ωа-я]{1,12}(\.[a-zäöü]{2,6}){1,2}$/u), (text) => {
        expect(parseHostName(text)).toBe(domainToASCII(text));
      }),
    );
  });
});

test('a lookup target that is accepted has a canonical form', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyIp, fc.domain(), fc.string()), (text) => {
      const lookup = LookupTarget.safeParse(text).data;
      if (lookup === undefined) return;
      const canonical = JSON.parse(JSON.stringify(lookup));
      expect(LookupTarget.parse(canonical)).toEqual(lookup);
      expect(canonical.startsWith('-')).toBe(false);
    }),
    { numRuns: 500 },
  );
});
