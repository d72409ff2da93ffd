/** A fresh key, and the request for its certificate (PKCS #10, RFC 2986). */
import { generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Written out here, because it is always the same request: a library for X.509 would cost the running agent some ten
 * megabytes. Whom the certificate is for does not stand in it; the API knows that from a code, or from a signature.
 */
export async function certificateRequest(): Promise<{ key: string; csr: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const info = sequence(
    VERSION,
    sequence(set(sequence(COMMON_NAME, tagged(UTF8_STRING, Buffer.from('lanreach-agent'))))),
    publicKey.export({ type: 'spki', format: 'der' }),
    NO_ATTRIBUTES,
  );
  const signature = tagged(BIT_STRING, Buffer.from([0]), sign('sha256', info, privateKey));
  const request = sequence(info, sequence(ECDSA_WITH_SHA256), signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    csr: `-----BEGIN CERTIFICATE REQUEST-----\n${lines(request.toString('base64'))}\n-----END CERTIFICATE REQUEST-----\n`,
  };
}

/* ---- DER (ITU-T X.690) ---------------------------------------------------------------------------------------- */

const BIT_STRING = 0x03;
const UTF8_STRING = 0x0c;
const SEQUENCE = 0x30;
const SET = 0x31;
const VERSION = Buffer.from([0x02, 1, 0]);
const NO_ATTRIBUTES = Buffer.from([0xa0, 0]);
const COMMON_NAME = Buffer.from([0x06, 3, 0x55, 4, 3]); // 2.5.4.3
const ECDSA_WITH_SHA256 = Buffer.from([0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]); // 1.2.840.10045.4.3.2

function sequence(...content: Buffer[]): Buffer {
  return tagged(SEQUENCE, ...content);
}

function set(...content: Buffer[]): Buffer {
  return tagged(SET, ...content);
}

function tagged(tag: number, ...content: Buffer[]): Buffer {
  const { length } = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(length)]), ...content]);
}

/** In as few bytes as it takes; from 128 on the first one tells how many follow. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function lines(text: string): string {
  return (text.match(/.{1,64}/g) ?? []).join('\n');
}
