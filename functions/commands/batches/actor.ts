/** Whose command a batch is. */
import type { TokenStore } from '../../access/token-store.ts';
import { type Caller, callerOf, hasScope } from '../../http/authenticate.ts';

const LOOK_UP_EVERY_MS = 1_000;

/** @returns the caller, looked up again after a second; null when the token has ended, or must not run commands */
export function actorOf(tokens: Pick<TokenStore, 'find'>, token: string): () => Promise<Caller | null> {
  let known: { caller: Promise<Caller | null>; at: number } | null = null;
  const lookUp = async () => {
    const found = await tokens.find(token);
    const caller = found && callerOf(found, 'nettools:run');
    return caller !== null && hasScope(caller.token, 'nettools:run') ? caller : null;
  };
  return () => {
    const at = Date.now();
    if (known === null || at - known.at >= LOOK_UP_EVERY_MS) known = { caller: lookUp(), at };
    return known.caller;
  };
}
