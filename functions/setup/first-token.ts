/**
 * The first token of a deployment: in the secret in clear, in the table as a digest, and nowhere else.
 *
 * The secret comes first and the table follows it. Whatever is interrupted between the two, the next run reads from
 * the secret which token was meant, and makes it valid. Nothing has rights before the secret keeps it, so that there is
 * never a valid token that nobody can fetch.
 *
 * A token of ours in the secret is left alone, also when it has been revoked since: that was somebody's will. Whoever
 * wants another one overwrites the value of the secret with any other text; the next run then makes one, and revokes
 * the one before.
 */
import { provideHome, unlimited } from '../admin/first-access.ts';
import { digestMatches, digestOf, makeToken, tokenId } from '../auth/token.ts';
import { backOff } from '../back-off.ts';
import type { Stores } from '../dynamodb/stores.ts';
import type { Log } from '../log.ts';
import { SecretError, type TokenSecret } from './token-secret.ts';

export interface SetupContext extends Pick<Stores, 'sites' | 'devices' | 'tokens' | 'firstToken' | 'audit'> {
  secret: TokenSecret;
  log: Log;
  now(): Date;
}

export type Outcome =
  | 'admitted' // the secret has a new token, which is valid from now on
  | 'valid' // the secret has a token that is valid
  | 'revoked' // the secret has a token that was valid once; nobody is given another one unasked
  | 'gone'; // the secret has been deleted, after it had kept a valid token

/** Of the tokens that begin like ours: the text that CloudFormation would generate could pass for a chosen one. */
const OURS = 'lr_';
const NAME = 'first token';
const ROUNDS = 10;

/** Makes the site `home` and the first token, as far as they are not there. Any number of runs at once come to the same. */
export async function provideFirstToken(context: SetupContext, requestId: string): Promise<Outcome> {
  const { audit } = context;
  const deed = { actor: 'deployment', requestId };
  const home = await provideHome(context);
  if (home !== null) {
    await audit.record({ ...deed, site: home.id, action: 'site.add', detail: { name: home.name } });
  }
  const { outcome, id, replaced } = await settle(context);
  if (outcome === 'admitted') {
    const detail = { id, name: NAME };
    await audit.record({ ...deed, site: null, action: 'token.create', detail });
    if (replaced !== null) {
      await audit.record({ ...deed, site: null, action: 'token.revoke', detail: { id: replaced, name: NAME } });
    }
  }
  tell(context.log, outcome, id);
  return outcome;
}

interface Settled {
  outcome: Outcome;
  /** Id of the token that the secret keeps. */
  id: string | null;
  /** Id of the token that has been revoked for it. */
  replaced: string | null;
}

async function settle({ tokens, firstToken, secret, now }: SetupContext): Promise<Settled> {
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) await backOff(round);
    // In this order: a change of the secret that comes after the ledger was read brings a change of the ledger with it.
    const ledger = await firstToken.read();
    const { admitted } = ledger;
    try {
      const { text, version } = await secret.read();
      const id = text?.startsWith(OURS) ? tokenId(text) : null;
      if (text !== null && id !== null) {
        const found = await tokens.find(id, { consistent: true });
        if (found !== null && digestMatches(text, found.digest)) return { outcome: 'valid', id, replaced: null };
        if (found === null && id === admitted) return { outcome: 'revoked', id, replaced: null };
        if (ledger.made.some((made) => made.id === id && digestMatches(text, made.digest))) {
          const before = admitted === null ? null : await tokens.find(admitted, { consistent: true });
          if (await firstToken.admit(ledger, id, unlimited(text, NAME, now()))) {
            return { outcome: 'admitted', id, replaced: before?.id ?? null };
          }
          continue; // Another run was faster.
        }
      }
      const token = makeToken();
      if (await firstToken.noteMade(ledger, tokenId(token)!, digestOf(token))) {
        await secret.write(token, [version, admitted]);
      }
    } catch (error) {
      if (!(error instanceof SecretError && error.isGone && admitted !== null)) throw error;
      return { outcome: 'gone', id: admitted, replaced: null };
    }
  }
  throw new UnsettledError();
}

/** Nothing of ours leads to it: something else keeps changing the secret, or puts an old version back. */
export class UnsettledError extends Error {
  override name = 'UnsettledError';

  constructor() {
    super('The first token could not be settled: write "none" into its secret, and deploy again');
  }
}

function tell(log: Log, outcome: Outcome, id: string | null): void {
  const level = outcome === 'admitted' || outcome === 'valid' ? 'info' : 'warn';
  log[level]({ outcome, tokenId: id }, MEANINGS[outcome]);
}

const MEANINGS: Record<Outcome, string> = {
  admitted: 'a new first token is in the secret',
  valid: 'the first token is in the secret',
  revoked: 'the token in the secret has been revoked; for a new one, write "none" into the secret and deploy again',
  gone: 'the secret of the first token has been deleted; no other token is made',
};
