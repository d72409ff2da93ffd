/** The servers on one host of the lab. Runs in the host's network namespace; what it should serve is its argument. */
import { createSocket } from 'node:dgram';
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:net';
import { nodeStatus } from './node-status.ts';
import { PUBLIC_INFO } from './plan.ts';

export interface Services {
  tcp: readonly number[];
  /** Address of the interface on which magic packets are expected. */
  magicPackets?: { broadcast: string; interface: string };
  info?: number;
  speedtest?: number;
  /** The name that the host tells when it is asked by mDNS for the name of an address. */
  mdns?: string;
  /** The name in its NetBIOS node status. */
  netbios?: string;
}

/** One line of JSON on standard output for each event. */
export type ServiceEvent =
  | { event: 'ready' }
  | { event: 'magic'; destination: string; port: number; source: string; mac: string; bytes: number };

const tell = (event: ServiceEvent) => console.log(JSON.stringify(event));

async function serve({ tcp, magicPackets, info, speedtest, mdns, netbios }: Services): Promise<void> {
  await Promise.all(tcp.map((port) => listening(port, port === 80 ? httpServer(webPage) : lineServer(port))));
  if (info !== undefined) await listening(info, httpServer(infoService));
  if (speedtest !== undefined) await listening(speedtest, httpServer(librespeed));
  if (magicPackets !== undefined) await listenForMagicPackets(magicPackets);
  if (mdns !== undefined) await answering(5353, (question) => mdnsAnswer(question, mdns));
  if (netbios !== undefined) await answering(137, (request) => nodeStatus(request, netbios));
  tell({ event: 'ready' });
}

/** Answers each datagram to a port. */
function answering(port: number, answer: (datagram: Buffer) => Buffer): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('message', (datagram, from) => socket.send(answer(datagram), from.port, from.address));
  return new Promise((resolve) => socket.bind(port, () => resolve()));
}

/** One PTR record for whatever was asked (RFC 6762 section 6.7: the question is repeated). */
function mdnsAnswer(question: Buffer, name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([Buffer.byteLength(label)]), Buffer.from(label)]));
  const target = Buffer.concat([...labels, Buffer.from([0])]);
  let end = 12;
  while ((question[end] ?? 0) !== 0) end += (question[end] ?? 0) + 1;
  const header = Buffer.from([...question.subarray(0, 2), 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
  // The name is that of the question; PTR, IN, ten seconds.
  const record = Buffer.from([0xc0, 12, 0, 12, 0, 1, 0, 0, 0, 10, 0, target.length]);
  return Buffer.concat([header, question.subarray(12, end + 5), record, target]);
}

function listening(port: number, server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '::', ipv6Only: false }, () => resolve());
  });
}

function httpServer(listener: RequestListener): Server {
  const server = createHttpServer(listener);
  server.requestTimeout = 0;
  return server;
}

/** Says something at once, so that version probes need not wait for it. */
function lineServer(port: number): Server {
  const greeting = port === 22 ? 'SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n' : '220 lab ready\r\n';
  return createServer((socket) => {
    socket.on('error', () => {});
    socket.setTimeout(2_000, () => socket.destroy());
    socket.write(greeting);
    socket.resume();
  });
}

const webPage: RequestListener = (_request, response) => {
  response.setHeader('Server', 'LabWeb/1.0');
  response.end('<!doctype html><title>lab</title>');
};

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The ways in which the services on the internet answer, one path for each. */
const INFO: Record<string, RequestListener> = {
  '/good': (_, response) => json(response, 200, PUBLIC_INFO),
  '/empty': (_, response) => response.end(),
  '/html': (_, response) => response.end('<html><body>Please accept our terms</body></html>'),
  '/hang': () => {}, // Accepted, and never answered.
  '/huge'(_, response) {
    const more = () => {
      while (!response.destroyed && response.write(MEBIBYTE));
    };
    response.on('drain', more);
    more();
  },
  '/reset': ({ socket }) => socket.resetAndDestroy(),
  '/limited': (_, response) => json(response, 429, { error: 'too many requests' }),
  '/redirect': (_, response) => response.writeHead(302, { location: '/good' }).end(),
  '/noaddress': (_, response) => json(response, 200, { ...PUBLIC_INFO, ip: '203.0.113.777' }),
};
const infoService: RequestListener = (request, response) => {
  const answer = INFO[request.url ?? ''];
  if (answer === undefined) return json(response, 404, { error: 'no such path' });
  answer(request, response);
};

const MEBIBYTE = Buffer.alloc(1024 * 1024, 'lab');

const librespeed: RequestListener = (request, response) => {
  const url = new URL(request.url ?? '/', 'http://lab');
  if (url.pathname === '/empty.php') {
    request.resume();
    request.on('end', () => response.end());
    return;
  }
  if (url.pathname !== '/garbage.php') return void response.writeHead(404).end();
  let left = Math.min(1024, Math.max(1, Number(url.searchParams.get('ckSize') ?? 4)));
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': left * MEBIBYTE.length });
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left--;
      if (left === 0) response.end(MEBIBYTE);
      else if (!response.write(MEBIBYTE)) return;
    }
  };
  response.on('drain', more);
  more();
};

/** One socket for each destination: a datagram does not say to which address it was sent. */
async function listenForMagicPackets({ broadcast, interface: name }: { broadcast: string; interface: string }) {
  for (const destination of [broadcast, '255.255.255.255', `ff02::1%${name}`]) {
    for (const port of [7, 9]) {
      const socket = createSocket({ type: destination.includes(':') ? 'udp6' : 'udp4', reuseAddr: true });
      socket.on('message', (datagram, { address }) => {
        const mac = datagram
          .subarray(6, 12)
          .toString('hex')
          .toUpperCase()
          .replace(/(..)(?!$)/g, '$1:');
        const expected = Buffer.concat([Buffer.alloc(6, 0xff), ...Array<Buffer>(16).fill(datagram.subarray(6, 12))]);
        if (!datagram.equals(expected)) return;
        tell({ event: 'magic', destination, port, source: address, mac, bytes: datagram.length });
      });
      await new Promise<void>((resolve) => socket.bind(port, destination, resolve));
    }
  }
}

await serve(JSON.parse(process.argv[2] ?? '{"tcp":[]}'));
