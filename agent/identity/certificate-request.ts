/** A fresh key, and the request for its certificate (PKCS #10, RFC 2986). */
import { createPrivateKey, webcrypto } from 'node:crypto';

const EC_P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Whom the certificate is for does not stand in the request; the API knows that from a code, or from a signature. The key
 * is PKCS #8, both are PEM.
 */
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

/** Only when it is needed, which is once a year: it takes some ten megabytes of the agent's memory. */
async function loadX509() {
  await import('reflect-metadata'); // The library wants it to be there before it is loaded itself.
  return import('@peculiar/x509');
}
