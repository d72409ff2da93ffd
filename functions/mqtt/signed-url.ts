/**
 * How the functions come to IoT Core: MQTT over WebSocket, at a URL that carries a signature of the function's role
 * (AWS Signature Version 4, in the query). One URL is for one connection.
 */
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { BrokerSettings } from './connection.ts';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Null for keys that are not temporary. */
  sessionToken: string | null;
}

const SERVICE = 'iotdevicegateway';
const PATH = '/mqtt';
/** Long enough for a clock that is a little off; the URL is used at once. */
const VALID_S = 120;

export interface Endpoint {
  /** Host, with a TCP port where it is not 443: what stands in the Host header. */
  host: string;
  region: string;
}

/** @param credentials asked for each time, because those of a role are replaced before they expire */
export function signedBroker({ host, region }: Endpoint, credentials: () => Credentials): BrokerSettings {
  return {
    async dial() {
      const url = await signedUrl({ host, region }, credentials(), new Date());
      const { hostname, port } = new URL(`https://${host}`);
      return {
        protocol: 'wss',
        hostname,
        host: hostname,
        port: port === '' ? 443 : Number(port),
        path: PATH,
        transformWsUrl: () => url,
      };
    },
  };
}

export async function signedUrl(
  { host, region }: Endpoint,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  at: Date,
): Promise<string> {
  // Without the session token: IoT Core takes it out before it checks the signature; other services want it signed.
  const signer = new SignatureV4({
    service: SERVICE,
    region,
    credentials: { accessKeyId, secretAccessKey },
    sha256: Sha256,
  });
  const { query } = await signer.presign(
    { method: 'GET', protocol: 'wss:', hostname: host, path: PATH, headers: { host }, query: {} },
    { signingDate: at, expiresIn: VALID_S },
  );
  const session = sessionToken === null ? {} : { 'X-Amz-Security-Token': sessionToken };
  return `wss://${host}${PATH}?${new URLSearchParams({ ...(query as Record<string, string>), ...session })}`;
}
