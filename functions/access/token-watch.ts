/**
 * Ends open streams and waits of a token that is revoked or expires.
 * @promise The API refuses a revoked token at once; its streams end within 15 s: `test/api/admin.test.ts`,
 *   `functions/access/token-watch.test.ts`.
 */
import type { Log } from '../../shared/log.ts';
import type { TokenStore } from './token-store.ts';

/** How long streams and waits may outlive their token, at most. */
const CHECK_INTERVAL_MS = 15_000;

interface Watched {
  timer: NodeJS.Timeout;
  onInvalid: Set<() => void>;
}

export type TokenWatch = ReturnType<typeof openTokenWatch>;

/** Polls a token every 15 seconds while anything is open for it; one read serves all of its watches. */
export function openTokenWatch(tokens: Pick<TokenStore, 'find'>, log: Log) {
  const watched = new Map<string, Watched>();

  async function check(id: string, entry: Watched): Promise<void> {
    try {
      if ((await tokens.find(id)) !== null) return;
    } catch (error) {
      // The token may well be valid: the next check decides.
      return log.warn({ err: error, tokenId: id }, 'cannot check whether a token is still valid');
    }
    for (const onInvalid of [...entry.onInvalid]) {
      leave(id, entry, onInvalid);
      onInvalid();
    }
  }

  function leave(id: string, entry: Watched, onInvalid: () => void): void {
    entry.onInvalid.delete(onInvalid);
    if (entry.onInvalid.size > 0) return;
    clearInterval(entry.timer);
    if (watched.get(id) === entry) watched.delete(id);
  }

  function begin(id: string): Watched {
    const entry: Watched = {
      timer: setInterval(() => void check(id, entry), CHECK_INTERVAL_MS),
      onInvalid: new Set(),
    };
    watched.set(id, entry);
    return entry;
  }

  return {
    /** Calls `onInvalid`, once, within 15 seconds after the token was revoked or has expired. @returns stops watching */
    watch(id: string, onInvalid: () => void) {
      const entry = watched.get(id) ?? begin(id);
      const own = () => onInvalid(); // A new function, so that the same one passed twice counts twice.
      entry.onInvalid.add(own);
      return () => leave(id, entry, own);
    },
  };
}
