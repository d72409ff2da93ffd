/** A key as an agent makes it, and what the agent sends that has it. */
import 'reflect-metadata'; // The X.509 library does not load without it.
import { createPrivateKey, sign, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { renewalText } from '../shared/agent/proof.ts';

export interface AgentKey {
  /** PEM */
  key: string;
  csr: string;
  /** Body of a renewal, proven by this key. */
  renewal(agent: string, csr: string, at?: number): { agent: string; at: number; csr: string; signature: string };
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
let lastAt = 0;

/** A time that no proof has borne before. */
function newTime(): number {
  lastAt = Math.max(Date.now(), lastAt + 1);
  return lastAt;
}

/** @param subject what the request says of its maker, which nobody should believe */
export async function makeAgentKey(subject = 'CN=anything'): Promise<AgentKey> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const wanted = { name: subject, keys, signingAlgorithm: ALGORITHM };
  const request = await Pkcs10CertificateRequestGenerator.create(wanted, webcrypto);
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const signed = (text: string) => sign('sha256', Buffer.from(text), key).toString('base64');
  return {
    key: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    csr: request.toString('pem'),
    renewal: (agent, csr, at = newTime()) => ({ agent, at, csr, signature: signed(renewalText(agent, at, csr)) }),
  };
}
