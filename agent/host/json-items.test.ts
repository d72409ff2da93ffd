import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseNeighbours } from '../discovery/neighbours.ts';
import { parseLinks } from '../discovery/watched-networks.ts';
import { parseLldpcli } from '../recognition/lldp.ts';
import { parseInterfaces } from '../tools/interfaces.ts';
import { jsonItems } from './json-items.ts';

test('wherever an entry stands that is no JSON, all others are read', () => {
  const entry = fc.jsonValue().filter((value) => value !== null);
  const odd = fc.constantFrom('{"erspan_hwid"}', '{"a":{"b"}}', '[1,{"]"}]', 'nan', '');
  fc.assert(
    fc.property(fc.array(entry), fc.array(entry), odd, (before, after, broken) => {
      const text = [
        ...before.map((each) => JSON.stringify(each)),
        broken,
        ...after.map((each) => JSON.stringify(each)),
      ];
      expect(jsonItems(`[${text.join(',')}]\n`)).toEqual(JSON.parse(JSON.stringify([...before, ...after])));
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => void jsonItems(text)));
});

test('one odd neighbour, link, route, LLDP peer or interface costs only itself', () => {
  const odd = '{"dst"},7,{},';
  const neighbour = '{"dst":"10.0.0.9","lladdr":"00:1e:06:77:01:09","state":["REACHABLE"]}';
  expect(parseNeighbours(`[${odd}${neighbour}]`, 10)).toMatchObject([{ ip: '10.0.0.9' }]);
  expect(parseInterfaces(`[${odd}{"ifindex":7},{"ifname":"lo","mtu":9}]`)).toMatchObject({ lo: { mtu: 9 } });
  const address = '{"local":"10.0.0.2","prefixlen":24}';
  const card = '"ifname":"eth0","flags":["UP","LOWER_UP"],"link_type":"ether","address":"00:1e:06:77:01:02"';
  const links = parseLinks(
    `[${odd}{${card},"addr_info":[{},${address}]}]`,
    `[${odd}{"gateway":7,"dev":"eth0"},{"gateway":"10.0.0.1","dev":"eth0"}]`,
  );
  expect(links).toMatchObject([{ interface: 'eth0', address: '10.0.0.2', gateway: '10.0.0.1' }]);
  const id = '"id":[7,{"type":"mac","value":"00:1e:06:77:01:03"}]';
  const peers = `{"lldp":[7,{"interface":[7,{"name":"eth0","chassis":[{${id}}],"port":7}]}]}`;
  expect(parseLldpcli(peers)).toMatchObject([{ interface: 'eth0', macs: ['00:1E:06:77:01:03'] }]);
});
