/**
 * Stand-ins of the products that sources read. They speak the protocols; `test/fixtures/sources` has what they answer, with the
 * shapes of public recordings and values of our own.
 */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { parsePolicy } from '../../../agent/jobs/policy.ts';
import { readSource } from '../../../agent/sources/reading.ts';
import { sourceOf } from '../../../agent/sources/settings.ts';
import { closeServer, listenOnLoopback } from '../loopback.ts';
import { KEY, moreMac, PASSWORD, Product, type Received, type Reply, type Speak } from './source-product.ts';

/** Now, as the fixtures have it. */
const NOW = Date.UTC(2026, 10, 29, 12);

const json = (body: string) => JSON.parse(body || '{}');
const isBasic = ({ headers }: Received, user: string) =>
  headers.authorization === `Basic ${Buffer.from(`${user}:${PASSWORD}`).toString('base64')}`;
const NOT_FOUND = { status: 404, body: { errorMessage: 'Endpoint not found' } };
const listed = (product: Product, path: string) => (product.fixture.answers[path] ?? null) as unknown[] | null;
const found = (body: unknown): Reply => (body === null ? NOT_FOUND : { body });

/** Without the plug-in of ISC, and without the right to see the leases of Kea for IPv6. */
const opnsense: Speak = (received, product) => {
  if (received.headers.authorization !== `Basic ${Buffer.from(`k3y:${PASSWORD}`).toString('base64')}`)
    return { status: 401 };
  if (received.path === '/api/kea/leases6/search') return { status: 403, body: { status: 403, message: 'Forbidden' } };
  const rows = listed(product, received.path);
  if (rows === null || received.method !== 'POST') return NOT_FOUND;
  const { current, rowCount } = json(received.body);
  const page = rows.slice((current - 1) * rowCount, current * rowCount);
  return { body: { total: rows.length, rowCount: page.length, current, rows: page } };
};

const unifi: Speak = ({ path, headers, query }, product) => {
  const rows = listed(product, path.replace('/proxy/network/integration/v1/', ''));
  const statusCode = headers['x-api-key'] === KEY ? 404 : 401;
  if (rows === null || statusCode === 401)
    return { status: statusCode, body: { statusCode, statusName: 'X', message: 'no' } };
  const [offset, limit] = [Number(query.get('offset')), Math.min(Number(query.get('limit') ?? 25), 200)];
  const data = rows.slice(offset, offset + limit);
  return { body: { offset, limit, count: data.length, totalCount: rows.length, data } };
};

/** UniFi OS, or the controller before it, which redirects to its pages. */
const unifiAccount =
  (isOs: boolean): Speak =>
  ({ path, method, headers, body }, product) => {
    const rejected = (msg: string) => ({ status: 401, body: { meta: { rc: 'error', msg }, data: [] } });
    if (path === '/') return isOs ? { body: '<html>' } : { status: 302, headers: { location: '/manage' } };
    if (path === '/manage') return { body: '<html>' };
    if (method === 'POST' && path === (isOs ? '/api/auth/login' : '/api/login')) {
      if (json(body).password !== PASSWORD) return isOs ? { status: 403, body: {} } : rejected('api.err.Invalid');
      const cookie = `${isOs ? 'TOKEN' : 'unifises'}=${product.logIn()}; path=/; secure; httponly`;
      return { headers: { 'set-cookie': cookie, 'x-csrf-token': 'x' }, body: { unique_id: 'u' } };
    }
    const session = /^(?:TOKEN|unifises)=(\w+)$/.exec(headers.cookie ?? '')?.[1] ?? '';
    if (!product.sessions.has(session)) return rejected('api.err.LoginRequired');
    const data = listed(product, path.replace(`${isOs ? '/proxy/network' : ''}/api/s/default/`, ''));
    return data === null ? NOT_FOUND : { body: { meta: { rc: 'ok' }, data } };
  };

const md5 = (...parts: string[]) => createHash('md5').update(parts.join(':')).digest('hex');
const escaped = (value: unknown) => String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const xml = (fields: object) =>
  Object.entries(fields)
    .map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
    .join('\n');

/** @param lacks a list that this box fails to make */
const fritzbox =
  (lacks: '' | 'HostList' | 'MeshList' = ''): Speak =>
  ({ method, path, query, headers, body }, product) => {
    const hosts = listed(product, 'hosts') as Record<string, string>[];
    if (path === '/devicehostlist.lua')
      return {
        body: `<?xml version="1.0"?>\n<List>${hosts.map((host) => `<Item>${xml(host)}</Item>`).join('\n')}</List>\n`,
      };
    if (path === '/meshlist.lua' && query.get('sid') === 's1') return { body: product.fixture.answers.mesh };
    if (path !== '/upnp/control/hosts') return { status: 404, body: '<html>404</html>' };
    const sent = Object.fromEntries(
      [...(headers.authorization ?? '').matchAll(/(\w+)="?((?:\\.|[^",\\])*)/g)].map(([, name, value]) => [
        name,
        value?.replace(/\\(.)/g, '$1'),
      ]),
    );
    const user = Buffer.from(sent.username ?? '', 'latin1').toString();
    const ha1 = md5(user, 'HTTPS Access', PASSWORD);
    const right = md5(ha1, sent.nonce ?? '', sent.nc ?? '', sent.cnonce ?? '', 'auth', md5(method, path));
    if (user !== product.fixture.settings.user || sent.response !== right || !product.sessions.has(sent.nonce ?? '')) {
      const challenge = `Digest realm="HTTPS Access",nonce="${product.logIn()}",algorithm=MD5,qop="auth"`;
      return { status: 401, headers: { 'www-authenticate': challenge }, body: '<html>401</html>' };
    }
    const service = 'urn:dslforum-org:service:Hosts:1';
    const action = String(headers.soapaction).replace(`${service}#`, '');
    const envelope = (content: string) =>
      `<?xml version="1.0"?>\n<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${content}</s:Body></s:Envelope>`;
    const output = (fields: object) => ({
      body: envelope(`<u:${action}Response xmlns:u="${service}">${xml(fields)}</u:${action}Response>`),
    });
    const host = hosts[Number(/<NewIndex>(\d+)</.exec(body)?.[1] ?? -1)];
    if (action === 'GetHostNumberOfEntries') return output({ NewHostNumberOfEntries: hosts.length });
    if (action === 'GetGenericHostEntry' && host !== undefined) {
      const { IPAddress, MACAddress, Active, HostName, InterfaceType } = host;
      return output({
        NewIPAddress: IPAddress,
        NewAddressSource: 'DHCP',
        NewLeaseTimeRemaining: 0,
        NewMACAddress: MACAddress,
        NewInterfaceType: InterfaceType,
        NewActive: Active,
        NewHostName: HostName,
      });
    }
    const list = /^X_AVM-DE_Get(HostList|MeshList)Path$/.exec(action)?.[1];
    if (list !== undefined && list !== lacks)
      return output({
        [`NewX_AVM-DE_${list}Path`]: `/${list === 'HostList' ? 'devicehostlist' : 'meshlist'}.lua?sid=s1`,
      });
    const fault =
      '<s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail><UPnPError><errorCode>501</errorCode></UPnPError></detail></s:Fault>';
    return { status: 500, body: envelope(fault) };
  };

const mikrotik: Speak = (received, product) => {
  if (!isBasic(received, 'lanreach')) return { status: 401, body: { error: 401, message: 'Unauthorized' } };
  const rows = listed(product, received.path.replace('/rest/', ''));
  return rows === null
    ? { status: 400, body: { error: 400, message: 'Bad Request', detail: 'no such command prefix' } }
    : { body: rows };
};

const openwrt: Speak = ({ path, body }, product) => {
  if (path !== '/ubus') return NOT_FOUND;
  const { id, method, params } = json(body);
  const result = (value: unknown) => ({ body: { jsonrpc: '2.0', id, result: value } });
  if (method === 'list') return result({ 'hostapd.phy0-ap0': {}, 'hostapd.phy1-ap0': {}, 'hostapd.../x': {} });
  const [session, object, call, args] = params;
  if (object === 'session' && call === 'login') {
    if (args.password !== PASSWORD) return result([6]);
    return result([0, { ubus_rpc_session: product.logIn(), timeout: 300, expires: 299 }]);
  }
  if (!product.sessions.has(session))
    return { body: { jsonrpc: '2.0', id, error: { code: -32002, message: 'Access denied' } } };
  if (object === 'session') return result([product.sessions.delete(session) ? 0 : 4]);
  const value = product.fixture.answers[[object, call, args.device].filter(Boolean).join(' ')];
  return result(value === undefined ? [4] : [0, value]);
};

const pihole: Speak = ({ path, method, headers, body, query }, product) => {
  const sid = String(headers['x-ftl-sid']);
  if (path === '/api/auth' && method === 'POST') {
    const valid = json(body).password === PASSWORD;
    const [sid, validity] = valid ? [product.logIn(), 1800] : [null, -1];
    const session = { valid, totp: false, sid, csrf: null, validity, message: null };
    return { status: valid ? 200 : 401, body: { session, took: 0.1 } };
  }
  if (!product.sessions.has(sid))
    return { status: 401, body: { error: { key: 'unauthorized', message: 'Unauthorized' } } };
  if (path === '/api/auth' && method === 'DELETE') return { status: product.sessions.delete(sid) ? 204 : 404 };
  const answer = product.fixture.answers[path] as { devices?: unknown[] } | undefined;
  if (answer?.devices === undefined) return found(answer ?? null);
  return { body: { ...answer, devices: answer.devices.slice(0, Number(query.get('max_devices') ?? 10)) } };
};

const adguard: Speak = (received, product) =>
  isBasic(received, 'admin') ? found(listed(product, received.path)) : { status: 401 };

const proxmox: Speak = ({ path, headers }, product) => {
  if (headers.authorization !== `PVEAPIToken=lanreach@pve!agent=${KEY}`) return { status: 401, body: { data: null } };
  const name = path.replace('/api2/json/', '');
  if (/^nodes\/pve2\/qemu\/\d+\/config$/.test(name)) {
    return { body: { data: { net0: `virtio=${moreMac(Number(name.split('/')[3]) - 1_000)},bridge=vmbr0` } } };
  }
  const data = listed(product, name);
  return data === null
    ? { status: 500, body: { data: null, message: 'QEMU guest agent is not running' } }
    : { body: { data } };
};

const docker: Speak = ({ path }, product) => found(listed(product, path));

/** Each product, and variants of some: its kind, and how it speaks. */
export const PRODUCTS: Readonly<Record<string, readonly [kind: string, speak: Speak]>> = {
  OPNsense: ['opnsense', opnsense],
  'UniFi, Integration API': ['unifi', unifi],
  'UniFi OS': ['unifi-legacy', unifiAccount(true)],
  'FRITZ!Box': ['fritzbox', fritzbox()],
  MikroTik: ['mikrotik', mikrotik],
  OpenWrt: ['openwrt', openwrt],
  'Pi-hole': ['pihole', pihole],
  'AdGuard Home': ['adguard', adguard],
  'Proxmox VE': ['proxmox', proxmox],
  Docker: ['docker', docker],
};

export const VARIANTS = {
  unifiController: unifiAccount(false),
  unifiSecondFactor: (received: Received) => ({ status: received.path === '/' ? 200 : 499 }),
  withoutHostList: fritzbox('HostList'),
  withoutMeshList: fritzbox('MeshList'),
};

interface StartOptions {
  /** Hosts beside those of the fixture. */
  more?: number;
  settings?: object;
  speak?: Speak;
}

const started: Server[] = [];

/** Lets a product listen on loopback. @returns also a way to read it as the agent does, with one memory */
export async function startProduct(name: string, { more = 0, settings, speak }: StartOptions = {}) {
  const [kind, own] = PRODUCTS[name]!;
  const product = new Product(kind, speak ?? own, more);
  const server = createServer(product.listener);
  started.push(server);
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const all = { ...product.fixture.settings, ...settings, url };
  const source = sourceOf({ ...{ name: 'x', kind, everyMinutes: 5, pins: {} }, settings: all });
  const once = { rules: parsePolicy({}).sources, pins: source.pins, mayPin: false };
  const always = { ...once, memory: new Map<string, string>(), now: () => NOW };
  return {
    product,
    read: (options: Partial<Parameters<typeof readSource>[1]> = {}) =>
      readSource(source, { ...always, ...options }, new AbortController().signal),
  };
}

export async function closeProducts(): Promise<void> {
  await Promise.all(started.splice(0).map(closeServer));
}
