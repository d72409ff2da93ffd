/** What neighbours say of themselves by LLDP (IEEE 802.1AB), as switches and the lldpd of this host tell it. Pure. */
import * as z from 'zod';
import { isDeviceMac } from '../../shared/agent/discovery.ts';
import { fitToTell } from '../../shared/agent/fit-text.ts';
import { parseJson } from '../../shared/json.ts';
import { parseMac } from '../../shared/network.ts';
import type { Heard } from '../discovery/observations.ts';
import { listOf } from '../host/json-items.ts';

export interface LldpNeighbour {
  /** By which it names itself, that of the port first: it is the one by which a LAN knows a host. */
  macs: string[];
  name: string | null;
  description: string | null;
  capabilities: Capability[];
}

/** In the order of their bits. */
const CAPABILITIES = ['other', 'repeater', 'bridge', 'wlan', 'router', 'tel', 'docsis', 'station'] as const;
type Capability = (typeof CAPABILITIES)[number];

const MAX_PORT_CHARACTERS = 64;

/** Of a bit string as LLDP-MIB has them: the first bit is the highest of the first byte. */
export function capabilitiesIn(bits: Buffer): Capability[] {
  return CAPABILITIES.filter((_, bit) => (((bits[0] ?? 0) >> (7 - bit)) & 1) === 1);
}

/**
 * Whether other devices hang on it that its own tables tell of. Telephones are bridges too, but those behind them are best
 * found at the port to which these are connected; and of access points it is known without tables who is behind them.
 */
export function isSwitch({ capabilities }: Pick<LldpNeighbour, 'capabilities'>): boolean {
  const has = (capability: Capability) => capabilities.includes(capability);
  return has('bridge') && !has('tel') && (!has('wlan') || has('router'));
}

/** Whether those at the same port are its clients. */
export function isAccessPoint({ capabilities }: Pick<LldpNeighbour, 'capabilities'>): boolean {
  return capabilities.includes('wlan') && !capabilities.includes('router');
}

export function heardBy({ name, description, capabilities }: LldpNeighbour): Heard[] {
  return [
    ...(name === null ? [] : [{ source: 'lldp-name' as const, value: name }]),
    ...(description === null ? [] : [{ source: 'lldp-description' as const, value: description }]),
    ...(capabilities.length === 0 ? [] : [{ source: 'lldp-capabilities' as const, value: capabilities.join() }]),
  ];
}

/** The name of a port as it is told; null when it has none. */
export function portName(text: string | null | undefined): string | null {
  return fitToTell(text ?? '', MAX_PORT_CHARACTERS);
}

/** The address of one card, from six bytes or a text; null when it is none. */
export function cardOf(value: unknown): string | null {
  if (Buffer.isBuffer(value) && value.length !== 6) return null;
  const mac = Buffer.isBuffer(value)
    ? parseMac(value.toString('hex'))
    : parseMac(typeof value === 'string' ? value : '');
  return mac !== null && isDeviceMac(mac) ? mac : null;
}

/** Who is at the other end of a cable of this host. */
interface Peer extends LldpNeighbour {
  /** Of this host. */
  interface: string;
  /** Of the neighbour. */
  port: string | null;
  /** At which it can be managed. */
  ips: string[];
}

const Values = listOf(
  z.looseObject({ type: z.string().optional(), value: z.string().optional(), enabled: z.boolean().optional() }),
);
const Interface = z.looseObject({
  name: z.string(),
  chassis: listOf(z.looseObject({ id: Values, name: Values, descr: Values, 'mgmt-ip': Values, capability: Values })),
  port: listOf(z.looseObject({ id: Values, descr: Values })),
});
const Answer = z.looseObject({ lldp: listOf(z.looseObject({ interface: listOf(Interface) })) });
const MOST_PEERS = 64;

/** From what `lldpcli -f json0 show neighbors details` prints; what cannot be read is left out. */
export function parseLldpcli(text: string): Peer[] {
  const all = Answer.safeParse(parseJson(text)).data?.lldp.flatMap((each) => each.interface) ?? [];
  return all.slice(0, MOST_PEERS).flatMap((data): Peer[] => {
    const [chassis] = data.chassis;
    if (chassis === undefined) return [];
    const [port] = data.port;
    const [portId] = port?.id ?? [];
    const ids = [portId, ...chassis.id].filter((id) => id?.type === 'mac');
    const hasCapability = new Set(
      chassis.capability.flatMap(({ type, enabled }) => (enabled === true ? [type?.toLowerCase()] : [])),
    );
    const named = portId?.type === 'mac' ? port?.descr[0]?.value : portId?.value;
    return [
      {
        interface: data.name,
        port: portName(named),
        macs: ids.flatMap((id) => cardOf(id?.value) ?? []),
        ips: chassis['mgmt-ip'].flatMap(({ value }) => value ?? []).slice(0, 8),
        name: chassis.name[0]?.value ?? null,
        description: chassis.descr[0]?.value ?? null,
        capabilities: CAPABILITIES.filter((capability) => hasCapability.has(capability)),
      },
    ];
  });
}
