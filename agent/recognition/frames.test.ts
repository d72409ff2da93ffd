import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signIn } from './frames.ts';
import { NoPcap, PcapReader } from './pcap.ts';

const MAC = '00:1E:06:AA:BB:01';
const bytesOf = (mac: string) => Buffer.from(mac.replaceAll(':', ''), 'hex');
const ethernet = (type: number, body: Buffer, from = MAC) =>
  Buffer.concat([Buffer.alloc(6, 0xff), bytesOf(from), Buffer.from([type >> 8, type & 255]), body]);
const arp = (sender: string, ip: number[], target: number[]) =>
  Buffer.concat([
    Buffer.from('0001080006040001', 'hex'),
    bytesOf(sender),
    Buffer.from(ip),
    Buffer.alloc(6),
    Buffer.from(target),
  ]);

function dhcp(options: [number, Buffer][], relay = 0): Buffer {
  const bootp = Buffer.alloc(240);
  bootp.set([1, 1, 6]);
  bootp.writeUInt32BE(relay, 24);
  bytesOf(MAC).copy(bootp, 28);
  bootp.writeUInt32BE(0x63825363, 236);
  const written = options.map(([code, value]) => Buffer.concat([Buffer.from([code, value.length]), value]));
  const payload = Buffer.concat([bootp, ...written, Buffer.from([255])]);
  const udp = Buffer.from([0, 68, 0, 67, 0, 0, 0, 0]);
  const ip = Buffer.alloc(20);
  ip.set([0x45]);
  ip.set([17], 9);
  return ethernet(0x0800, Buffer.concat([ip, udp, payload]));
}

test('ARP: who has an address, who is about to take one, and nobody who contradicts himself', () => {
  expect(signIn(ethernet(0x0806, arp(MAC, [10, 0, 0, 7], [10, 0, 0, 1])))).toEqual({
    mac: MAC,
    ip: '10.0.0.7',
    heard: [],
  });
  expect(signIn(ethernet(0x0806, arp(MAC, [0, 0, 0, 0], [10, 0, 0, 7])))).toEqual({
    mac: MAC,
    ip: '10.0.0.7',
    heard: [],
  });
  const tagged = Buffer.concat([Buffer.from([0, 20, 8, 6]), arp(MAC, [10, 0, 0, 7], [10, 0, 0, 1])]);
  expect(signIn(ethernet(0x8100, tagged))?.ip).toBe('10.0.0.7');
  expect(signIn(ethernet(0x0806, arp('00:1E:06:AA:BB:02', [10, 0, 0, 7], [10, 0, 0, 1])))).toBeNull();
  const group = '01:1E:06:AA:BB:01';
  expect(signIn(ethernet(0x0806, arp(group, [10, 0, 0, 7], [10, 0, 0, 1]), group))).toBeNull();
});

test('DHCP: the name, the class and the options of a request, and the address that it wants', () => {
  const options: [number, Buffer][] = [
    [53, Buffer.from([3])],
    [50, Buffer.from([10, 0, 0, 9])],
    [12, Buffer.from('annas-phone\0')],
    [60, Buffer.from('android-dhcp-14')],
    [55, Buffer.from([1, 3, 6, 15])],
  ];
  expect(signIn(dhcp(options))).toEqual({
    mac: MAC,
    ip: '10.0.0.9',
    heard: [
      { source: 'dhcp-name', value: 'annas-phone' },
      { source: 'dhcp-class', value: 'android-dhcp-14' },
      { source: 'dhcp-options', value: '1,3,6,15' },
    ],
  });
  expect(signIn(dhcp([]))).toEqual({ mac: MAC, ip: null, heard: [] });
  expect(signIn(dhcp(options, 0x0a000001))).toBeNull();
});

test('whatever a frame holds, it is a sign or none', () => {
  const frames = [ethernet(0x0806, arp(MAC, [10, 0, 0, 7], [10, 0, 0, 1])), dhcp([[12, Buffer.from('nas')]])];
  fc.assert(
    fc.property(
      fc.constantFrom(...frames),
      fc.nat(700),
      fc.array(fc.tuple(fc.nat(400), fc.nat(255))),
      (frame, length, changes) => {
        const cut = Buffer.from(frame.subarray(0, length));
        for (const [at, value] of changes) if (at < cut.length) cut[at] = value;
        expect(() => signIn(cut)).not.toThrow();
      },
    ),
  );
});

function pcap(frames: readonly Buffer[], isLittle = true): Buffer {
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    if (isLittle) bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  };
  const header = [0xa1b2c3d4, 0x00040002, 0, 0, 600, 1].map(number);
  const records = frames.flatMap((frame) => [number(1), number(2), number(frame.length), number(frame.length), frame]);
  return Buffer.concat([...header, ...records]);
}

test('frames come as they were written, however the stream is cut', () => {
  const frame = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 20 }),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 90 })),
      (frames, isLittle, cuts) => {
        const read: Buffer[] = [];
        const reader = new PcapReader((one) => read.push(Buffer.from(one)));
        let rest = pcap(frames, isLittle);
        for (const cut of cuts) {
          reader.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        reader.push(rest);
        expect(read).toEqual(frames);
      },
    ),
  );
});

test('what is no stream of pcap, or has an endless frame, is refused', () => {
  const reader = () => new PcapReader(() => {});
  expect(() => reader().push(Buffer.alloc(24))).toThrow(NoPcap);
  const endless = pcap([Buffer.alloc(10)]);
  endless.writeUInt32LE(0xffff_ffff, 24 + 8);
  expect(() => reader().push(endless)).toThrow(NoPcap);
});
