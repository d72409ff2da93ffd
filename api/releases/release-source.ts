/** Where the packages of the agent lie that this deployment hands out. */
import type { Release } from '../../shared/agent/release.ts';

/** How to get a file: its bytes, or an address that gives them to anybody for some minutes. */
export type Handed = { body: ReadableStream<Uint8Array>; bytes: number } | { url: string };

export interface ReleaseSource {
  /** The release that is handed out; null when there is none. Cheap: it is kept in memory. */
  current(): Promise<Release | null>;
  /** The signed text of the release, its signature, the public key, or one of its packages, by name; null when there is none. */
  open(name: string): Promise<Handed | null>;
}
