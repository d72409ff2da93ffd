/** LLDP neighbours (IEEE 802.1AB), as switches and the lldpd of this host report them. Pure. */
import * as z from 'zod';
import { isDeviceMac } from '../../shared/agent/discovery.ts';
import { fitToReport } from '../../shared/agent/fit-text.ts';
import { parseJson } from '../../shared/json.ts';
import { parseMac } from '../../shared/network.ts';
import { announced, type Heard } from '../discovery/observations.ts';
import { listOf } from '../host/json-items.ts';

export interface LldpNeighbour {
  /** The MACs that it announces, that of its port first: a LAN knows the host by that one. */
  macs: string[];
  name: string | null;
  description: string | null;
  capabilities: Capability[];
}

/** In the order of their bits. */
const CAPABILITIES = ['other', 'repeater', 'bridge', 'wlan', 'router', 'tel', 'docsis', 'station'] as const;
type Capability = (typeof CAPABILITIES)[number];

const MAX_PORT_CHARACTERS = 64;

/** From a bit string of LLDP-MIB: the first bit is the highest of the first byte. */
export function capabilitiesIn(bits: Buffer): Capability[] {
  return CAPABILITIES.filter((_, bit) => (((bits[0] ?? 0) >> (7 - bit)) & 1) === 1);
}

/**
 * Whether its own tables locate the devices behind it. Telephones bridge too, but what is behind them is located best by the
 * port of the telephone; and the clients of an access point are known without its tables.
 */
export function isSwitch({ capabilities }: Pick<LldpNeighbour, 'capabilities'>): boolean {
  const has = (capability: Capability) => capabilities.includes(capability);
  return has('bridge') && !has('tel') && (!has('wlan') || has('router'));
}

/** Whether the other devices at its port are its clients. */
export function isAccessPoint({ capabilities }: Pick<LldpNeighbour, 'capabilities'>): boolean {
  return capabilities.includes('wlan') && !capabilities.includes('router');
}

export function observationsOf({ name, description, capabilities }: LldpNeighbour): Heard[] {
  const values = { 'lldp-name': name, 'lldp-description': description, 'lldp-capabilities': capabilities.join() };
  return announced(values);
}

/** The name of a port as reported; null without one. */
export function portName(text: string | null | undefined): string | null {
  return fitToReport(text ?? '', MAX_PORT_CHARACTERS);
}

/** The MAC of one network card, from six bytes or a text; null for anything else. */
export function cardOf(value: unknown): string | null {
  if (Buffer.isBuffer(value) && value.length !== 6) return null;
  const mac = Buffer.isBuffer(value)
    ? parseMac(value.toString('hex'))
    : parseMac(typeof value === 'string' ? value : '');
  return mac !== null && isDeviceMac(mac) ? mac : null;
}

/** The neighbour at the other end of a cable of this host. */
interface Peer extends LldpNeighbour {
  /** Of this host. */
  interface: string;
  /** Of the neighbour. */
  port: string | null;
  /** Its management addresses. */
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
const MAX_PEERS = 64;

/** From what `lldpcli -f json0 show neighbors details` prints; what cannot be read is left out. */
export function parseLldpcli(text: string): Peer[] {
  const all = Answer.safeParse(parseJson(text)).data?.lldp.flatMap((each) => each.interface) ?? [];
  return all.slice(0, MAX_PEERS).flatMap((data): Peer[] => {
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
