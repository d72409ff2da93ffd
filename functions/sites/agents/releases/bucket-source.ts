/** A release in an S3 bucket. A client gets a presigned URL of a package, valid for a minute, instead of its bytes. */
import type { ReleaseFile } from '../../../../shared/agent/release.ts';
import type { Log } from '../../../../shared/log.ts';
import { MINUTE_MS } from '../../../../shared/time.ts';
import type { Credentials } from '../../../config.ts';
import type { ReleaseSource } from './release-source.ts';
import type { Bucket } from './signed-address.ts';
import { openRelease } from './signed-release.ts';

/** A download must begin within that time, but may take longer. Short, because each download is paid for. */
const ADDRESS_VALID_S = 60;

/** @param credentials called for each address, because the credentials of a role are replaced before they expire */
export function openReleaseBucket(bucket: Bucket, credentials: () => Credentials, log: Log): ReleaseSource {
  const addressOf = async (name: string) => {
    // Few requests need the signer, so no cold start waits for it.
    const { signedAddress } = await import('./signed-address.ts');
    return signedAddress(bucket, name, credentials(), { at: new Date(), validS: ADDRESS_VALID_S });
  };
  const read = async (name: string, maxBytes: number) => readStart(await addressOf(name), maxBytes);
  const provide = async ({ name }: ReleaseFile) => ({ url: await addressOf(name) });
  return openRelease(read, provide, MINUTE_MS, log);
}

/** Null for a missing file: without the right to list the bucket, S3 responds with 403. */
async function readStart(address: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(5_000) });
  if (answer.status === 403 || answer.status === 404) {
    await answer.body?.cancel();
    return null;
  }
  if (!answer.ok || answer.body === null) throw new Error(`The bucket with the release answers ${answer.status}`);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error(`A text of the release has more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
