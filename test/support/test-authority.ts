/** A certificate authority for tests, with one broker's certificate for 127.0.0.1. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

export interface TestAuthority {
  certificate: string;
  broker: { key: string; cert: string; ca: string };
  /** Certifies the key of a certificate request. Throws when the request is not signed by that key. */
  certify(csr: string, commonName: string): Promise<string>;
}

/** @param days how long everything that it signs holds from now on */
export async function makeTestAuthority({ days = 1 } = {}): Promise<TestAuthority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + days * DAY_MS) };
  const root = await X509CertificateGenerator.createSelfSigned(
    {
      ...validity,
      serialNumber: '01',
      name: 'CN=test authority',
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [new BasicConstraintsExtension(true, 0, true)],
    },
    webcrypto,
  );
  let serial = 1;
  const sign = async (commonName: string, publicKey: webcrypto.CryptoKey, address?: string) => {
    serial++;
    const certificate = await X509CertificateGenerator.create(
      {
        ...validity,
        serialNumber: serial.toString(16).padStart(4, '0'),
        subject: [{ CN: [commonName] }],
        issuer: root.subject,
        publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: address ? [new SubjectAlternativeNameExtension([{ type: 'ip', value: address }])] : [],
      },
      webcrypto,
    );
    return certificate.toString('pem');
  };
  const brokerKeys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', brokerKeys.privateKey)).toString('base64');
  return {
    certificate: root.toString('pem'),
    broker: {
      key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
      cert: await sign('test broker', brokerKeys.publicKey, '127.0.0.1'),
      ca: root.toString('pem'),
    },
    async certify(csr, commonName) {
      const request = new Pkcs10CertificateRequest(csr);
      if (!(await request.verify(webcrypto))) throw new Error('the request was not signed by its own key');
      return sign(commonName, await request.publicKey.export(webcrypto));
    },
  };
}
