/** UniFi Network by its Integration API (from 9.0), with a key: who is connected, and through which device. */
import * as z from 'zod';
import { HttpUrl } from '../../config.ts';
import { allPages, below, countedRows, HeaderText, observed, requestJson, texts } from '../answers.ts';
import { defineSource, SourceFailure, type SourceLink, type SourceRequest } from '../source.ts';

const API = 'proxy/network/integration/v1/';
/** The most that the API gives at once. */
const PAGE = 200;

/** Part of a path, therefore nothing but an id. */
const Id = z.string().regex(/^[\w-]{1,64}$/);
const Site = z.object({ id: Id, ...texts('name internalReference') });
const Device = z.object(texts('id macAddress ipAddress name model state'));
const Client = z.object(texts('type name ipAddress macAddress uplinkDeviceId'));

/** A name that cannot be a host name was given by a person: the API has one field for both. */
const HOST_NAME = /^[\w.-]+$/;

export const unifi = defineSource({
  kind: 'unifi',
  title: 'UniFi Network, Integration API',
  settings: z.object({
    url: HttpUrl.describe('address of the console, such as https://192.168.1.1; of UniFi OS Server with :11443'),
    key: HeaderText.describe('API key, made under Integrations'),
    site: z.string().min(1).optional().describe('name of one site; default: all sites'),
  }),
  secrets: ['key'],
  rights: 'An API key of the console, made under Integrations. LanReach only reads.',
  async *read({ url, key, site }, request) {
    const list = <Row extends z.ZodType>(path: string, row: Row) => pages(below(url, API + path), key, row, request);
    let sites = 0;
    for await (const { id, name, internalReference } of list('sites', Site)) {
      if (site !== undefined && ![id, name, internalReference].includes(site)) continue;
      sites++;
      const macs = new Map<string | undefined, string | undefined>();
      for await (const device of list(`sites/${id}/devices`, Device)) {
        macs.set(device.id, device.macAddress);
        yield* observed({
          mac: device.macAddress,
          addresses: [device.ipAddress],
          ...nameOf(device.name),
          vendor: 'Ubiquiti',
          model: device.model,
          lastSeen: device.state === 'ONLINE' ? request.now() : undefined,
        });
      }
      // Clients of a VPN have no MAC.
      for await (const client of list(`sites/${id}/clients`, Client)) {
        yield* observed({
          mac: client.macAddress,
          addresses: [client.ipAddress],
          ...nameOf(client.name),
          lastSeen: request.now(),
          link: linkOf(client.type, macs.get(client.uplinkDeviceId)),
        });
      }
    }
    if (sites === 0)
      throw new SourceFailure(site === undefined ? 'the console has no site' : 'the console has no site of this name');
  },
});

function pages<Row extends z.ZodType>(url: URL, key: string, row: Row, request: SourceRequest) {
  const Answer = z
    .object({ totalCount: z.number(), data: countedRows(row) })
    .transform(({ totalCount, data }) => ({ total: totalCount, ...data }));
  return allPages((offset) => {
    url.search = `offset=${offset}&limit=${PAGE}`;
    return requestJson(request, { url, headers: { 'x-api-key': key } }, Answer);
  });
}

function nameOf(name = '') {
  return HOST_NAME.test(name) ? { hostName: name } : { givenName: name };
}

function linkOf(type: string | undefined, uplink: string | undefined): SourceLink | undefined {
  if (type === 'WIRELESS') return { medium: 'wireless', accessPoint: uplink };
  return type === 'WIRED' ? { medium: 'wired', switch: uplink } : undefined;
}
