/**
 * How the functions come to IoT Core: MQTT over WebSocket, at a URL that carries a signature of the function's role
 * (AWS Signature Version 4, in the query). One URL is for one connection.
 */
import { createHash, createHmac } from 'node:crypto';
import type { Credentials } from '../config.ts';
import type { BrokerSettings } from './connection.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const SERVICE = 'iotdevicegateway';
const PATH = '/mqtt';
/** Long enough for a clock that is a little off; the URL is used at once. */
const VALID_S = 120;
const EMPTY_BODY = sha256('');

export interface Endpoint {
  /** Host, with a TCP port where it is not 443: what stands in the Host header. */
  host: string;
  region: string;
}

/** @param credentials asked for each time, because those of a role are replaced before they expire */
export function signedBroker({ host, region }: Endpoint, credentials: () => Credentials): BrokerSettings {
  return {
    dial() {
      const { hostname, port } = new URL(`https://${host}`);
      return {
        protocol: 'wss',
        hostname,
        host: hostname,
        port: port === '' ? 443 : Number(port),
        path: PATH,
        // Asked for by the library whenever it opens a socket, so that no signature is ever used twice.
        transformWsUrl: () => signedUrl({ host, region }, credentials(), new Date()),
      };
    },
  };
}

export function signedUrl(
  { host, region }: Endpoint,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  at: Date,
): string {
  const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${SERVICE}/aws4_request`;
  const query = [
    ['X-Amz-Algorithm', ALGORITHM],
    ['X-Amz-Credential', `${accessKeyId}/${scope}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', String(VALID_S)],
    ['X-Amz-SignedHeaders', 'host'],
  ]
    .map(([name, value]) => `${name}=${encodeURIComponent(value!)}`)
    .join('&');
  const request = ['GET', PATH, query, `host:${host}`, '', 'host', EMPTY_BODY].join('\n');
  const toSign = [ALGORITHM, time, scope, sha256(request)].join('\n');
  const key = [day, region, SERVICE, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  // IoT Core takes the token out before it checks the signature; other services want it signed.
  const session = sessionToken === null ? '' : `&X-Amz-Security-Token=${encodeURIComponent(sessionToken)}`;
  return `wss://${host}${PATH}?${query}&X-Amz-Signature=${signature}${session}`;
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
