/** The source of the agent packages that this deployment hands out. */
import type { Release } from '../../../../shared/agent/release.ts';

/** A file: its bytes, or a URL that needs no authorization and is valid for a minute. */
export type ProvidedFile = { body: ReadableStream<Uint8Array<ArrayBuffer>>; bytes: number } | { url: string };

export interface ReleaseSource {
  /** The current release; null without one. Cheap: it is kept in memory. */
  current(): Promise<Release | null>;
  /** A text of the release (see `RELEASE_TEXTS`), or one of its packages, by name; null for an unknown name. */
  open(name: string): Promise<ProvidedFile | null>;
}

/** The small files of every release, each with its largest size in bytes. The first three belong together. */
export const RELEASE_TEXTS = {
  'release.json': 16 * 1024,
  /** Base64 of an ECDSA signature (P-256, SHA-256, DER) over the bytes of release.json. */
  'release.json.sig': 1024,
  /** The public key, SPKI as PEM. */
  'release-key.pem': 1024,
  'install.sh': 64 * 1024,
} as const;
export type ReleaseText = keyof typeof RELEASE_TEXTS;

export const isReleaseText = (name: string): name is ReleaseText => Object.hasOwn(RELEASE_TEXTS, name);
