/** Docker: containers with a MAC of their own in the LAN. Others are services of their host. */
import * as z from 'zod';
import { HttpUrl } from '../../config.ts';
import { below, observed, requestJson, rowsOf, Text, texts } from '../answers.ts';
import { defineSource } from '../source.ts';

const Network = z.object({ Id: z.string(), Driver: Text });
const Endpoint = z.object(texts('NetworkID IPAddress GlobalIPv6Address MacAddress'));
const Container = z.object({
  Names: rowsOf(z.string()).catch([]),
  State: Text,
  NetworkSettings: z.object({ Networks: z.record(z.string(), Endpoint.catch({})) }),
});

export const docker = defineSource({
  kind: 'docker',
  title: 'Docker',
  settings: z.object({
    url: HttpUrl.describe('address of a proxy that only reads, such as http://127.0.0.1:2375'),
  }),
  secrets: [],
  rights:
    'GET /containers and GET /networks by a proxy that only reads, such as docker-socket-proxy with CONTAINERS=1 and NETWORKS=1. The socket itself is root.',
  async *read({ url }, request) {
    const get = <Row extends z.ZodType>(path: string, row: Row) =>
      requestJson(request, { url: below(url, path) }, rowsOf(row));
    // Without a version in the path, each engine answers with its own. Containers of ipvlan share the MAC of their host.
    const networks = await get('networks', Network);
    const inLan = new Set(networks.flatMap(({ Id, Driver }) => (Driver === 'macvlan' ? [Id] : [])));
    for (const { Names, State, NetworkSettings } of await get('containers/json?all=true', Container)) {
      for (const { NetworkID = '', MacAddress, IPAddress, GlobalIPv6Address } of Object.values(
        NetworkSettings.Networks,
      )) {
        // A container that is stopped has no MAC.
        if (!inLan.has(NetworkID)) continue;
        yield* observed({
          mac: MacAddress,
          addresses: [IPAddress, GlobalIPv6Address],
          hostName: Names[0]?.replace(/^\//, ''),
          lastSeen: State === 'running' ? request.now() : undefined,
        });
      }
    }
  },
});
