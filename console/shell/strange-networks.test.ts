import { expect, test } from 'vitest';
import { strangeNetworksOf, withGateway } from './strange-networks.ts';

type Agent = Parameters<typeof strangeNetworksOf>[0][number];

const MAC = 'AA:BB:CC:DD:EE:FF';
const strange = [{ network: '192.168.1.0/24', gateway: MAC, answered: 1, known: 30 }];
const moved: Agent = { id: 'home:laptop', state: 'online', discovery: { state: 'another-network', strange } };

test('an agent on another network says which router it sees, and how many known devices', () => {
  expect(strangeNetworksOf([moved])).toEqual([
    {
      key: `home:laptop 192.168.1.0/24 ${MAC}`,
      text: `Agent home:laptop sees a different router (${MAC}) in 192.168.1.0/24, and 1 of 30 known devices. No changes are recorded until you confirm that this is the right network.`,
      gateway: MAC,
    },
  ]);
});

test('without a router there is nothing to confirm', () => {
  const alone = [{ ...strange[0]!, gateway: null, answered: 0 }];
  expect(strangeNetworksOf([{ ...moved, discovery: { state: 'another-network', strange: alone } }])).toMatchObject([
    {
      text: 'Agent home:laptop sees no router in 192.168.1.0/24, and 0 of 30 known devices. No changes are recorded until it is back on a known network.',
      gateway: null,
    },
  ]);
});

test('an agent that is away, or that knows where it is, says nothing', () => {
  const known: Agent = { ...moved, discovery: { state: 'on', strange } };
  expect(strangeNetworksOf([{ ...moved, state: 'offline' }, known, { ...moved, discovery: null }])).toEqual([]);
});

test('a gateway is confirmed beside those that are confirmed already, once', () => {
  expect(withGateway([], MAC)).toEqual([MAC]);
  expect(withGateway(['11:22:33:44:55:66', MAC], MAC)).toEqual(['11:22:33:44:55:66', MAC]);
});
