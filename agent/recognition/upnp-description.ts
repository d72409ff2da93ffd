/** Descriptions of UPnP devices (UPnP Device Architecture 2.0, section 2.3), from the devices themselves and nobody else. */
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { XMLParser } from 'fast-xml-parser';
import * as z from 'zod';
import type { IpRange } from '../../shared/network.ts';
import type { Heard } from '../discovery/observations.ts';
import { isIn } from '../discovery/watched-networks.ts';
import { plain } from '../tools/nmap-report.ts';
import { METADATA } from '../tools/target-policy.ts';

const WITHIN_MS = 2_000;
const MAX_BYTES = 64 * 1_024;
const MAX_HEADER_BYTES = 8 * 1_024;
const MAX_DEPTH = 16;

/**
 * The URL, if it leads to the very host that has named it, in a network that is watched, and not to this host: whoever can
 * send a packet must not make the agent ask anybody else. Otherwise null.
 * @param responder the address that has answered
 */
export function ownUrl(location: string, responder: string, networks: readonly IpRange[]): URL | null {
  const url = URL.canParse(location) ? new URL(location) : null;
  if (url === null || url.protocol !== 'http:' || url.hostname !== responder) return null;
  if (url.username !== '' || url.password !== '' || url.port === '0') return null;
  const isWatched = networks.some((network) => isIn(responder, network));
  const isOffLimits = METADATA.some(({ range }) => isIn(responder, range));
  return isWatched && !isOffLimits && !isThisHost(responder) ? url : null;
}

function isThisHost(address: string): boolean {
  return Object.values(networkInterfaces()).some((own) => own?.some((each) => each.address === address) === true);
}

/**
 * Gets a description. Redirects are not followed.
 * @param localAddress of this host, from which it is asked
 * @returns null when there is none of a size and within a time that devices need
 */
export function getDescription(url: URL, localAddress: string, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const asked = request({
      host: url.hostname,
      port: url.port === '' ? 80 : Number(url.port),
      path: `${url.pathname}${url.search}`,
      localAddress,
      // No proxy, and no connection that stays open.
      agent: false,
      headers: { host: url.host, accept: 'text/xml', 'accept-encoding': 'identity', connection: 'close' },
      maxHeaderSize: MAX_HEADER_BYTES,
      signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
    });
    const end = (text: string | null) => {
      resolve(text);
      asked.destroy();
    };
    asked.on('error', () => end(null));
    asked.once('upgrade', () => end(null));
    asked.once('response', (response) => {
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
    asked.end();
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
/** No device needs one, and entities are declared there. */
const DECLARES = /<!(?:DOCTYPE|ENTITY)/i;

/** An element that is there twice counts once. */
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

/** What a description says; empty when it is none. Never throws. */
export function saidIn(xml: string): Heard[] {
  if (DECLARES.test(xml)) return [];
  let device: z.infer<typeof Device>;
  try {
    device = Description.parse(PARSER.parse(xml)).root.device;
  } catch {
    return [];
  }
  const { modelName, modelNumber } = device;
  const isSaid = modelName.toLowerCase().includes(modelNumber.toLowerCase());
  const heard: Heard[] = [
    { source: 'upnp-type', value: device.deviceType },
    // Sonos: the name that a person gave the room; friendlyName is made of its address and its model.
    { source: 'upnp-name', value: device.roomName || device.friendlyName },
    { source: 'upnp-maker', value: device.manufacturer },
    { source: 'upnp-model', value: isSaid ? modelName : `${modelName} ${modelNumber}`.trim() },
    { source: 'upnp-id', value: device.UDN },
  ];
  return heard.filter(({ value }) => value !== '');
}
