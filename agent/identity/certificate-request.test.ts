import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { certificateRequest } from './certificate-request.ts';

test('a request is signed by its own key, on the curve P-256', async () => {
  const { key, csr } = await certificateRequest();
  const read = new Pkcs10CertificateRequest(csr);
  expect(read.subject).toBe('CN=lanreach-agent');
  expect(await read.verify(webcrypto)).toBe(true);
  const certified = createPublicKey({ key: Buffer.from(read.publicKey.rawData), format: 'der', type: 'spki' });
  expect(certified.equals(createPublicKey(createPrivateKey(key)))).toBe(true);
  expect(certified.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
});
