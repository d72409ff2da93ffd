/** UniFi Network by its older API, with an account: SSID and switch port too. */
import * as z from 'zod';
import { HttpUrl } from '../../config.ts';
import {
  below,
  Count,
  Flag,
  JSON_BODY,
  observed,
  parseAnswer,
  rejectedLogin,
  rowsOf,
  texts,
  UnixTime,
} from '../answers.ts';
import { defineSource, type SourceLink, type SourceRequest } from '../source.ts';

const Client = z.object({
  ...texts('mac ip hostname name oui essid ap_mac sw_mac'),
  is_wired: Flag,
  sw_port: Count,
  last_seen: UnixTime,
});
const Uplink = z.object({ ...texts('type uplink_mac'), uplink_remote_port: Count });
/** A switch, access point or gateway of UniFi, and where it is attached itself. */
const Device = z.object({ ...texts('mac ip name model'), last_seen: UnixTime, uplink: Uplink.catch({}) });

const Site = z.string().regex(/^[\w-]{1,64}$/, 'expected the id of a site, such as default');
const Settings = z.object({
  url: HttpUrl.describe('address of the controller, such as https://192.168.1.1 or https://192.168.1.2:8443'),
  user: z.string().min(1).describe('local account with the role Viewer, without second factor'),
  password: z.string().min(1).describe('its password'),
  site: Site.default('default').describe('id of the site, as in the address of its pages'),
});
type Settings = z.infer<typeof Settings>;

export const unifiLegacy = defineSource({
  kind: 'unifi-legacy',
  title: 'UniFi Network, older API',
  settings: Settings,
  secrets: ['password'],
  rights: 'A local account with the role Viewer ("View only") and without second factor. LanReach only reads.',
  async *read(settings, request) {
    for (const { mac, ip, name, model, last_seen, uplink } of await list('stat/device', Device, settings, request)) {
      const link = uplink.type === 'wire' ? wired(uplink.uplink_mac, uplink.uplink_remote_port) : undefined;
      const made = { vendor: 'Ubiquiti', model };
      yield* observed({ mac, addresses: [ip], givenName: name, ...made, lastSeen: last_seen, link });
    }
    for (const client of await list('stat/sta', Client, settings, request)) {
      const { mac, ip, name, hostname, oui, last_seen } = client;
      const names = { givenName: name, hostName: hostname };
      yield* observed({ mac, addresses: [ip], ...names, vendor: oui, lastSeen: last_seen, link: linkOf(client) });
    }
  },
});

/** The switch port of a wireless client is that of its access point. */
function linkOf({ is_wired, essid, ap_mac, sw_mac, sw_port }: z.infer<typeof Client>): SourceLink | undefined {
  if (is_wired === false) return { medium: 'wireless', ssid: essid, accessPoint: ap_mac };
  return is_wired ? wired(sw_mac, sw_port) : undefined;
}

function wired(mac: string | undefined, port: number | undefined): SourceLink {
  return { medium: 'wired', switch: mac, port: port === undefined ? undefined : `Port ${port}` };
}

/** Reads a list in the session of an earlier reading, as logins are limited; in a new one when that has expired. */
async function list<Row extends z.ZodType>(path: string, row: Row, settings: Settings, request: SourceRequest) {
  const { memory } = request;
  const target = () => below(settings.url, `${memory.get('prefix')}api/s/${settings.site}/${path}`);
  const get = () => request.http({ url: target(), headers: { cookie: memory.get('cookie') ?? '' } });
  const hadSession = memory.has('cookie');
  if (!hadSession) await logIn(settings, request);
  let answer = await get();
  if (hadSession && answer.status === 401) {
    await logIn(settings, request);
    answer = await get();
  }
  if (answer.status === 401) memory.delete('cookie');
  const Answer = z.object({ meta: z.object({ rc: z.literal('ok') }), data: rowsOf(row) });
  return parseAnswer(answer, target(), Answer).data;
}

/** @throws {SourceFailure} */
async function logIn({ url, user, password }: Settings, { http, memory }: SourceRequest): Promise<void> {
  memory.delete('cookie');
  // The older controller redirects from there.
  const isUnifiOs = (await http({ url: below(url, ''), redirects: false })).status === 200;
  memory.set('prefix', isUnifiOs ? 'proxy/network/' : '');
  const path = below(url, isUnifiOs ? 'api/auth/login' : 'api/login');
  const body = JSON.stringify({ username: user, password, rememberMe: true });
  const answer = await http({ url: path, method: 'POST', headers: JSON_BODY, body });
  if (answer.status === 499) throw rejectedLogin(url, ': this account has a second factor');
  if ([400, 401, 403].includes(answer.status)) throw rejectedLogin(url);
  // While it starts, it answers with a page.
  parseAnswer(answer, path, z.object({}));
  memory.set('cookie', answer.cookies.map((cookie) => cookie.split(';', 1)[0]).join('; '));
}
