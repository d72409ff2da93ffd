/** AdGuard Home: names of clients, joined with its leases, which alone have MACs. It does not know when it last saw a client. */
import * as z from 'zod';
import { canonicalAddress, parseMac } from '../../../shared/network.ts';
import { HttpUrl } from '../../config.ts';
import { below, observed, requestJson, rowsOf, Text, texts } from '../answers.ts';
import { defineSource } from '../source.ts';

const Lease = z.object(texts('mac ip hostname'));
const Dhcp = z.object({ leases: rowsOf(Lease).nullable(), static_leases: rowsOf(Lease).nullable() });
const Client = z.object({ name: Text, ids: rowsOf(z.string()).catch([]) });
const AutoClient = z.object(texts('ip name source'));
const Clients = z.object({ clients: rowsOf(Client).nullable(), auto_clients: rowsOf(AutoClient).nullable() });

/** Sources of names from outside the LAN. */
const FOREIGN: readonly (string | undefined)[] = ['WHOIS'];

export const adguard = defineSource({
  kind: 'adguard',
  title: 'AdGuard Home',
  settings: z.object({
    url: HttpUrl.describe('address of AdGuard Home, such as http://192.168.1.5:3000'),
    user: z.string().min(1).describe('user of AdGuard Home'),
    password: z.string().min(1).describe('password of this user'),
  }),
  secrets: ['password'],
  rights: 'A user of AdGuard Home. It has one role only, which may do everything. LanReach only reads.',
  async *read({ url, user, password }, request) {
    const get = <Schema extends z.ZodType>(path: string, schema: Schema) =>
      requestJson(request, { url: below(url, `control/${path}`), basic: { user, password } }, schema);
    const { leases, static_leases } = await get('dhcp/status', Dhcp);
    const macs = new Map<string, string>();
    for (const { mac = '', ip, hostname } of [...(static_leases ?? []), ...(leases ?? [])]) {
      const address = canonicalAddress(ip ?? null);
      if (address !== null) macs.set(address, mac);
      yield* observed({ mac, addresses: [ip], hostName: hostname });
    }
    const macOf = (id = '') => parseMac(id) ?? parseMac(macs.get(canonicalAddress(id) ?? '') ?? '');
    const { clients, auto_clients } = await get('clients', Clients);
    for (const { name, ids } of clients ?? []) {
      const devices = new Set(ids.flatMap((id) => macOf(id) ?? []));
      // A client with several devices is a person, or a group.
      if (devices.size === 1) yield* observed({ mac: [...devices][0], givenName: name });
    }
    for (const { ip, name, source } of auto_clients ?? []) {
      const mac = macOf(ip);
      if (mac !== null && !FOREIGN.includes(source)) yield* observed({ mac, hostName: name });
    }
  },
});
