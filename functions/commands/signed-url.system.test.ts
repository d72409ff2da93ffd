import { createServer } from 'node:http';
import mqtt from 'mqtt';
import { expect, test } from 'vitest';
import { listenOnLoopback } from '../../test/support/loopback.ts';
import type { Credentials } from '../config.ts';
import { signedBroker, signedUrl } from './signed-url.ts';

const ENDPOINT = { host: 'abc123-ats.iot.eu-central-1.amazonaws.com', region: 'eu-central-1' };
const KEYS: Credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCY',
  sessionToken: null,
};
const AT = new Date('2026-11-01T08:15:30.999Z');

function queryOf(url: string): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams);
}

// The signatures were made by a second implementation, of the steps in AWS's description of Signature Version 4.
test.each([
  [ENDPOINT.host, ENDPOINT.region, 'aaab5e29f4e2b7ecf519cc77e004ed153d5e49159a7e4d8ca9252de0ac63afa9'],
  ['127.0.0.1:8443', 'us-gov-west-1', '9e1b230efa9920aad18a27cbc3540f1c1a009054199b4b0880803d0d1f9f7262'],
])('the signature is that of the request: to %s', async (host, region, signature) => {
  const url = await signedUrl({ host, region }, KEYS, AT);
  expect(url.startsWith(`wss://${host}/mqtt?`)).toBe(true);
  expect(queryOf(url)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `AKIDEXAMPLE/20261101/${region}/iotdevicegateway/aws4_request`,
    'X-Amz-Date': '20261101T081530Z',
    'X-Amz-Expires': '120',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': signature,
  });
});

test('a session token is added after the signature, which does not cover it', async () => {
  const sessionToken = 'IQoJb3JpZ2luX2VjE+/=&x';
  const url = await signedUrl(ENDPOINT, { ...KEYS, sessionToken }, AT);
  const plain = await signedUrl(ENDPOINT, KEYS, AT);
  expect(url).toBe(`${plain}&X-Amz-Security-Token=IQoJb3JpZ2luX2VjE%2B%2F%3D%26x`);
  expect(queryOf(url)['X-Amz-Security-Token']).toBe(sessionToken);
});

test('every connection is signed anew, with the credentials of that moment, and asks for the host that was signed', async () => {
  const seen: { url: string; host: string | undefined; protocol: string | undefined }[] = [];
  const server = createServer().on('upgrade', ({ url = '', headers }, socket) => {
    seen.push({ url, host: headers.host, protocol: headers['sec-websocket-protocol'] });
    socket.destroy();
  });
  const port = await listenOnLoopback(server);
  const host = `127.0.0.1:${port}`;
  let calls = 0;
  const broker = signedBroker('prod', { host, region: 'eu-central-1' }, () => ({
    ...KEYS,
    accessKeyId: `KEY${++calls}`,
  }));
  try {
    for (let i = 0; i < 2; i++) await refused(await broker.dial());
  } finally {
    server.close();
  }
  expect(seen.map(({ url }) => queryOf(`wss://x${url}`)['X-Amz-Credential']?.split('/')[0])).toEqual(['KEY1', 'KEY2']);
  expect(seen.every((request) => request.host === host && request.protocol === 'mqtt')).toBe(true);
});

/** Connects without TLS, which is beside the point here. */
async function refused({ transformWsUrl, ...options }: mqtt.IClientOptions): Promise<void> {
  const inClear: typeof transformWsUrl = (...args) => transformWsUrl!(...args).replace(/^wss/, 'ws');
  const client = mqtt.connect({ ...options, protocol: 'ws', reconnectPeriod: 0, transformWsUrl: inClear });
  client.on('error', () => {});
  await new Promise<void>((resolve) => client.once('close', resolve));
  client.end(true);
}
