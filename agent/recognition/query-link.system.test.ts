/** Hosts on loopback that speak mDNS, SSDP and HTTP as devices do, and a malicious one. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as packet from 'dns-packet';
import { afterEach, expect, test } from 'vitest';
import { range } from '../../shared/network.ts';
import { MDNS } from './mdns.ts';
import { type DeviceReply, type QueriedDevice, queryLink } from './query-link.ts';
import { SSDP } from './ssdp.ts';

const LOOPBACK = '127.0.0.1';
const [TV, PRINTER, NEIGHBOUR, STRANGER] = ['127.0.0.31', '127.0.0.32', '127.0.0.66', '127.0.0.99'];

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const each of cleanUp.splice(0)) each();
});

async function bound(address: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  socket.bind(port, address);
  await once(socket, 'listening');
  cleanUp.push(() => socket.close());
  return socket;
}

type Answer = (datagram: Buffer, isForAll: boolean) => (Buffer | string)[];

/** A group on loopback, at an unused port. */
async function newGroup(address: string) {
  const probe = await bound(LOOPBACK, 0);
  const { port } = probe.address();
  let questions = 0;
  return {
    to: { address, port },
    /** The number of multicasts. */
    questions: () => questions,
    /** A host of the group, which answers from its own address. */
    async host(own: string, answer: Answer, isCounting = false) {
      const [all, one] = [await bound(address, port), await bound(own, port)];
      all.addMembership(address, LOOPBACK);
      for (const socket of [all, one]) {
        socket.on('message', (datagram, from) => {
          if (isCounting && socket === all) questions++;
          for (const each of answer(datagram, socket === all)) one.send(each, from.port, from.address);
        });
      }
    },
  };
}

/** Responds to queries about these records, each with that record alone: what belongs to it takes further queries. */
function mdnsHost(records: packet.Answer[]): Answer {
  return (datagram) => {
    const { id = 0, questions = [] } = packet.decode(datagram);
    return records
      .filter((each) => questions.some(({ name, type }) => 'name' in each && each.name === name && each.type === type))
      .map((each) => packet.encode({ type: 'response', id, questions, answers: [each] }));
  };
}

async function web(address: string, listener: RequestListener): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    listener(request, response);
  });
  server.listen(0, address);
  await once(server, 'listening');
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://${address}:${(server.address() as AddressInfo).port}`, asked };
}

const ssdp = (location: string, server = 'Samsung UPnP SDK/1.0') =>
  ['HTTP/1.1 200 OK', `LOCATION: ${location}`, `SERVER: ${server}`, 'ST: urn:x:device:TV:1', '', ''].join('\r\n');
const description = (name: string) =>
  `<?xml version="1.0"?><root><device><friendlyName>${name}</friendlyName><modelName>UE55</modelName></device></root>`;

type Group = { address: string; port: number };

function ask(mdns: Group, search: Group, signal = new AbortController().signal) {
  const devices = [TV, PRINTER, NEIGHBOUR].map((ip): [string, QueriedDevice] => {
    return [ip, { mac: ip, addresses: new Set([ip]), describe: true }];
  });
  const networks = [range('127.0.0.0/8')];
  return queryLink({ address: LOOPBACK, networks, devices: new Map(devices), mdns, ssdp: search, signal });
}

const replyTexts = (said: Map<string, DeviceReply>, ip: string) =>
  said.get(ip)?.heard.map(({ source, value }) => `${source} ${value}`);

test('a link is queried with few packets, and each device with follow-ups', async () => {
  const [dns, search] = [await newGroup(MDNS.address), await newGroup(SSDP.address)];
  const name = 'Brother._octoprint._tcp.local';
  const printer = mdnsHost([
    { type: 'PTR', name: '_services._dns-sd._udp.local', data: '_octoprint._tcp.local' },
    { type: 'PTR', name: '_octoprint._tcp.local', data: name },
    { type: 'SRV', name, data: { port: 80, target: 'BRW001.local' } },
    { type: 'TXT', name, data: ['model=MK4', 'token=secret'] },
    { type: 'A', name: 'BRW001.local', data: PRINTER },
  ]);
  await dns.host(PRINTER, printer, true);
  await dns.host(STRANGER, printer);
  const tv = await web(TV, (_, response) => response.end(description('Living Room TV')));
  await search.host(TV, () => [ssdp(`${tv.url}/dmr`), ssdp(`${tv.url}/dmr`)], true);

  const said = await ask(dns.to, search.to);
  expect([...said.keys()].sort()).toEqual([TV, PRINTER]);
  expect(replyTexts(said, PRINTER)).toEqual([
    'mdns-service _octoprint._tcp',
    'mdns-instance _octoprint._tcp Brother',
    'mdns-text _octoprint._tcp model=MK4',
  ]);
  expect(said.get(PRINTER)?.host).toBe('BRW001.local');
  expect(replyTexts(said, TV)).toEqual([
    'ssdp-server Samsung UPnP SDK/1.0',
    'ssdp-type urn:x:device:TV:1',
    'upnp-name Living Room TV',
    'upnp-model UE55',
  ]);
  expect(tv.asked).toEqual(['/dmr']);
  expect([dns.questions(), search.questions()]).toEqual([34, 2]);
}, 30_000);

test('a malicious neighbour makes the agent query no third party, wait for nothing, and believe nothing', async () => {
  const [dns, search] = [await newGroup(MDNS.address), await newGroup(SSDP.address)];
  const victim = await web(TV, (_, response) => response.end(description('OWNED')));
  let sent = 0;
  const evil = await web(NEIGHBOUR, ({ url }, response) => {
    if (url === '/redirect') response.writeHead(302, { location: `${victim.url}/secret` }).end();
    if (url === '/endless') {
      const drip = setInterval(() => response.write('<a>'), 50);
      response.on('close', () => clearInterval(drip));
    }
    if (url === '/huge') {
      const more = () => {
        while (!response.destroyed && sent < 50_000_000 && response.write('x'.repeat(10_000))) sent += 10_000;
      };
      response.on('drain', more);
      more();
    }
  });
  const flood = packet.encode({
    type: 'response',
    answers: [
      { type: 'PTR', name: '_googlecast._tcp.local', data: 'OWNED._googlecast._tcp.local' },
      { type: 'SRV', name: 'OWNED._googlecast._tcp.local', data: { port: 1, target: 'owned.local' } },
      { type: 'TXT', name: 'OWNED._googlecast._tcp.local', data: ['md=OWNED'] },
      { type: 'A', name: 'owned.local', data: TV },
    ],
  });
  await dns.host(NEIGHBOUR, () => Array.from({ length: 200 }, () => flood));
  for (const path of ['redirect', 'endless', 'huge']) await search.host(NEIGHBOUR, () => [ssdp(`${evil.url}/${path}`)]);
  const elsewhere = [`${victim.url}/secret`, 'http://169.254.169.254/latest/meta-data/', 'file:///etc/passwd'];
  await search.host(NEIGHBOUR, () => elsewhere.map((each) => ssdp(each)));

  const startedAt = performance.now();
  const said = await ask(dns.to, search.to);
  // The machine may be slow; without bounds it would never end.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect([...said.keys()]).toEqual([NEIGHBOUR]);
  expect(replyTexts(said, NEIGHBOUR)).toEqual(['ssdp-server Samsung UPnP SDK/1.0', 'ssdp-type urn:x:device:TV:1']);
  expect(victim.asked).toEqual([]);
  expect(evil.asked.sort()).toEqual(['/endless', '/huge', '/redirect']);
  // What was on its way when the connection was closed.
  expect(sent).toBeLessThan(10_000_000);
}, 30_000);

test('without the address on this host, and after the end, there are no replies', async () => {
  const to = { address: LOOPBACK, port: 9 };
  const link = { networks: [], devices: new Map(), mdns: to, ssdp: to };
  expect(await queryLink({ ...link, address: '203.0.113.1', signal: new AbortController().signal })).toEqual(new Map());
  const startedAt = performance.now();
  await ask(to, to, AbortSignal.abort());
  expect(performance.now() - startedAt).toBeLessThan(2_500);
});
