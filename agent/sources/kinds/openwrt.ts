/** OpenWrt by ubus over HTTP: leases, hints of hosts, and the clients of its access points. */
import * as z from 'zod';
import { HttpUrl } from '../../config.ts';
import {
  below,
  Flag,
  JSON_BODY,
  observed,
  parsed,
  rejectedLogin,
  requestJson,
  rowsOf,
  Text,
  texts,
} from '../answers.ts';
import { defineSource, SourceFailure, type SourceRequest } from '../source.ts';

const Settings = z.object({
  url: HttpUrl.describe('address of the router, such as https://192.168.1.1'),
  user: z.string().min(1).describe('user of rpcd'),
  password: z.string().min(1).describe('password of this user'),
});
type Settings = z.infer<typeof Settings>;
const Lease = z.object(texts('macaddr hostname ipaddr ip6addr'));
const Leases = z.object({ dhcp_leases: rowsOf(Lease).default([]), dhcp6_leases: rowsOf(Lease).default([]) });
const Literals = rowsOf(z.string()).catch([]);
/** Newer versions have lists. */
const Hint = z.object({ ...texts('name ipv4 ipv6'), ipaddrs: Literals, ip6addrs: Literals });
const Hints = z.record(z.string(), Hint.catch({ ipaddrs: [], ip6addrs: [] }));
const Station = z.object({ assoc: Flag, authorized: Flag });
const Clients = z.object({ clients: z.record(z.string(), Station.catch({})) });
const Session = z.object({ ubus_rpc_session: z.string().regex(/^[0-9a-f]{32}$/) });
const Wifi = z.object({ ssid: Text });

/** Before login. */
const NO_SESSION = '0'.repeat(32);
/** The name of an access point's interface goes back into a request. */
const ACCESS_POINT = /^hostapd\.([\w.-]{1,32})$/;

export const openwrt = defineSource({
  kind: 'openwrt',
  title: 'OpenWrt',
  settings: Settings,
  secrets: ['password'],
  rights:
    'A user of rpcd with an ACL file that grants luci-rpc (getDHCPLeases, getHostHints), hostapd.* (get_clients), iwinfo (info) and session (access, login, destroy). It needs uhttpd-mod-ubus and rpcd-mod-luci.',
  async *read(settings, request) {
    const ubus = ubusOf(settings, request);
    try {
      const { dhcp_leases, dhcp6_leases } = await ubus.call('luci-rpc', 'getDHCPLeases', { family: 0 }, Leases);
      for (const { macaddr, hostname, ipaddr, ip6addr } of [...dhcp_leases, ...dhcp6_leases]) {
        yield* observed({ mac: macaddr, addresses: [ipaddr, ip6addr], hostName: hostname });
      }
      const hints = await ubus.call('luci-rpc', 'getHostHints', {}, Hints);
      for (const [mac, { name, ipv4, ipv6, ipaddrs, ip6addrs }] of Object.entries(hints)) {
        yield* observed({ mac, addresses: [ipv4, ...ipaddrs, ipv6, ...ip6addrs], hostName: name });
      }
      for (const device of await ubus.accessPoints()) {
        const { clients } = await ubus.call(`hostapd.${device}`, 'get_clients', {}, Clients);
        const { ssid } = await ubus.call('iwinfo', 'info', { device }, Wifi).catch(withoutSsid);
        for (const [mac, { assoc = true, authorized = true }] of Object.entries(clients)) {
          if (!assoc || !authorized) continue;
          yield* observed({ mac, lastSeen: request.now(), link: { medium: 'wireless', ssid } });
        }
      }
    } finally {
      await ubus.logOut();
    }
  },
});

const DENIED = 6;
const ERROR_DENIED = -32_002;
const Answer = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number() }).optional().catch(undefined),
});

/** A session of ubus. */
function ubusOf({ url, user, password }: Settings, request: SourceRequest) {
  let session = NO_SESSION;

  const post = (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return requestJson(request, { url: below(url, 'ubus'), method: 'POST', headers: JSON_BODY, body }, Answer);
  };
  const send = async (object: string, method: string, args: object): Promise<unknown> => {
    const { result, error } = await post('call', [session, object, method, args]);
    const [status, value] = Array.isArray(result) ? result : [];
    if (error?.code === ERROR_DENIED || status === DENIED) return 'denied';
    const code = error?.code ?? status;
    if (code !== 0) throw new SourceFailure(`${object} ${method} answered with error ${code}`);
    return value;
  };
  const logIn = async () => {
    session = NO_SESSION;
    const login = await send('session', 'login', { username: user, password });
    if (login === 'denied') throw rejectedLogin(url);
    session = parsed(Session, login, 'session login').ubus_rpc_session;
  };
  return {
    /** Logs in first, and once more when the session has expired. @throws {SourceFailure} */
    async call<Schema extends z.ZodType>(object: string, method: string, args: object, schema: Schema) {
      for (const isLast of [false, true]) {
        if (isLast || session === NO_SESSION) await logIn();
        const result = await send(object, method, args);
        if (result !== 'denied') return parsed(schema, result, `${object} ${method}`);
      }
      throw new SourceFailure(`this user may not call ${object} ${method}: see its ACL file`);
    },
    /** The interfaces of the access points of this router, none without Wi-Fi. */
    async accessPoints(): Promise<string[]> {
      const { result } = await post('list', ['hostapd.*']);
      const names = Array.isArray(result) ? result.map(String) : Object.keys(Object(result));
      return names.flatMap((name) => ACCESS_POINT.exec(name)?.[1] ?? []).slice(0, 64);
    },
    /** Where the user may not, the session expires after five minutes. */
    async logOut(): Promise<void> {
      if (session !== NO_SESSION) await send('session', 'destroy', {}).catch(() => null);
    },
  };
}

/** Without rpcd-mod-iwinfo. */
function withoutSsid(error: unknown): z.infer<typeof Wifi> {
  if (error instanceof SourceFailure && error.waitMs === 0) return {};
  throw error;
}
