import type { Token } from './api/records.ts';

const SOON_MS = 14 * 86_400_000;

/** Whether to warn about the end of a token. Not of a session, which always ends soon. */
export function endsSoon({ purpose, expiresAt }: Pick<Token, 'purpose' | 'expiresAt'>, now: Date): boolean {
  return purpose !== 'session' && expiresAt !== null && Date.parse(expiresAt) - now.getTime() <= SOON_MS;
}
