/** Sign-ins that are under way. What finds them again, a secret of a browser, is stored as a digest, and works once. */
import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { PersonId } from '../../../shared/api/records.ts';
import { EXISTS } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import type { Table } from '../../table/table.ts';

/** What has to be known when somebody comes back from the provider. */
const BegunSignIn = z.object({
  /** The digest of a secret of the browser that began. */
  challenge: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUri: z.string(),
});
type BegunSignIn = z.infer<typeof BegunSignIn>;

/** Somebody who has proved who they are. */
const ProvedSignIn = z.object({ challenge: z.string(), person: PersonId });
type ProvedSignIn = z.infer<typeof ProvedSignIn>;

interface SignInStore {
  /** Keeps for ten minutes how a sign-in was begun. */
  begin(state: string, begun: BegunSignIn): Promise<void>;
  /** How it was begun; null when it is unknown, too old, or was asked for before. */
  takeBegun(state: string): Promise<BegunSignIn | null>;
  /** @returns a code that works for a minute */
  prove(proved: ProvedSignIn): Promise<string>;
  /** Null when the code is unknown, too old, or was used before. */
  takeProved(code: string): Promise<ProvedSignIn | null>;
}

const BEGUN_FOR_MS = 10 * 60_000;
const PROVED_FOR_MS = 60_000;

export function openSignInStore(table: Table, now: () => Date): SignInStore {
  async function keep(secret: string, value: object, forMs: number): Promise<void> {
    const until = now().getTime() + forMs;
    await table.put({
      ...rows.signIn(digestOf(secret)),
      d: JSON.stringify(value),
      until,
      ttl: Math.ceil(until / 1000),
    });
  }

  /** Also null for the secret of another step. */
  async function take<Value>(secret: string, schema: z.ZodType<Value>): Promise<Value | null> {
    const key = rows.signIn(digestOf(secret));
    const item = await table.get(key, { consistent: true });
    if (item === null || !(await table.remove(key, EXISTS)) || Number(item.until) <= now().getTime()) return null;
    return schema.safeParse(JSON.parse(String(item.d))).data ?? null;
  }

  return {
    begin: (state, begun) => keep(state, begun, BEGUN_FOR_MS),
    takeBegun: (state) => take(state, BegunSignIn),

    async prove(proved) {
      const code = randomBytes(32).toString('base64url');
      await keep(code, proved, PROVED_FOR_MS);
      return code;
    },

    takeProved: (code) => take(code, ProvedSignIn),
  };
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
