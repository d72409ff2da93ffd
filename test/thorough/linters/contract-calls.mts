/**
 * The eighteen operations of the contract, called by a client whose types openapi-typescript has made of docs/openapi.json.
 * Compiled by generated-client.test.ts, with the strict settings of a project that has just begun.
 */
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

/** @returns the status of each answer */
export async function callContract(baseUrl: string, token: string, mac: string): Promise<Record<string, number>> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  const content = Buffer.from(`devMac,devName\n${mac},nas\n`).toString('base64');
  const answers = {
    import: await client.POST('/devices/import', { body: { content } }),
    devices: await client.GET('/devices'),
    search: await client.POST('/devices/search', { body: { query: 'nas' } }),
    totals: await client.GET('/devices/totals'),
    'by-status': await client.GET('/devices/by-status', { params: { query: { status: 'my' } } }),
    latest: await client.GET('/devices/latest'),
    topology: await client.GET('/devices/network/topology'),
    export: await client.GET('/devices/export', { parseAs: 'text' }),
    'export/{format}': await client.GET('/devices/export/{format}', { params: { path: { format: 'json' } } }),
    wakeonlan: await client.POST('/nettools/wakeonlan', { body: { devMac: mac } }),
    traceroute: await client.POST('/nettools/traceroute', { body: { devLastIP: '192.0.2.1' } }),
    speedtest: await client.GET('/nettools/speedtest'),
    nslookup: await client.POST('/nettools/nslookup', { body: { devLastIP: 'nas.example' } }),
    nmap: await client.POST('/nettools/nmap', { body: { scan: '192.0.2.1', mode: 'fast' } }),
    internetinfo: await client.GET('/nettools/internetinfo'),
    interfaces: await client.GET('/nettools/interfaces'),
    'empty-macs': await client.DELETE('/devices/empty-macs'),
    unknown: await client.DELETE('/devices/unknown'),
    delete: await client.DELETE('/devices', { body: { macs: [mac] } }),
  };
  const { devices } = answers.devices.data ?? { devices: [] };
  if (devices[0]?.devName !== 'nas') throw new Error('the imported device is not listed');
  return Object.fromEntries(Object.entries(answers).map(([name, { response }]) => [name, response.status]));
}
