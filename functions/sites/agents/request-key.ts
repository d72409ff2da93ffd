/** The public key of a certificate request. The library for whole requests takes too much memory. */
import { createPublicKey } from 'node:crypto';
import { orNull } from '../../../shared/problem.ts';
import { toSpki } from './proof.ts';

const INTEGER = 0x02;
const SEQUENCE = 0x30;

/** In the stored form; null when the request is malformed. The registry verifies the signature. */
export function publicKeyOfRequest(pem: string): string | null {
  return orNull(() => {
    const [, base64 = ''] = /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END/.exec(pem) ?? [];
    // RFC 2986: { { version, subject, subjectPKInfo, … }, … }
    const request = elementAt(Buffer.from(base64, 'base64'), 0, SEQUENCE);
    const info = elementAt(request.content, 0, SEQUENCE);
    const version = elementAt(info.content, 0, INTEGER);
    const subject = elementAt(info.content, version.end, SEQUENCE);
    const { end } = elementAt(info.content, subject.end, SEQUENCE);
    const key = info.content.subarray(subject.end, end);
    return toSpki(createPublicKey({ key, format: 'der', type: 'spki' }));
  });
}

/** An element of DER. @throws {RangeError} when it is missing */
function elementAt(der: Buffer, at: number, tag: number): { content: Buffer; end: number } {
  const first = der.readUInt8(at + 1);
  const more = first < 0x80 ? 0 : first & 0x7f;
  const length = more === 0 ? first : der.readUIntBE(at + 2, more);
  const begin = at + 2 + more;
  if (der[at] !== tag || begin + length > der.length) throw new RangeError('no such element');
  return { content: der.subarray(begin, begin + length), end: begin + length };
}
