/**
 * The release as it lies somewhere, kept in memory. Its signature is checked here as well, though whoever installs a package
 * checks it again: so what is being replaced, or has been changed, is never handed out.
 */
import { createPublicKey, verify } from 'node:crypto';
import { Release, type ReleaseFile } from '../../../../shared/agent/release.ts';
import type { Log } from '../../../../shared/log.ts';
import { type Handed, isReleaseText, RELEASE_TEXTS, type ReleaseSource, type ReleaseText } from './release-source.ts';

type Bytes = Uint8Array<ArrayBuffer>;
/** Reads a file of this name, of which no more is needed than `maxBytes`; null when there is none. */
type ReadText = (name: ReleaseText, maxBytes: number) => Promise<Bytes | null>;

interface SignedRelease {
  release: Release;
  texts: Readonly<Record<ReleaseText, Bytes>>;
}

/** @param hand gives one of its packages; null when that cannot be had. Only a name that was signed gets there */
export function openRelease(
  read: ReadText,
  hand: (file: ReleaseFile) => Promise<Handed | null>,
  lookAgainAfterMs: number,
  log: Log,
): ReleaseSource {
  const kept = keepRelease(read, lookAgainAfterMs, log);
  return {
    current: async () => (await kept())?.release ?? null,
    async open(name) {
      const found = await kept();
      if (found === null) return null;
      if (isReleaseText(name)) return bodyOf(found.texts[name]);
      const file = found.release.files.find((one) => one.name === name);
      return file === undefined ? null : hand(file);
    },
  };
}

/**
 * What `read` finds, looked for again from time to time. A release that cannot be read, or is not the one that was signed,
 * leaves the one before in its place.
 */
function keepRelease(read: ReadText, lookAgainAfterMs: number, log: Log): () => Promise<SignedRelease | null> {
  let known: SignedRelease | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;
  let problem = '';

  async function look(): Promise<void> {
    try {
      known = await readRelease(read);
      problem = '';
    } catch (error) {
      // Once for each problem, and not with every look.
      if (String(error) !== problem) log.warn({ err: error }, 'the release of the agent cannot be handed out');
      problem = String(error);
    }
    lookedAt = performance.now();
    looking = null;
  }

  return async () => {
    if (performance.now() - lookedAt >= lookAgainAfterMs) {
      looking ??= look();
      await looking;
    }
    return known;
  };
}

/**
 * @returns null when there is no release
 * @throws {Error} when it is incomplete, or not as it was signed
 */
async function readRelease(read: ReadText): Promise<SignedRelease | null> {
  const names = Object.keys(RELEASE_TEXTS) as ReleaseText[];
  const contents = await Promise.all(names.map((name) => read(name, RELEASE_TEXTS[name])));
  if (contents[names.indexOf('release.json')] === null) return null;
  const missing = names.filter((_, i) => contents[i] === null);
  if (missing.length > 0) throw new Error(`The release has no ${missing.join(', ')}`);
  const texts = Object.fromEntries(names.map((name, i) => [name, contents[i]])) as SignedRelease['texts'];
  const signature = Buffer.from(Buffer.from(texts['release.json.sig']).toString('latin1'), 'base64');
  const key = createPublicKey(Buffer.from(texts['release-key.pem']));
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('The key of the release is not of P-256');
  if (!verify('sha256', texts['release.json'], key, signature))
    throw new Error('The signature of the release is wrong');
  const release = Release.parse(JSON.parse(Buffer.from(texts['release.json']).toString('utf8')));
  return { release, texts };
}

/** A text as the body of an answer. */
function bodyOf(bytes: Bytes): Handed {
  const body = new ReadableStream<Bytes>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  return { body, bytes: bytes.length };
}
