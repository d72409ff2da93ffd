/** The terms in which the LAN of `plan.ts` is told. */
import type { Kind } from '../../../shared/recognition/kinds.ts';

interface HomeService {
  /** Such as `_ipp._tcp`. */
  type: string;
  instance: string;
  port: number;
  text: readonly string[];
}

export interface HomeUpnp {
  server: string;
  /** Search targets beside `upnp:rootdevice`; the first is the type of the device. */
  types: readonly string[];
  port: number;
  path: string;
  name: string;
  maker: string;
  model: string;
  number?: string;
}

export interface HomeHost {
  name: string;
  mac: string;
  ipv4: string;
  /** Plugged into this bridge, instead of into the core switch. */
  behind?: 'ap';
  /** It asks for its address, and says this in its requests. */
  dhcp?: { name?: string; class?: string; options: readonly number[] };
  mdns?: { host: string; services: HomeService[] };
  upnp?: HomeUpnp;
  netbios?: string;
  /** Answers with the community `public`. */
  snmp?: { name: string; description: string; object?: string };
  /** Title of the page at port 80. */
  web?: string;
  /** What the name server of the LAN calls it. */
  dns?: string;
  truth: {
    /** null: nothing that it says tells what it is. */
    kind: Kind | null;
    /** What a person would recognise it by; null when nothing calls it anything. */
    name: RegExp | null;
    model?: RegExp;
  };
}

export const PREFIX = '192.168.178';
export const at = (last: number) => `${PREFIX}.${last}`;

/** The options that clients of each system ask for, in their order. */
const ASKS: Record<string, string> = {
  windows: '1,3,6,15,31,33,43,44,46,47,119,121,249,252',
  ios: '1,121,3,6,15,108,114,119,252',
  macos: '1,121,3,6,15,108,114,119,252,95,44,46',
  android: '1,3,6,15,26,28,51,58,59,43,114,108',
  embedded: '1,3,6,12,15,28,42',
  esp: '1,3,28,6',
};

/**
 * @param last number of its address and its MAC, behind the part of the maker
 * @param says what it tells of itself, such as
 *
 *     dhcp <what it asks for> | <its name> | <its class>
 *     mdns <name>, and behind it for each service: _ipp._tcp <port> <instance> | <pairs key=value>
 *     upnp <port> <path> | <server> | <types> | <name> | <maker> | <model> | <number>
 *     snmp <name> | <description> | <object>
 */
export function host(
  name: string,
  last: number,
  maker: string,
  truth: HomeHost['truth'],
  says: readonly string[] = [],
): HomeHost {
  const host: HomeHost = { name, mac: `${maker}:78:01:${String(last).padStart(2, '0')}`, ipv4: at(last), truth };
  for (const line of says) tell(host, line);
  return host;
}

function tell(host: HomeHost, line: string): void {
  const [, word = '', all = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
  const [first = '', one, two, ...others] = all.split(/ *\| */);
  const [begin = '', ...more] = first.split(' ');
  if (word.startsWith('_')) {
    const text = one?.split(/ (?=[\w-]+=)/) ?? [];
    host.mdns?.services.push({ type: word, instance: more.join(' '), port: Number(begin), text });
  } else if (word === 'mdns') {
    host.mdns = { host: all, services: [] };
  } else if (word === 'dhcp') {
    const options = (ASKS[first] ?? first).split(',').map(Number);
    host.dhcp = { ...(one && { name: one }), ...(two && { class: two }), options };
  } else if (word === 'upnp') {
    const [name = '', maker = '', model = '', number] = others;
    const device = { name, maker, model, ...(number && { number }) };
    host.upnp = { server: one ?? '', types: two?.split(' ') ?? [], port: Number(begin), path: more.join(), ...device };
  } else if (word === 'snmp') {
    host.snmp = { name: first, description: one ?? '', ...(two && { object: two }) };
  } else if (word === 'behind') host.behind = 'ap';
  else if (word === 'netbios' || word === 'web' || word === 'dns') host[word] = all;
  else throw new Error(`${host.name}: ${line}`);
}
