/** The SNMP agent of the core switch: ports, the forwarding table of the kernel's bridge, and LLDP neighbours. */
import { execFileSync } from 'node:child_process';
import snmp from 'net-snmp';
import { AP, AP_LLDP, CORE, HOSTILE, HOSTS, PLUGGED, portOf, VOIP_LLDP } from './plan.ts';

const RENEW_EVERY_MS = 1_000;
const { Integer, OctetString, OID, TimeTicks, Gauge } = snmp.ObjectType;
const { Scalar, Table } = snmp.MibProviderType;
const READ = snmp.MaxAccess['read-only'];

/** The number and the type of each column. */
type Columns = Record<string, readonly [number: number, type: number]>;
type Row = (string | number | Buffer)[];

export function answerAsSwitch(): void {
  const agent = snmp.createAgent({ port: 161, disableAuthorization: false }, () => {});
  agent.getAuthorizer().addCommunity('public');
  const mib = agent.getMib();
  const scalar = (name: string, oid: string, scalarType: number, value: string) => {
    mib.registerProvider({ name, type: Scalar, oid, scalarType, maxAccess: READ });
    mib.setScalarValue(name, value);
  };
  const table = (name: string, oid: string, columns: Columns, index: string[], rows: Row[], implied = false) => {
    mib.registerProvider({
      name,
      type: Table,
      oid,
      maxAccess: READ,
      tableColumns: Object.entries(columns).map(([name, [number, type]]) => ({ number, name, type, maxAccess: READ })),
      tableIndex: index.map((columnName, at) => ({
        columnName,
        ...(implied && at === index.length - 1 ? { implied } : {}),
      })),
    });
    for (const row of rows) mib.addTableRow(name, row);
  };
  const ports = PLUGGED.filter((name) => name !== HOSTILE.name).map(portOf);
  scalar('sysDescr', '1.3.6.1.2.1.1.1', OctetString, CORE.snmp?.description ?? '');
  scalar('sysObjectID', '1.3.6.1.2.1.1.2', OID, CORE.snmp?.object ?? '');
  scalar('sysName', '1.3.6.1.2.1.1.5', OctetString, CORE.snmp?.name ?? '');
  // The number of an interface is not that of its bridge port, as on most switches.
  const ifIndex = (port: number) => 10_100 + port;
  table(
    'ifEntry',
    '1.3.6.1.2.1.2.2.1',
    { ifIndex: [1, Integer], ifDescr: [2, OctetString], ifType: [3, Integer], ifSpeed: [5, Gauge] },
    ['ifIndex'],
    ports.map(({ number }) => [ifIndex(number), `GigabitEthernet1/0/${number}`, 6, 1_000_000_000]),
  );
  table(
    'ifXEntry',
    '1.3.6.1.2.1.31.1.1.1',
    { ifXIndex: [100, Integer], ifName: [1, OctetString], ifAlias: [18, OctetString] },
    ['ifXIndex'],
    ports.map(({ number, label }) => [ifIndex(number), label, '']),
  );
  table(
    'dot1dBasePortEntry',
    '1.3.6.1.2.1.17.1.4.1',
    { dot1dBasePort: [1, Integer], dot1dBasePortIfIndex: [2, Integer] },
    ['dot1dBasePort'],
    ports.map(({ number }) => [number, ifIndex(number)]),
  );
  table(
    'dot1dTpFdbEntry',
    '1.3.6.1.2.1.17.4.3.1',
    { dot1dTpFdbAddress: [1, OctetString], dot1dTpFdbPort: [2, Integer], dot1dTpFdbStatus: [3, Integer] },
    ['dot1dTpFdbAddress'],
    [],
    true,
  );
  table(
    'lldpLocPortEntry',
    '1.0.8802.1.1.2.1.3.7.1',
    {
      lldpLocPortNum: [1, Integer],
      lldpLocPortIdSubtype: [2, Integer],
      lldpLocPortId: [3, OctetString],
      lldpLocPortDesc: [4, OctetString],
    },
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
    {
      lldpRemTimeMark: [1, TimeTicks],
      lldpRemLocalPortNum: [2, Integer],
      lldpRemIndex: [3, Integer],
      lldpRemChassisIdSubtype: [4, Integer],
      lldpRemChassisId: [5, OctetString],
      lldpRemPortIdSubtype: [6, Integer],
      lldpRemPortId: [7, OctetString],
      lldpRemPortDesc: [8, OctetString],
      lldpRemSysName: [9, OctetString],
      lldpRemSysDesc: [10, OctetString],
      lldpRemSysCapSupported: [11, OctetString],
      lldpRemSysCapEnabled: [12, OctetString],
    },
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
