/**
 * A signed release, cached in memory. Agents and installers verify its signature, and so does this module: a release that is
 * being replaced, or was tampered with, is never handed out.
 */
import { createPublicKey, verify } from 'node:crypto';
import { Release, type ReleaseFile } from '../../../../shared/agent/release.ts';
import type { Log } from '../../../../shared/log.ts';
import {
  isReleaseText,
  type ProvidedFile,
  RELEASE_TEXTS,
  type ReleaseSource,
  type ReleaseText,
} from './release-source.ts';

type Bytes = Uint8Array<ArrayBuffer>;
/** Reads a file with at most `maxBytes`; null when it is missing. */
type ReadText = (name: ReleaseText, maxBytes: number) => Promise<Bytes | null>;

interface SignedRelease {
  release: Release;
  texts: Readonly<Record<ReleaseText, Bytes>>;
}

/** @param provide a package, by a signed name; null when it is not available */
export function openRelease(
  read: ReadText,
  provide: (file: ReleaseFile) => Promise<ProvidedFile | null>,
  refreshMs: number,
  log: Log,
): ReleaseSource {
  const cached = cacheRelease(read, refreshMs, log);
  return {
    current: async () => (await cached())?.release ?? null,
    async open(name) {
      const found = await cached();
      if (found === null) return null;
      if (isReleaseText(name)) return bodyOf(found.texts[name]);
      const file = found.release.files.find((one) => one.name === name);
      return file === undefined ? null : provide(file);
    },
  };
}

/** Reads the release again after `refreshMs`. One that is unreadable, or wrongly signed, does not replace the cached one. */
function cacheRelease(read: ReadText, refreshMs: number, log: Log): () => Promise<SignedRelease | null> {
  let cached: SignedRelease | null = null;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | null = null;
  let problem = '';

  async function refresh(): Promise<void> {
    try {
      cached = await readRelease(read);
      problem = '';
    } catch (error) {
      // Logged once for each problem.
      if (String(error) !== problem) log.warn({ err: error }, 'the release of the agent cannot be handed out');
      problem = String(error);
    }
    refreshedAt = performance.now();
    refreshing = null;
  }

  return async () => {
    if (performance.now() - refreshedAt >= refreshMs) {
      refreshing ??= refresh();
      await refreshing;
    }
    return cached;
  };
}

/** @returns null when there is no release. @throws {Error} when it is incomplete, or wrongly signed */
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
  const isSigned = verify('sha256', texts['release.json'], key, signature);
  if (!isSigned) throw new Error('The signature of the release is wrong');
  const release = Release.parse(JSON.parse(Buffer.from(texts['release.json']).toString('utf8')));
  return { release, texts };
}

function bodyOf(bytes: Bytes): ProvidedFile {
  const body = new ReadableStream<Bytes>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  return { body, bytes: bytes.length };
}
