import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SsdpResponder } from './ssdp.ts';

const answer = (st: string, more: string[] = []) =>
  Buffer.from(['HTTP/1.1 200 OK', 'Cache-Control: max-age=1800', `St: ${st}`, ...more, '', ''].join('\r\n'));
const DEVICE = 'urn:schemas-upnp-org:device:MediaRenderer:1';
const SERVICE = 'urn:schemas-upnp-org:service:AVTransport:1';

function responder(...packets: Buffer[]): SsdpResponder {
  const one = new SsdpResponder();
  for (const each of packets) one.read(each);
  return one;
}

test('the server, the specific targets, devices first, and the locations of the descriptions', () => {
  const packets = [
    answer(SERVICE, ['LOCATION: http://192.168.1.31:1/other.xml']),
    answer('upnp:rootdevice', ['SERVER: SHP, UPnP/1.0, Samsung UPnP SDK/1.0']),
    answer('uuid:2f402f80-da50-11e1-9b23-8c7712780131'),
    answer(DEVICE, ['Location:http://192.168.1.31:9197/dmr', 'SERVER:  SHP, UPnP/1.0, Samsung UPnP SDK/1.0']),
  ];
  for (const each of [packets, packets.toReversed()]) {
    const one = responder(...each);
    expect(one.observations()).toEqual([
      { source: 'ssdp-server', value: 'SHP, UPnP/1.0, Samsung UPnP SDK/1.0' },
      { source: 'ssdp-type', value: DEVICE },
      { source: 'ssdp-type', value: SERVICE },
    ]);
    expect(one.locations).toEqual(['http://192.168.1.31:9197/dmr', 'http://192.168.1.31:1/other.xml']);
  }
});

test('announcements, searches, and what is no HTTP have no effect', () => {
  const one = responder(
    Buffer.from(`NOTIFY * HTTP/1.1\r\nNT: ${DEVICE}\r\nST: ${DEVICE}\r\n\r\n`),
    Buffer.from(`HTTP/1.1 404 No\r\nST: ${DEVICE}\r\n\r\n`),
    answer(DEVICE, [`SERVER: ${'x'.repeat(60_000)}`]),
  );
  expect([one.observations(), one.locations]).toEqual([[], []]);
});

test('however many responses there are, little is kept and reported, and no bytes make it fail', () => {
  const many = Array.from({ length: 500 }, (_, i) =>
    answer(`urn:x:device:${i}`, [`SERVER: s${i}`, `LOCATION: http://192.168.1.31/${i}`]),
  );
  const one = responder(...many);
  expect([one.observations().length, one.locations.length]).toEqual([9, 8]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const two = responder(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n'), bytes]));
      expect(two.observations().length).toBeLessThan(10);
    }),
  );
});
