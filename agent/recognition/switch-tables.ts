/** Reads the SNMP tables that locate devices at the ports of a switch: BRIDGE-MIB, Q-BRIDGE-MIB and LLDP-MIB. Pure. */
import type { Switch } from './bridge-tables.ts';
import { capabilitiesIn, cardOf, isAccessPoint, isSwitch, type LldpNeighbour, portName } from './lldp.ts';

/** A value in an SNMP response: a number, an OID, or bytes. */
export type SnmpValue = number | string | Buffer;
export interface Row {
  oid: string;
  value: SnmpValue;
}

/** In the order in which they are read. */
export const TABLES = {
  /** dot1dBasePortIfIndex: by bridge port, its interface. */
  bridgePorts: '1.3.6.1.2.1.17.1.4.1.2',
  /** lldpRemEntry */
  neighbours: '1.0.8802.1.1.2.1.4.1.1',
  ifNames: '1.3.6.1.2.1.31.1.1.1.1',
  ifDescriptions: '1.3.6.1.2.1.2.2.1.2',
  ifMacs: '1.3.6.1.2.1.2.2.1.6',
  /** lldpLocPortEntry */
  lldpPorts: '1.0.8802.1.1.2.1.3.7.1',
  /** dot1dTpFdbPort and dot1dTpFdbStatus: by MAC. */
  learned: '1.3.6.1.2.1.17.4.3.1.2',
  learnedHow: '1.3.6.1.2.1.17.4.3.1.3',
  /** dot1qTpFdbPort and dot1qTpFdbStatus: by filtering database, which is a VLAN or some, and MAC. */
  learnedInVlans: '1.3.6.1.2.1.17.7.1.2.2.1.2',
  learnedInVlansHow: '1.3.6.1.2.1.17.7.1.2.2.1.3',
} as const;
export type Tables = Partial<Record<keyof typeof TABLES, readonly Row[]>>;

/** Columns of lldpRemEntry. */
const REMOTE = {
  chassisType: 4,
  chassis: 5,
  portType: 6,
  port: 7,
  name: 9,
  description: 10,
  capabilities: 12,
} as const;
/** Columns of lldpLocPortEntry. */
const LOCAL = { id: 3, description: 4 } as const;
/** LldpChassisIdSubtype and LldpPortIdSubtype of a MAC. */
const CHASSIS_IS_MAC = 4;
const PORT_IS_MAC = 3;
/** Values of dot1dTpFdbStatus. */
const IS_LEARNED = 3;
const IS_OWN = 4;

/**
 * The topology in the tables of a switch.
 * @param mac as discovery knows it
 * @param isKnown whether discovery knows a device by this MAC: of a neighbour's MACs, the known one counts
 */
export function switchOf(mac: string, tables: Tables, isKnown: (mac: string) => boolean) {
  const names = portNames(tables);
  const learned: { mac: string; port: string }[] = [];
  const otherMacs = new Set<string>();
  for (const { value } of tables.ifMacs ?? []) otherMacs.add(cardOf(value) ?? mac);
  for (const ports of ['learned', 'learnedInVlans'] as const) {
    const statusOf = byIndex(tables, `${ports}How`);
    for (const [index, port] of byIndex(tables, ports)) {
      const learnedMac = macAtEnd(index);
      const status = statusOf.get(index) ?? IS_LEARNED;
      if (learnedMac === null || typeof port !== 'number') continue;
      if (status === IS_OWN) otherMacs.add(learnedMac);
      // Port 0: the MAC is known, and its port is not.
      else if (status === IS_LEARNED && port > 0) learned.push({ mac: learnedMac, port: names.ofBridgePort(port) });
    }
  }
  otherMacs.delete(mac);
  const neighbours = neighboursIn(tables).map((neighbour) => ({
    ...neighbour,
    mac: neighbour.macs.find(isKnown) ?? neighbour.macs[0] ?? null,
    port: names.ofLldpPort(neighbour.localPort),
  }));
  const inTables = neighbours.flatMap(({ mac, port, ...each }) => {
    const kind = { isBridge: isSwitch(each), ...(isAccessPoint(each) && { isAccessPoint: true }) };
    return mac === null ? [] : [{ mac, port, ...kind }];
  });
  const own: Switch = { mac, otherMacs: [...otherMacs], learned, neighbours: inTables };
  return { tables: own, neighbours };
}

/** Names of ports, the same for a learned MAC and for an LLDP neighbour. */
function portNames(tables: Tables) {
  const texts = (table: 'ifNames' | 'ifDescriptions') => {
    const all = [...byIndex(tables, table)].map(([index, value]) => [index, portName(textOf(value))] as const);
    return new Map(all.flatMap(([index, name]) => (name === null ? [] : [[index, name] as const])));
  };
  const [names, descriptions] = [texts('ifNames'), texts('ifDescriptions')];
  const nameOf = (ifIndex: string) => names.get(ifIndex) ?? descriptions.get(ifIndex);
  const byText = new Map([...descriptions, ...names].map(([ifIndex, text]) => [text, nameOf(ifIndex) ?? text]));
  const bridgePorts = byIndex(tables, 'bridgePorts');
  const ofBridgePort = (port: number) => nameOf(String(bridgePorts.get(String(port)) ?? port)) ?? String(port);
  const lldpPorts = byIndex(tables, 'lldpPorts');
  const ofLldpPort = (port: number) => {
    const [id, description] = [LOCAL.id, LOCAL.description].map((column) =>
      portName(textOf(lldpPorts.get(`${column}.${port}`))),
    );
    return byText.get(id ?? '') ?? byText.get(description ?? '') ?? ofBridgePort(port);
  };
  return { ofBridgePort, ofLldpPort };
}

/** The LLDP neighbours; the index of each is a time, the number of the port and one of its own. */
function neighboursIn(tables: Tables): (LldpNeighbour & { localPort: number })[] {
  const columns = new Map<string, Map<number, SnmpValue>>();
  for (const [index, value] of byIndex(tables, 'neighbours')) {
    const [column = '', ...rest] = index.split('.');
    if (rest.length !== 3) continue;
    const key = rest.join('.');
    const neighbour = columns.get(key) ?? new Map<number, SnmpValue>();
    columns.set(key, neighbour.set(Number(column), value));
  }
  return [...columns].map(([index, values]) => {
    const capabilities = values.get(REMOTE.capabilities);
    const macs = [
      values.get(REMOTE.portType) === PORT_IS_MAC ? cardOf(values.get(REMOTE.port)) : null,
      values.get(REMOTE.chassisType) === CHASSIS_IS_MAC ? cardOf(values.get(REMOTE.chassis)) : null,
    ];
    return {
      localPort: Number(index.split('.')[1]),
      macs: macs.flatMap((mac) => mac ?? []),
      name: textOf(values.get(REMOTE.name)),
      description: textOf(values.get(REMOTE.description)),
      capabilities: Buffer.isBuffer(capabilities) ? capabilitiesIn(capabilities) : [],
    };
  });
}

/** A table by index: what follows its OID. */
function byIndex(tables: Tables, table: keyof Tables): Map<string, SnmpValue> {
  return new Map((tables[table] ?? []).map(({ oid, value }) => [oid.slice(TABLES[table].length + 1), value]));
}

/** The MAC in the last six numbers of an index. */
function macAtEnd(index: string): string | null {
  const bytes = index.split('.').slice(-6).map(Number);
  const isMac = bytes.length === 6 && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
  return isMac ? cardOf(Buffer.from(bytes)) : null;
}

/** Null for anything but bytes: a number is no name. */
export function textOf(value: SnmpValue | null | undefined): string | null {
  return Buffer.isBuffer(value) ? value.toString('utf8') : null;
}
