/** The key that is read out of a certificate request is the one of the certificate, and nothing makes the reader throw. */
import 'reflect-metadata'; // The X.509 library does not load without it.
import { createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeAgentKey } from '../../../test/agent-key.ts';
import { publicKeyOfRequest } from './request-key.ts';

const spkiOf = (key: string) => createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');

test('of a request by an agent, whatever its subject', async () => {
  for (const subject of ['CN=a', `CN=${'x'.repeat(60)}, O=${'y'.repeat(60)}, OU=${'z'.repeat(60)}`]) {
    const { csr, key } = await makeAgentKey(subject);
    expect(publicKeyOfRequest(csr)).toBe(spkiOf(key));
  }
});

test('of a request with a key of another kind', async () => {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const usages = ['sign', 'verify'] as const;
  const wanted = { ...algorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
  const keys = await webcrypto.subtle.generateKey(wanted, true, usages);
  const request = await Pkcs10CertificateRequestGenerator.create(
    { name: 'CN=a', keys, signingAlgorithm: algorithm },
    webcrypto,
  );
  const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', keys.publicKey)).toString('base64');
  expect(publicKeyOfRequest(request.toString('pem'))).toBe(spki);
});

test('of anything else there is none', async () => {
  const { csr } = await makeAgentKey();
  const der = Buffer.from(csr.replace(/-----[^-]+-----/g, ''), 'base64');
  const pemOf = (bytes: Uint8Array) =>
    `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(bytes).toString('base64')}\n-----END CERTIFICATE REQUEST-----`;
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const others = ['', csr.slice(0, 200), publicKey.export({ type: 'spki', format: 'pem' }).toString()];
  for (const text of others) expect(publicKeyOfRequest(text)).toBeNull();
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => publicKeyOfRequest(pemOf(bytes)) === null));
  fc.assert(
    fc.property(fc.nat(der.length - 1), fc.nat(255), (at, value) => {
      const changed = Buffer.from(der);
      changed[at] = value;
      const key = publicKeyOfRequest(pemOf(changed));
      return key === null || typeof key === 'string';
    }),
  );
});
