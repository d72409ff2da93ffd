/** The terms in which the LAN of `plan.ts` is told. */
import type { Kind } from '../../../shared/recognition/kinds.ts';

export interface HomeService {
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
  mdns?: { host: string; services: readonly HomeService[]; daemon?: 'avahi' };
  upnp?: HomeUpnp;
  netbios?: string;
  /** Answers with the community `public`. */
  snmp?: { name: string; description: string; object?: string };
  /** Title of the page at port 80. */
  web?: string;
  /** What the name server of the LAN calls it. */
  dns?: string;
  truth: Truth;
}

export interface Truth {
  /** null: nothing that it says tells what it is. */
  kind: Kind | null;
  /** What a person would recognise it by; null when nothing calls it anything. */
  name: RegExp | null;
  model?: RegExp;
}

export const PREFIX = '192.168.178';
export const at = (last: number) => `${PREFIX}.${last}`;

/** @param last number of its address and its MAC, behind the part of the maker */
export function host(
  name: string,
  last: number,
  maker: string,
  rest: Omit<HomeHost, 'name' | 'mac' | 'ipv4'>,
): HomeHost {
  return { name, mac: `${maker}:78:01:${String(last).padStart(2, '0')}`, ipv4: at(last), ...rest };
}

/** @param text pairs `key=value`, with a blank between them */
export function service(type: string, instance: string, port: number, text?: string): HomeService {
  return { type, instance, port, text: text?.split(/ (?=[\w-]+=)/) ?? [] };
}

/** The options that clients of each system ask for, in their order. */
export const ASKS = {
  windows: [1, 3, 6, 15, 31, 33, 43, 44, 46, 47, 119, 121, 249, 252],
  ios: [1, 121, 3, 6, 15, 108, 114, 119, 252],
  macos: [1, 121, 3, 6, 15, 108, 114, 119, 252, 95, 44, 46],
  android: [1, 3, 6, 15, 26, 28, 51, 58, 59, 43, 114, 108],
  embedded: [1, 3, 6, 12, 15, 28, 42],
  esp: [1, 3, 28, 6],
};
