/**
 * The functions' way to IoT Core: MQTT over WebSocket, with a URL that is signed for the function's role (AWS Signature
 * Version 4, in the query). Each URL is used for one connection.
 */
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Stage } from '../../shared/identity.ts';
import type { Credentials } from '../config.ts';
import type { BrokerSettings } from './connection.ts';

const SERVICE = 'iotdevicegateway';
const PATH = '/mqtt';
/** Allows for clock skew; the URL is used at once. */
const VALID_S = 120;

interface Endpoint {
  /** Host, with the TCP port if it is not 443, as in the Host header. */
  host: string;
  region: string;
}

/** @param credentials called for each URL, because the credentials of a role are rotated before they expire */
export function signedBroker(stage: Stage, { host, region }: Endpoint, credentials: () => Credentials): BrokerSettings {
  return {
    stage,
    async dial() {
      const url = await signedUrl({ host, region }, credentials(), new Date());
      const { hostname, port } = new URL(`https://${host}`);
      const address = { hostname, host: hostname, port: port === '' ? 443 : Number(port), path: PATH };
      return { protocol: 'wss', ...address, transformWsUrl: () => url };
    },
  };
}

export async function signedUrl(
  { host, region }: Endpoint,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  at: Date,
): Promise<string> {
  // Without the session token: IoT Core removes it before it checks the signature; other services want it signed.
  const credentials = { accessKeyId, secretAccessKey };
  const signer = new SignatureV4({ service: SERVICE, region, credentials, sha256: Sha256 });
  const { query } = await signer.presign(
    { method: 'GET', protocol: 'wss:', hostname: host, path: PATH, headers: { host }, query: {} },
    { signingDate: at, expiresIn: VALID_S },
  );
  const session = sessionToken === null ? {} : { 'X-Amz-Security-Token': sessionToken };
  return `wss://${host}${PATH}?${new URLSearchParams({ ...(query as Record<string, string>), ...session })}`;
}
