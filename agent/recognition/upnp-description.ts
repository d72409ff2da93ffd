/** Descriptions of UPnP devices (UPnP Device Architecture 2.0, section 2.3), fetched only from the devices themselves. */
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { XMLParser } from 'fast-xml-parser';
import * as z from 'zod';
import type { IpRange } from '../../shared/network.ts';
import { announced, type Heard } from '../discovery/observations.ts';
import { isIn } from '../discovery/watched-networks.ts';
import { plain } from '../tools/nmap-report.ts';
import { METADATA } from '../tools/target-policy.ts';

const MAX_BYTES = 64 * 1_024;
const MAX_HEADER_BYTES = 8 * 1_024;
const MAX_DEPTH = 16;

/**
 * The URL, if it points at the very host that named it, in a watched network, and not at this host: a packet must not make
 * the agent query a third party. Otherwise null.
 * @param responder the address that responded
 */
export function ownUrl(location: string, responder: string, networks: readonly IpRange[]): URL | null {
  const url = URL.canParse(location) ? new URL(location) : null;
  if (url === null || url.protocol !== 'http:' || url.hostname !== responder) return null;
  if (url.username !== '' || url.password !== '' || url.port === '0') return null;
  const isWatched = networks.some((network) => isIn(responder, network));
  const isMetadata = METADATA.some(({ range }) => isIn(responder, range));
  const isOwn = Object.values(networkInterfaces()).some((own) => own?.some(({ address }) => address === responder));
  return isWatched && !isMetadata && !isOwn ? url : null;
}

/**
 * Fetches a description without following redirects.
 * @param localAddress of this host, the source of the request
 * @param signal ends it: the caller sets the deadline
 * @returns null on an error, another status than 200, or a description of more than 64 KiB
 */
export function getDescription(url: URL, localAddress: string, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const outgoing = request({
      host: url.hostname,
      port: url.port === '' ? 80 : Number(url.port),
      path: `${url.pathname}${url.search}`,
      localAddress,
      // No proxy, and no connection that stays open.
      agent: false,
      headers: { host: url.host, accept: 'text/xml', 'accept-encoding': 'identity', connection: 'close' },
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    });
    const end = (text: string | null) => {
      resolve(text);
      outgoing.destroy();
    };
    outgoing.on('error', () => end(null));
    outgoing.once('upgrade', () => end(null));
    outgoing.once('response', (response) => {
      response.on('error', () => end(null));
      if (response.statusCode !== 200) return end(null);
      const pieces: Buffer[] = [];
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > MAX_BYTES) end(null);
        else pieces.push(piece);
      });
      response.once('end', () => end(new TextDecoder().decode(Buffer.concat(pieces))));
    });
    outgoing.end();
  });
}

const PARSER = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  processEntities: false,
  removeNSPrefix: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
});
/** Entities are declared there; no device needs a DTD. */
const DECLARES = /<!(?:DOCTYPE|ENTITY)/i;

/**
 * Parses XML from a device: elements without attributes and prefixes, texts with their entities still encoded. Of cut text, the
 * part before the cut. @throws {Error} for a DTD, or what is no XML
 */
export function parseUntrustedXml(xml: string): unknown {
  if (DECLARES.test(xml)) throw new Error('XML with a DTD');
  return PARSER.parse(xml);
}

/** The first of a repeated element. */
const one = <Element extends z.ZodType>(element: Element) =>
  z.preprocess((value) => (Array.isArray(value) ? value[0] : value), element);
const Text = one(z.string())
  .transform((text) => plain(text).trim())
  .catch('');
const Device = z.object({
  deviceType: Text,
  friendlyName: Text,
  roomName: Text,
  manufacturer: Text,
  modelName: Text,
  modelNumber: Text,
  UDN: Text,
});
const Description = z.object({ root: one(z.object({ device: one(Device) })) });

/** The observations in a description; none in anything else. Never throws. */
export function observationsIn(xml: string): Heard[] {
  let device: z.infer<typeof Device>;
  try {
    device = Description.parse(parseUntrustedXml(xml)).root.device;
  } catch {
    return [];
  }
  const { modelName, modelNumber } = device;
  const isRepeated = modelName.toLowerCase().includes(modelNumber.toLowerCase());
  return announced({
    'upnp-type': device.deviceType,
    // Sonos: the name of the room; friendlyName consists of its address and its model.
    'upnp-name': device.roomName || device.friendlyName,
    'upnp-maker': device.manufacturer,
    'upnp-model': isRepeated ? modelName : `${modelName} ${modelNumber}`.trim(),
    'upnp-id': device.UDN,
  });
}
