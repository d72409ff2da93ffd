/** The token that a request presents, before it is validated. */
import { digestBytesOf, digestMatches, tokenId } from './token.ts';

export interface PresentedToken {
  id: string;
  digest: Buffer;
}

/** The token in an Authorization header; null when there is none, or no possible one. Takes two hashes. */
export function presentedToken(header: string | undefined): PresentedToken | null {
  const secret = bearerOf(header);
  const id = secret === null ? null : tokenId(secret);
  return secret === null || id === null ? null : { id, digest: digestBytesOf(secret) };
}

export function bearerOf(header: string | undefined): string | null {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1] ?? null;
}

const MAX_KNOWN = 1_000;

/** The tokens that were valid when this process last checked them. */
export class KnownTokens {
  /** Digests by id, the least recently confirmed first. */
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
