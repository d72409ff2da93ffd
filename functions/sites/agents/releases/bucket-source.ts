/**
 * A release in a bucket of S3. Packages are not sent by the function: whoever asks gets an address that is signed for its
 * role and gives the file to anybody for a minute.
 */
import type { ReleaseFile } from '../../../../shared/agent/release.ts';
import type { Log } from '../../../../shared/log.ts';
import type { Credentials } from '../../../config.ts';
import type { ReleaseSource } from './release-source.ts';
import type { Bucket } from './signed-address.ts';
import { openRelease } from './signed-release.ts';

const LOOK_AGAIN_AFTER_MS = 60_000;
const READ_WITHIN_MS = 5_000;
/** A slow line begins its download within that time; it may take longer. Short, because each download is paid for. */
const ADDRESS_VALID_S = 60;
const READ_VALID_S = 60;

/** @param credentials called for each address, because the credentials of a role are replaced before they expire */
export function openReleaseBucket(bucket: Bucket, credentials: () => Credentials, log: Log): ReleaseSource {
  const addressOf = async (name: string, validS: number) => {
    // What signs is needed by few requests, and no cold start waits for it.
    const { signedAddress } = await import('./signed-address.ts');
    return signedAddress(bucket, name, credentials(), { at: new Date(), validS });
  };
  const read = async (name: string, maxBytes: number) => readStart(await addressOf(name, READ_VALID_S), maxBytes);
  const hand = async ({ name }: ReleaseFile) => ({ url: await addressOf(name, ADDRESS_VALID_S) });
  return openRelease(read, hand, LOOK_AGAIN_AFTER_MS, log);
}

/** Null for a file that is not there: without the right to list the bucket, S3 says 403 of it. */
async function readStart(address: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(READ_WITHIN_MS) });
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
