import { networkInterfaces } from 'node:os';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { range } from '../../shared/network.ts';
import { observationsIn, ownUrl } from './upnp-description.ts';

const LAN = range('192.168.1.0/24');

test.each([
  ['http://192.168.1.31:9197/dmr?x=1', '192.168.1.31', true],
  ['http://192.168.1.31/', '192.168.1.31', true],
  ['http://192.168.1.32:9197/dmr', '192.168.1.31', false],
  ['http://169.254.169.254/latest/meta-data/', '192.168.1.31', false],
  ['http://169.254.169.254/latest/meta-data/', '169.254.169.254', false],
  ['http://127.0.0.1:8791/devices', '127.0.0.1', false],
  ['http://2130706433:8791/devices', '192.168.1.31', false],
  ['http://[::1]/', '::1', false],
  ['http://tv.local/', '192.168.1.31', false],
  ['http://192.168.1.31@192.168.1.32/', '192.168.1.31', false],
  ['http://user:word@192.168.1.31/', '192.168.1.31', false],
  ['http://192.168.1.31:0/', '192.168.1.31', false],
  ['https://192.168.1.31/', '192.168.1.31', false],
  ['file:///etc/passwd', '192.168.1.31', false],
  ['http://192.168.2.31/', '192.168.2.31', false],
  ['nonsense', '192.168.1.31', false],
])('%s, named by %s', (location, responder, isAllowed) => {
  expect(ownUrl(location, responder, [LAN]) !== null).toBe(isAllowed);
});

test('metadata services and this host are not queried, also where their network is watched', () => {
  const everywhere = range('0.0.0.0/0');
  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family }) => family === 'IPv4')?.address;
  expect(ownUrl('http://169.254.169.254/', '169.254.169.254', [everywhere])).toBeNull();
  expect(ownUrl(`http://${own}/`, own ?? '', [everywhere])).toBeNull();
});

const xml = (device: string) =>
  `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major></specVersion>${device}</root>`;

test('what a description says; of an embedded device nothing; a model number that differs', () => {
  const text = xml(`<device><deviceType>urn:schemas-upnp-org:device:MediaRenderer:1</deviceType>
    <friendlyName>Tom &amp; Anna&#39;s TV</friendlyName><manufacturer>Samsung</manufacturer><modelName>UE55</modelName>
    <modelNumber> 1.0 </modelNumber><UDN>uuid:1</UDN><deviceList><device><friendlyName>inner</friendlyName></device>
    </deviceList></device>`);
  expect(observationsIn(text)).toEqual([
    { source: 'upnp-type', value: 'urn:schemas-upnp-org:device:MediaRenderer:1' },
    { source: 'upnp-name', value: "Tom & Anna's TV" },
    { source: 'upnp-maker', value: 'Samsung' },
    { source: 'upnp-model', value: 'UE55 1.0' },
    { source: 'upnp-id', value: 'uuid:1' },
  ]);
  const alike = xml('<device><modelName>DS-2CD21</modelName><modelNumber>ds-2cd21</modelNumber></device>');
  expect(observationsIn(alike)).toEqual([{ source: 'upnp-model', value: 'DS-2CD21' }]);
  const room = xml('<device><friendlyName>192.168.1.24 - Sonos One</friendlyName><roomName>Bath</roomName></device>');
  expect(observationsIn(room)).toEqual([{ source: 'upnp-name', value: 'Bath' }]);
  const prefixed =
    '<u:root xmlns:u="x"><u:device><u:modelName>M</u:modelName><u:modelName>N</u:modelName></u:device></u:root>';
  expect(observationsIn(prefixed)).toEqual([{ source: 'upnp-model', value: 'M' }]);
});

test('an element that is there twice counts once, and a text that cannot be read costs only itself', () => {
  const twice = '<device><modelName>M</modelName><UDN><odd/></UDN></device><device><modelName>N</modelName></device>';
  expect(observationsIn(xml(twice))).toEqual([{ source: 'upnp-model', value: 'M' }]);
});

test('entities are not expanded, depth is bounded, and what is malformed says nothing', () => {
  const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(20)}">`).join('');
  const bomb = `<!DOCTYPE r [<!ENTITY a0 "boom">${entities}]>${xml('<device><modelName>&a20;</modelName></device>')}`;
  const deep = xml(`<device><modelName>M</modelName>${'<a>'.repeat(20_000)}`);
  for (const each of [bomb, deep, '', '<', 'null', xml('<device/>'), xml('text'), '<!DOCTYPE html><html></html>']) {
    expect(observationsIn(each)).toEqual([]);
  }
  expect(observationsIn(xml('<device><__proto__><a>1</a></__proto__><constructor>2</constructor></device>'))).toEqual(
    [],
  );
  const tags = '<device> </device> <modelName> </modelName> <![CDATA[ ]]> <!-- &#x1; M <UDN/>';
  const parts = fc.constantFrom(...tags.split(' '));
  fc.assert(fc.property(fc.array(parts), (all) => void observationsIn(xml(all.join('')))));
});
