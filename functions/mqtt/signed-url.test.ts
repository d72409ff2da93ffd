import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignatureV4 } from '@smithy/signature-v4';
import mqtt from 'mqtt';
import { expect, test } from 'vitest';
import type { Credentials } from '../config.ts';
import { signedBroker, signedUrl } from './signed-url.ts';
import { Sha256 } from './testing/sha256.ts';

const ENDPOINT = { host: 'abc123-ats.iot.eu-central-1.amazonaws.com', region: 'eu-central-1' };
const KEYS: Credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCY',
  sessionToken: null,
};
const AT = new Date('2026-11-01T08:15:30.999Z');

/** The signature that AWS's own signer makes of the same request. */
async function signatureByAws(host: string, region: string, keys: Credentials): Promise<unknown> {
  const { accessKeyId, secretAccessKey } = keys;
  const credentials = { accessKeyId, secretAccessKey };
  const signer = new SignatureV4({ service: 'iotdevicegateway', region, sha256: Sha256, credentials });
  const request = { method: 'GET', protocol: 'wss:', hostname: host, path: '/mqtt', headers: { host }, query: {} };
  const { query } = await signer.presign(request, { signingDate: AT, expiresIn: 120 });
  return query?.['X-Amz-Signature'];
}

function queryOf(url: string): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams);
}

test.each([
  ['the usual port', ENDPOINT.host, ENDPOINT.region],
  ['another port', '127.0.0.1:8443', 'us-gov-west-1'],
])('the signature is the one that AWS makes: %s', async (_, host, region) => {
  const url = signedUrl({ host, region }, KEYS, AT);
  expect(url.startsWith(`wss://${host}/mqtt?`)).toBe(true);
  expect(queryOf(url)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `AKIDEXAMPLE/20261101/${region}/iotdevicegateway/aws4_request`,
    'X-Amz-Date': '20261101T081530Z',
    'X-Amz-Expires': '120',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': await signatureByAws(host, region, KEYS),
  });
});

test('a session token is added after the signature, which does not cover it', () => {
  const sessionToken = 'IQoJb3JpZ2luX2VjE+/=&x';
  const url = signedUrl(ENDPOINT, { ...KEYS, sessionToken }, AT);
  const plain = signedUrl(ENDPOINT, KEYS, AT);
  expect(url).toBe(`${plain}&X-Amz-Security-Token=IQoJb3JpZ2luX2VjE%2B%2F%3D%26x`);
  expect(queryOf(url)['X-Amz-Security-Token']).toBe(sessionToken);
});

test('every connection is signed anew, with the credentials of that moment, and asks for the host that was signed', async () => {
  const seen: { url: string; host: string | undefined; protocol: string | undefined }[] = [];
  const server = createServer().on('upgrade', ({ url = '', headers }, socket) => {
    seen.push({ url, host: headers.host, protocol: headers['sec-websocket-protocol'] });
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  let calls = 0;
  const broker = signedBroker({ host, region: 'eu-central-1' }, () => ({ ...KEYS, accessKeyId: `KEY${++calls}` }));
  try {
    for (let i = 0; i < 2; i++) await refused(broker.dial());
  } finally {
    server.close();
  }
  expect(seen.map(({ url }) => queryOf(`wss://x${url}`)['X-Amz-Credential']?.split('/')[0])).toEqual(['KEY1', 'KEY2']);
  expect(seen.every((request) => request.host === host && request.protocol === 'mqtt')).toBe(true);
});

/** Connects without TLS, which is beside the point here. */
function refused(options: mqtt.IClientOptions): Promise<void> {
  const { transformWsUrl } = options;
  const client = mqtt.connect({
    ...options,
    protocol: 'ws',
    reconnectPeriod: 0,
    transformWsUrl: (url, opts, of) => transformWsUrl!(url, opts, of).replace(/^wss/, 'ws'),
  });
  client.on('error', () => {});
  return new Promise((resolve) => {
    client.once('close', () => {
      client.end(true);
      resolve();
    });
  });
}
