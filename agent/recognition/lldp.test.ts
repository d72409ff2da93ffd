import fc from 'fast-check';
import { expect, test } from 'vitest';
import { capabilitiesIn, cardOf, isSwitch, parseLldpcli } from './lldp.ts';

test.each([
  [[0b00101000, 0], ['bridge', 'router'], true],
  [[0b00100100], ['bridge', 'tel'], false],
  [[0b00110000], ['bridge', 'wlan'], false],
  [[0b00111000], ['bridge', 'wlan', 'router'], true],
  [[0b00000001], ['station'], false],
  [[], [], false],
])('capabilities of the bits %j: %j, a switch: %j', (bits, capabilities, expected) => {
  const found = capabilitiesIn(Buffer.from(bits));
  expect(found).toEqual(capabilities);
  expect(isSwitch({ capabilities: found })).toBe(expected);
});

const value = (type: string, text: string) => [{ type, value: text }];
const answerOf = (chassis: object, port: object) =>
  JSON.stringify({ lldp: [{ interface: [{ name: 'eth0', via: 'LLDP', chassis: [chassis], port: [port] }] }] });

test('lldpcli names the switch, the port of it and what it can do', () => {
  const capability = [
    { type: 'Bridge', enabled: true },
    { type: 'Router', enabled: false },
  ];
  const chassis = { id: value('mac', '00:1e:06:00:00:02'), name: [{ value: 'sw1' }], descr: [{ value: 'A switch' }] };
  const text = answerOf(
    { ...chassis, 'mgmt-ip': [{ value: '10.0.0.2' }], capability },
    { id: value('ifname', 'Gi0/4'), descr: [{ value: 'office' }] },
  );
  const said = { name: 'sw1', description: 'A switch', capabilities: ['bridge'] };
  const place = { interface: 'eth0', port: 'Gi0/4', macs: ['00:1E:06:00:00:02'], ips: ['10.0.0.2'] };
  expect(parseLldpcli(text)).toEqual([{ ...place, ...said }]);
});

test('a port that has only a MAC is named by its description, and its MAC comes first', () => {
  const chassis = { id: value('mac', '00:1e:06:00:00:02') };
  const port = { id: value('mac', '00:1e:06:00:00:0a'), descr: [{ value: 'swp1' }] };
  expect(parseLldpcli(answerOf(chassis, port))[0]).toMatchObject({
    port: 'swp1',
    macs: ['00:1E:06:00:00:0A', '00:1E:06:00:00:02'],
    capabilities: [],
  });
});

test('whatever lldpcli prints, parsing it does not fail, and MACs of groups are none', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (chassis, port) => {
      expect(parseLldpcli(chassis)).toEqual([]);
      const parsed = parseLldpcli(`{"lldp":[{"interface":[{"name":"eth0","chassis":[${chassis}],"port":${port}}]}]}`);
      expect(parsed.length).toBeLessThanOrEqual(1);
    }),
  );
  expect(['01:00:5E:00:00:01', '00:00:00:00:00:00', 7, Buffer.alloc(5), null].map(cardOf)).toEqual(Array(5).fill(null));
});
