/** The token that a request presents, before it is known whether it is valid. */
import { digestBytesOf, digestMatches, tokenId } from './token.ts';

export interface PresentedToken {
  id: string;
  digest: Buffer;
}

/** The token in an Authorization header; null when there is none, or nothing that could be one. Takes two hashes. */
export function presentedToken(header: string | undefined): PresentedToken | null {
  const secret = bearerOf(header);
  const id = secret === null ? null : tokenId(secret);
  return secret === null || id === null ? null : { id, digest: digestBytesOf(secret) };
}

/** The secret in an Authorization header; null when there is none. */
export function bearerOf(header: string | undefined): string | null {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1] ?? null;
}

const MAX_KNOWN = 1_000;

/** The tokens that this process has found valid, and not invalid since. */
export class KnownTokens {
  /** Digests by id; the one that was found valid longest ago first. */
  readonly #digests = new Map<string, Buffer>();

  has(presented: PresentedToken | null): boolean {
    return presented !== null && digestMatches(presented.digest, this.#digests.get(presented.id) ?? null);
  }

  add({ id, digest }: PresentedToken): void {
    this.#digests.delete(id);
    this.#digests.set(id, digest);
    const [oldest] = this.#digests.keys();
    if (this.#digests.size > MAX_KNOWN && oldest !== undefined) this.#digests.delete(oldest);
  }

  delete(presented: PresentedToken): void {
    if (this.has(presented)) this.#digests.delete(presented.id);
  }
}
