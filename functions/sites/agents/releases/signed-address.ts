/** Presigned URLs of the files of a bucket (AWS Signature Version 4, in the query). */
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Credentials } from '../../../config.ts';

export interface Bucket {
  /** `https://<bucket>.s3.<region>.amazonaws.com` */
  origin: string;
  region: string;
}

const DIGEST = 'x-amz-content-sha256';

export async function signedAddress(
  { origin, region }: Bucket,
  name: string,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  { at, validS }: { at: Date; validS: number },
): Promise<string> {
  const signer = new SignatureV4({
    service: 's3',
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) },
    sha256: Sha256,
    uriEscapePath: false, // S3 takes paths as they are.
  });
  const { protocol, hostname, host, pathname } = new URL(`${origin}/${name}`);
  // S3's value for the digest of a missing body: signed, but not part of the URL.
  const headers = { host, [DIGEST]: 'UNSIGNED-PAYLOAD' };
  const request = { method: 'GET', protocol, hostname, path: pathname, headers, query: {} };
  const aside = { unhoistableHeaders: new Set([DIGEST]), unsignableHeaders: new Set([DIGEST]) };
  const { query } = await signer.presign(request, { signingDate: at, expiresIn: validS, ...aside });
  return `${protocol}//${host}${pathname}?${new URLSearchParams(query as Record<string, string>)}`;
}
