/** Sign-ins in flight. The secret that identifies one is stored as a digest, and can be used once. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { PersonId } from '../../../shared/api/records.ts';
import { MINUTE_MS } from '../../../shared/time.ts';
import { digestOf } from '../../http/token.ts';
import { EXISTS } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import type { Table } from '../../table/table.ts';

/** Needed when the browser returns from the provider. */
const BegunSignIn = z.object({
  /** The digest of a secret of the browser. */
  challenge: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUri: z.string(),
});
type BegunSignIn = z.infer<typeof BegunSignIn>;

/** An authenticated person. */
const ProvedSignIn = z.object({ challenge: z.string(), person: PersonId });
type ProvedSignIn = z.infer<typeof ProvedSignIn>;

export function openSignInStore(table: Table, now: () => Date) {
  async function keep(secret: string, value: object, forMs: number): Promise<void> {
    const until = now().getTime() + forMs;
    const row = { d: JSON.stringify(value), until, ttl: Math.ceil(until / 1000) };
    await table.put({ ...rows.signIn(digestOf(secret)), ...row });
  }

  /** Also null for the secret of another step. */
  async function take<Value>(secret: string, schema: z.ZodType<Value>): Promise<Value | null> {
    const key = rows.signIn(digestOf(secret));
    const item = await table.get(key, { consistent: true });
    if (item === null || !(await table.remove(key, EXISTS)) || Number(item.until) <= now().getTime()) return null;
    return schema.safeParse(JSON.parse(String(item.d))).data ?? null;
  }

  return {
    /** Valid for ten minutes. */
    begin: (state: string, begun: BegunSignIn) => keep(state, begun, 10 * MINUTE_MS),
    /** Null when the state is unknown, expired, or was used before. */
    takeBegun: (state: string) => take(state, BegunSignIn),

    /** @returns a code that is valid for a minute */
    async prove(proved: ProvedSignIn) {
      const code = randomBytes(32).toString('base64url');
      await keep(code, proved, MINUTE_MS);
      return code;
    },

    /** Null when the code is unknown, expired, or was used before. */
    takeProved: (code: string) => take(code, ProvedSignIn),
  };
}
