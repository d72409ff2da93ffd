/** Responses of `fetch`, bounded, and why it failed. */

/** The body of a response; null when it is longer than this. */
export async function readBody(response: Response, maxBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The message of an error, or its code. `fetch` hides the reason behind "fetch failed", in the cause of the error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
