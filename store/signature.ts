/**
 * Signs calls of DynamoDB for AWS (Signature Version 4). Every call has the same method, path and headers, so that only
 * their values are filled in, and the key that is derived from the credentials is kept for the day.
 */
import { createHmac, hash } from 'node:crypto';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Null for permanent keys. */
  sessionToken: string | null;
}

/** What is the same for all calls of a client. */
export interface Destination {
  region: string;
  /** As in the header: with the port, if it is not that of the scheme. */
  host: string;
  /** Path of the URL. */
  path: string;
}

export interface Call {
  /** Value of the header X-Amz-Target. */
  target: string;
  body: string;
  at: Date;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const SERVICE = 'dynamodb';
const CONTENT_TYPE = 'application/x-amz-json-1.0';

/** Returns a function that makes the headers of a call. */
export function openSigner({ region, host, path }: Destination) {
  // The path of a URL is encoded a second time, which changes only characters that are encoded in it.
  const canonicalPath = path.split('/').map(encodeURIComponent).join('/');
  let keyFor: { secret: string; day: string; key: Buffer } = { secret: '', day: '', key: Buffer.alloc(0) };

  function signingKey(secret: string, day: string): Buffer {
    if (keyFor.secret !== secret || keyFor.day !== day) {
      const key = [day, region, SERVICE, 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`));
      keyFor = { secret, day, key };
    }
    return keyFor.key;
  }

  return function sign(
    { accessKeyId, secretAccessKey, sessionToken }: Credentials,
    call: Call,
  ): Record<string, string> {
    const { target, body, at } = call;
    const time = at.toISOString().replace(/[-:]|\.\d+/g, '');
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/${SERVICE}/aws4_request`;
    const [token, tokenName] =
      sessionToken === null ? ['', ''] : [`x-amz-security-token:${sessionToken}\n`, 'x-amz-security-token;'];
    const signed = `content-type;host;x-amz-date;${tokenName}x-amz-target`;
    const canonicalRequest =
      `POST\n${canonicalPath}\n\n` +
      `content-type:${CONTENT_TYPE}\nhost:${host}\nx-amz-date:${time}\n${token}x-amz-target:${target}\n\n` +
      `${signed}\n${hash('sha256', body)}`;
    const signature = createHmac('sha256', signingKey(secretAccessKey, day))
      .update(`${ALGORITHM}\n${time}\n${scope}\n${hash('sha256', canonicalRequest)}`)
      .digest('hex');
    return {
      Host: host,
      'Content-Type': CONTENT_TYPE,
      'X-Amz-Target': target,
      'X-Amz-Date': time,
      ...(sessionToken === null ? {} : { 'X-Amz-Security-Token': sessionToken }),
      Authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
    };
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
