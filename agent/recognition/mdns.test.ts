import * as packet from 'dns-packet';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MdnsResponder } from './mdns.ts';

const OWN = new Set(['192.168.1.30', 'fe80::30']);

interface Service {
  type: string;
  label: string;
  host: string;
  ip: string;
  text?: (string | Buffer)[];
}

function answerOf({ type, label, host, ip, text = [] }: Service): packet.Answer[] {
  const name = `${label}.${type}.local`;
  return [
    { type: 'PTR', name: `${type}.local`, data: name },
    { type: 'SRV', name, data: { port: 80, target: host } },
    { type: 'TXT', name, data: text.length === 0 ? [''] : text },
    { type: ip.includes(':') ? 'AAAA' : 'A', name: host, data: ip },
  ];
}

/** What devices of Apple say of their model. */
const informationOf = (label: string, ...data: string[]): packet.Answer[] => {
  return [{ type: 'TXT', name: `${label}._device-info._tcp.local`, data }];
};

function responder(...packets: (packet.Answer[] | Buffer)[]): MdnsResponder {
  const one = new MdnsResponder();
  for (const each of packets) {
    one.read(Buffer.isBuffer(each) ? each : packet.encode({ type: 'response', answers: each }));
  }
  return one;
}

/** As one text for each observation. */
function said(...packets: (packet.Answer[] | Buffer)[]): string[] {
  const { heard, host } = responder(...packets).reply(OWN);
  return [...heard.map(({ source, value }) => `${source} ${value}`), ...(host === null ? [] : [`host ${host}`])];
}

const IPP = {
  type: '_ipp._tcp',
  label: 'Brother HL-L2350DW v1.2',
  host: 'BRW001BA9780130.local',
  ip: '192.168.1.30',
  text: ['txtvers=1', 'TY=Brother HL-L2350DW', 'usb_MFG=Brother', 'ty=another', 'adminurl=http://x/', 'pk=secret'],
};

test('a service, its instance, and the texts that identify a device; the same text only once', () => {
  const expected = [
    'mdns-service _ipp._tcp',
    'mdns-service _printer._tcp',
    'mdns-instance _ipp._tcp Brother HL-L2350DW v1.2',
    'mdns-instance _printer._tcp Brother HL-L2350DW v1.2',
    'mdns-text _ipp._tcp ty=Brother HL-L2350DW',
    'mdns-text _ipp._tcp usb_MFG=Brother',
    'host BRW001BA9780130.local',
  ];
  const [ipp, printer] = [answerOf(IPP), answerOf({ ...IPP, type: '_printer._tcp' })];
  expect(said(ipp, printer)).toEqual(expected);
  expect(said([...printer.toReversed(), ...ipp.toReversed()])).toEqual(expected);
});

test('records of others, from a proxy or a reflector, are left out, and so are their services', () => {
  const place = { host: 'tv.local', ip: '192.168.1.31' };
  const other = { type: '_googlecast._tcp', label: 'TV', ...place, text: ['md=Chromecast'] };
  const services: packet.Answer[] = [{ type: 'PTR', name: '_services._dns-sd._udp.local', data: '_hap._tcp.local' }];
  const information = informationOf('TV', 'model=AppleTV14,1');
  expect(said(answerOf(other), answerOf({ ...other, ip: '2001:db8::31' }), services, information)).toEqual([]);
  expect(said(answerOf(other), answerOf(IPP)).some((each) => /googlecast|TV/.test(each))).toBe(false);
  // Without an address.
  expect(said([{ type: 'PTR', name: '_hap._tcp.local', data: 'Lamp._hap._tcp.local' }])).toEqual([]);
  // Its own IPv6 address identifies it.
  expect(said(answerOf({ ...other, ip: 'fe80::30' }))).toContain('mdns-text _googlecast._tcp md=Chromecast');
});

test('what Apple says of the model belongs to the instance of the same name', () => {
  const airplay = { type: '_airplay._tcp', label: 'Wohnzimmer', host: 'Wohnzimmer.local', ip: '192.168.1.30' };
  const information = informationOf('Wohnzimmer', 'model=J305AP', 'osxvers=22');
  expect(said(answerOf(airplay), information)).toContain('mdns-text _device-info._tcp model=J305AP');
  expect(said(information)).toContain('mdns-text _device-info._tcp model=J305AP');
});

test('missing records are queried, each once, and a bounded number', () => {
  const name = 'Lamp._hap._tcp.local';
  const one = responder([{ type: 'PTR', name: '_hap._tcp.local', data: name }]);
  const questions = [
    { name, type: 'SRV' },
    { name, type: 'TXT' },
    { name: 'Lamp._device-info._tcp.local', type: 'TXT' },
  ];
  expect(one.followUps()).toEqual(questions);
  expect(one.followUps()).toEqual([]);
  one.read(
    packet.encode({ type: 'response', answers: [{ type: 'SRV', name, data: { port: 1, target: 'lamp.local' } }] }),
  );
  expect(one.followUps()).toEqual([{ name: 'lamp.local', type: 'A' }]);
  const many = Array.from({ length: 40 }, (_, i) => answerOf({ ...IPP, label: `P${i}` }).slice(0, 1));
  expect(responder(...many).followUps()).toHaveLength(8);
});

test('however many records there are, little is kept and reported', () => {
  const many = Array.from({ length: 400 }, (_, i) => [
    ...answerOf({ ...IPP, label: `I${i}`, type: `_x${i}._tcp`, host: `h${i}.local` }),
    { type: 'PTR' as const, name: '_services._dns-sd._udp.local', data: `_y${i}._tcp.local` },
  ]);
  const one = responder(...many);
  expect(one.types.size).toBe(64);
  const { heard } = one.reply(OWN);
  expect(heard.length).toBeLessThanOrEqual(12 + 10 + 16);
  expect(heard.every(({ value }) => value.length < 250)).toBe(true);
  const keys = Array.from({ length: 1_000 }, (_, i) => `k${i}=v`);
  for (const each of said(answerOf({ ...IPP, text: [...keys, 'md=late'] }))) expect(each).not.toMatch(/^mdns-text/);
  // 64 KB in one packet are not looked at.
  const text = Array.from({ length: 230 }, () => `md=${'v'.repeat(240)}`);
  expect(said(answerOf({ ...IPP, text }))).toEqual([]);
});

/** A packet of records, as they are. */
function packetOf(...records: Buffer[]): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(0x8400, 2);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, ...records]);
}
const encoded = (record: packet.Answer) => packet.encode({ type: 'response', answers: [record] }).subarray(12);
function odd(type: number, data: number[], name = [1, 0x78, 0]): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([Buffer.from(name), fields, Buffer.from(data)]);
}

test.each([
  ['NSEC that leads behind the end', odd(47, [0xc3, 0xff, 0, 4, 0x40, 0, 0, 8])],
  ['SRV that leads behind the end', odd(33, [0, 0, 0, 0, 0, 80, 0xff, 0xff])],
  ['PTR whose name leads to itself', odd(12, [1, 0x79, 0], [0xcf, 0xff])],
  ['A of three bytes', odd(1, [10, 0, 0])],
  ['AAAA without bytes', odd(28, [])],
  ['TXT whose string is longer than itself', odd(16, [9, 0x61])],
  ['OPT', odd(41, [0, 4, 0xff, 0xff], [0])],
  ['record of no known type', odd(65_280, [1, 2, 3])],
])('one %s costs only itself', (_, record) => {
  const good = answerOf(IPP).map(encoded);
  const expected = said(answerOf(IPP));
  for (let i = 0; i <= good.length; i++) expect(said(packetOf(...good.toSpliced(i, 0, record)))).toEqual(expected);
});

test('a packet that ends too early, or announces more than it holds, says what stands before its end', () => {
  const good = answerOf(IPP).map(encoded);
  const whole = said(answerOf(IPP));
  const cut = packetOf(...good, encoded({ type: 'A', name: 'x.local', data: '10.0.0.1' }));
  for (let bytes = 1; bytes < 20; bytes++) expect(said(cut.subarray(0, cut.length - bytes))).toEqual(whole);
  const announcing = packetOf(...good);
  announcing.writeUInt16BE(9_999, 6);
  expect(said(announcing)).toEqual(whole);
  const text = odd(16, [5, ...Buffer.from('md=ok'), 99, 1], [...Buffer.from('\x04Lamp\x04_hap\x04_tcp\x05local\0')]);
  const lamp = { type: '_hap._tcp', label: 'Lamp', host: 'lamp.local', ip: '192.168.1.30' };
  const [pointer, service, , address] = answerOf(lamp).map(encoded);
  expect(said(packetOf(pointer!, service!, text, address!))).toContain('mdns-text _hap._tcp md=ok');
});

const HEADER = [0, 0, 0x84, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0];

test.each([
  ['leads to itself', [0xc0, 12, 0, 12, 0, 1, 0, 0, 0, 10, 0, 2, 0xc0, 12]],
  ['leads in a circle', [0xc0, 14, 0xc0, 12, 0, 12, 0, 1, 0, 0, 0, 10, 0, 2, 0xc0, 12]],
  ['leads behind the end', [0xff, 0xff, 0, 12, 0, 1]],
  ['never ends', Array.from({ length: 8_900 }, (_, i) => (i % 2 === 0 ? 1 : 0x61))],
])('a name that %s has no effect', (_, bytes) => {
  expect(said(Buffer.from([...HEADER, ...bytes]))).toEqual([]);
});

test('no bytes make it fail, and nothing but reportable text comes out', () => {
  const real = packet.encode({ type: 'response', answers: answerOf(IPP) });
  const damaged = fc.array(fc.tuple(fc.nat(real.length - 1), fc.nat(255)), { maxLength: 12 }).map((changes) => {
    const copy = Buffer.from(real);
    for (const [at, byte] of changes) copy[at] = byte;
    return copy;
  });
  const noise = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from([...HEADER, ...bytes]));
  fc.assert(
    fc.property(fc.array(fc.oneof(damaged, noise), { maxLength: 4 }), (packets) => {
      const one = responder(...packets);
      one.followUps();
      for (const { value } of one.reply(OWN).heard) expect(value).toMatch(/^_[a-z0-9-]+\._(?:tcp|udp)(?: |$)/);
    }),
  );
});
