/** Generates a private key and a certificate request for it (PKCS #10, RFC 2986). */
import { createPrivateKey, webcrypto } from 'node:crypto';

const EC_P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Both in PEM, the key as PKCS #8. The API identifies the agent by the enrolment code or a signature, not the subject. */
export async function certificateRequest(): Promise<{ key: string; csr: string }> {
  const { Pkcs10CertificateRequestGenerator } = await loadX509();
  const keys = await webcrypto.subtle.generateKey(EC_P256, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create(
    { name: 'CN=lanreach-agent', keys, signingAlgorithm: EC_P256 },
    webcrypto,
  );
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return { key: key.export({ format: 'pem', type: 'pkcs8' }).toString(), csr: `${request.toString('pem')}\n` };
}

/** Loaded only to make or sign a request, because it takes about ten megabytes of memory. */
export async function loadX509() {
  await import('reflect-metadata'); // The library requires that this is loaded before it.
  return import('@peculiar/x509');
}
