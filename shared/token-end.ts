/** Whether a token ends soon, so that people are told before. */
import type { Token } from './api/records.ts';

const SOON_MS = 14 * 86_400_000;

/** The end of a session is no news: it always ends soon. */
export function endsSoon({ purpose, expiresAt }: Pick<Token, 'purpose' | 'expiresAt'>, now: Date): boolean {
  return purpose !== 'session' && expiresAt !== null && Date.parse(expiresAt) - now.getTime() <= SOON_MS;
}
