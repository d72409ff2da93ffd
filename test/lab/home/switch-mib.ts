/**
 * The SNMP agent of the core switch: its ports, its forwarding table as the kernel's bridge has learned it, and what its
 * neighbours tell by LLDP.
 */
import { execFileSync } from 'node:child_process';
import snmp from 'net-snmp';
import { AP, AP_LLDP, CORE, HOSTS, portOf, VOIP_LLDP } from './plan.ts';

const RENEW_EVERY_MS = 1_000;
const { Integer, OctetString, OID, TimeTicks, Gauge } = snmp.ObjectType;
const { Scalar, Table } = snmp.MibProviderType;
const READ = snmp.MaxAccess['read-only'];

type Column = [number: number, name: string, type: number];
type Row = (string | number | Buffer)[];

export function answerAsSwitch(): void {
  const agent = snmp.createAgent({ port: 161, disableAuthorization: false }, () => {});
  agent.getAuthorizer().addCommunity('public');
  const mib = agent.getMib();
  const scalar = (name: string, oid: string, type: number, value: string | number) => {
    // The group `system` is there from the start.
    if (mib.getProvider(name) == null)
      mib.registerProvider({ name, type: Scalar, oid, scalarType: type, maxAccess: READ });
    mib.setScalarValue(name, value);
  };
  const table = (name: string, oid: string, columns: Column[], index: string[], rows: Row[], implied = false) => {
    mib.registerProvider({
      name,
      type: Table,
      oid,
      maxAccess: READ,
      tableColumns: columns.map(([number, column, type]) => ({ number, name: column, type, maxAccess: READ })),
      tableIndex: index.map((columnName, at) => ({
        columnName,
        ...(implied && at === index.length - 1 ? { implied } : {}),
      })),
    });
    for (const row of rows) mib.addTableRow(name, row);
  };
  const ports = portNames();
  scalar('sysDescr', '1.3.6.1.2.1.1.1', OctetString, CORE.snmp?.description ?? '');
  scalar('sysObjectID', '1.3.6.1.2.1.1.2', OID, CORE.snmp?.object ?? '');
  scalar('sysUpTime', '1.3.6.1.2.1.1.3', TimeTicks, 360_000);
  scalar('sysName', '1.3.6.1.2.1.1.5', OctetString, CORE.snmp?.name ?? '');
  scalar('sysServices', '1.3.6.1.2.1.1.7', Integer, 6);
  // The number of an interface is not that of its bridge port, as on most switches.
  const ifIndex = (port: number) => 10_100 + port;
  table(
    'ifEntry',
    '1.3.6.1.2.1.2.2.1',
    [
      [1, 'ifIndex', Integer],
      [2, 'ifDescr', OctetString],
      [3, 'ifType', Integer],
      [5, 'ifSpeed', Gauge],
    ],
    ['ifIndex'],
    ports.map(({ number }) => [ifIndex(number), `GigabitEthernet1/0/${number}`, 6, 1_000_000_000]),
  );
  table(
    'ifXEntry',
    '1.3.6.1.2.1.31.1.1.1',
    [
      [100, 'ifXIndex', Integer],
      [1, 'ifName', OctetString],
      [18, 'ifAlias', OctetString],
    ],
    ['ifXIndex'],
    ports.map(({ number, label }) => [ifIndex(number), label, '']),
  );
  scalar('dot1dBaseBridgeAddress', '1.3.6.1.2.1.17.1.1', OctetString, bytes(CORE.mac) as unknown as string);
  table(
    'dot1dBasePortEntry',
    '1.3.6.1.2.1.17.1.4.1',
    [
      [1, 'dot1dBasePort', Integer],
      [2, 'dot1dBasePortIfIndex', Integer],
    ],
    ['dot1dBasePort'],
    ports.map(({ number }) => [number, ifIndex(number)]),
  );
  table(
    'dot1dTpFdbEntry',
    '1.3.6.1.2.1.17.4.3.1',
    [
      [1, 'dot1dTpFdbAddress', OctetString],
      [2, 'dot1dTpFdbPort', Integer],
      [3, 'dot1dTpFdbStatus', Integer],
    ],
    ['dot1dTpFdbAddress'],
    [],
    true,
  );
  scalar('lldpLocChassisIdSubtype', '1.0.8802.1.1.2.1.3.1', Integer, 4);
  scalar('lldpLocChassisId', '1.0.8802.1.1.2.1.3.2', OctetString, bytes(CORE.mac) as unknown as string);
  scalar('lldpLocSysName', '1.0.8802.1.1.2.1.3.3', OctetString, CORE.snmp?.name ?? '');
  table(
    'lldpLocPortEntry',
    '1.0.8802.1.1.2.1.3.7.1',
    [
      [1, 'lldpLocPortNum', Integer],
      [2, 'lldpLocPortIdSubtype', Integer],
      [3, 'lldpLocPortId', OctetString],
      [4, 'lldpLocPortDesc', OctetString],
    ],
    ['lldpLocPortNum'],
    ports.map(({ number, label }) => [number, 5, label, `GigabitEthernet1/0/${number}`]),
  );
  const neighbour = (name: string, mac: string, index: number, says: typeof AP_LLDP): Row => {
    const capabilities = Buffer.from([says.capabilities, 0]);
    return [
      0,
      portOf(name).number,
      index,
      4,
      bytes(mac),
      3,
      bytes(mac),
      'eth0',
      says.name,
      says.description,
      capabilities,
      capabilities,
    ];
  };
  const phone = HOSTS.find(({ name }) => name === 'deskphone');
  table(
    'lldpRemEntry',
    '1.0.8802.1.1.2.1.4.1.1',
    [
      [1, 'lldpRemTimeMark', TimeTicks],
      [2, 'lldpRemLocalPortNum', Integer],
      [3, 'lldpRemIndex', Integer],
      [4, 'lldpRemChassisIdSubtype', Integer],
      [5, 'lldpRemChassisId', OctetString],
      [6, 'lldpRemPortIdSubtype', Integer],
      [7, 'lldpRemPortId', OctetString],
      [8, 'lldpRemPortDesc', OctetString],
      [9, 'lldpRemSysName', OctetString],
      [10, 'lldpRemSysDesc', OctetString],
      [11, 'lldpRemSysCapSupported', OctetString],
      [12, 'lldpRemSysCapEnabled', OctetString],
    ],
    ['lldpRemTimeMark', 'lldpRemLocalPortNum', 'lldpRemIndex'],
    [neighbour('ap', AP.mac, 1, AP_LLDP), neighbour('deskphone', phone?.mac ?? '', 2, VOIP_LLDP)],
  );
  const learned = new Map<string, number>();
  const renew = () => {
    for (const [mac, port] of forwardingTable()) {
      if (learned.get(mac) === port) continue;
      if (learned.has(mac)) mib.deleteTableRow('dot1dTpFdbEntry', [bytes(mac)]);
      learned.set(mac, port);
      mib.addTableRow('dot1dTpFdbEntry', [bytes(mac), port, 3]);
    }
  };
  renew();
  setInterval(renew, RENEW_EVERY_MS);
}

function portNames(): { number: number; label: string }[] {
  const names = [
    'router',
    'agent',
    'ap',
    ...HOSTS.filter(({ behind }) => behind === undefined).map(({ name }) => name),
  ];
  return names.map(portOf);
}

/** What the bridge has learned: the port of each MAC. A cable is called as the host at its other end. */
function forwardingTable(): [mac: string, port: number][] {
  const text = execFileSync('bridge', ['fdb', 'show', 'br', 'br0'], { encoding: 'utf8' });
  return text.split('\n').flatMap((line): [string, number][] => {
    const [, mac, name] = /^(\S+) dev (\S+) master br0(?! permanent)/.exec(line) ?? [];
    if (mac === undefined || name === undefined || line.includes('permanent') || name === 'hostile') return [];
    return [[mac.toUpperCase(), portOf(name).number]];
  });
}

const bytes = (mac: string) => Buffer.from(mac.replaceAll(':', ''), 'hex');
