/** Answers searches of UPnP (SSDP) for one device, and gives its description and its page over HTTP. */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { HomeHost, HomeUpnp } from './terms.ts';

const GROUP = '239.255.255.250';
const PORT = 1900;

export async function answerUpnp({ mac, ipv4, upnp }: HomeHost): Promise<void> {
  if (upnp === undefined) return;
  const id = `uuid:2f402f80-da50-11e1-9b23-${mac.replaceAll(':', '').toLowerCase()}`;
  const targets = ['upnp:rootdevice', id, ...upnp.types];
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  await new Promise<void>((resolve) => socket.bind(PORT, resolve));
  socket.addMembership(GROUP, ipv4);
  socket.setMulticastInterface(ipv4);
  const headers = [
    'CACHE-CONTROL: max-age=1800',
    `LOCATION: http://${ipv4}:${upnp.port}${upnp.path}`,
    `SERVER: ${upnp.server}`,
  ];
  const usn = (target: string) => `USN: ${target === id ? id : `${id}::${target}`}`;
  socket.on('message', (datagram, from) => {
    const request = datagram.toString('latin1');
    const wanted = /^M-SEARCH [\s\S]*^ST: *(\S+)/im.exec(request)?.[1];
    for (const target of wanted === 'ssdp:all' ? targets : targets.filter((each) => each === wanted)) {
      const answer = ['HTTP/1.1 200 OK', ...headers, 'EXT:', `ST: ${target}`, usn(target), '', ''];
      socket.send(answer.join('\r\n'), from.port, from.address);
    }
  });
  for (const target of targets) {
    const alive = [
      'NOTIFY * HTTP/1.1',
      `HOST: ${GROUP}:${PORT}`,
      ...headers,
      `NT: ${target}`,
      'NTS: ssdp:alive',
      usn(target),
      '',
      '',
    ];
    socket.send(alive.join('\r\n'), PORT, GROUP);
  }
}

/** Its page at port 80, and the description of UPnP where that says to be. */
export async function serveHttp({ web, upnp, mac, ipv4 }: HomeHost): Promise<void> {
  const ports = new Set([...(web === undefined ? [] : [80]), ...(upnp === undefined ? [] : [upnp.port])]);
  const id = `uuid:2f402f80-da50-11e1-9b23-${mac.replaceAll(':', '').toLowerCase()}`;
  for (const port of ports) {
    const server = createServer((request, response) => {
      if (upnp !== undefined && port === upnp.port && request.url === upnp.path) {
        response.setHeader('content-type', 'text/xml; charset="utf-8"');
        return response.end(description(upnp, id));
      }
      if (web === undefined || port !== 80) response.statusCode = 404;
      response.end(`<!doctype html><html><head><title>${web ?? 'Not Found'}</title></head></html>`);
    });
    await new Promise<void>((resolve) => server.listen(port, ipv4, resolve));
  }
}

function description({ types, name, maker, model, number }: HomeUpnp, id: string): string {
  return `<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor></specVersion>
<device><deviceType>${types[0]}</deviceType><friendlyName>${name}</friendlyName><manufacturer>${maker}</manufacturer>
<modelName>${model}</modelName>${number === undefined ? '' : `<modelNumber>${number}</modelNumber>`}<UDN>${id}</UDN></device></root>`;
}
