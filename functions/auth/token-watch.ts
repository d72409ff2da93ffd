/** Ends what is still open for a token when it has been revoked or has expired. */
import type { TokenStore } from '../dynamodb/token-store.ts';
import type { Log } from '../log/log.ts';

/** How long what is open outlives its token at most. */
const LOOK_EVERY_MS = 15_000;

export interface TokenWatch {
  /**
   * Calls `onInvalid`, once, within 15 seconds after the token was revoked or has expired.
   * @returns what ends the watch
   */
  watch(id: string, onInvalid: () => void): () => void;
}

interface Watched {
  timer: NodeJS.Timeout;
  onInvalid: Set<() => void>;
}

/** A token is read once every 15 seconds as long as anything is open for it, however much that is. */
export function openTokenWatch(tokens: Pick<TokenStore, 'find'>, log: Log): TokenWatch {
  const watched = new Map<string, Watched>();

  async function look(id: string, entry: Watched): Promise<void> {
    try {
      if ((await tokens.find(id)) !== null) return;
    } catch (error) {
      // The token may well be valid. The next look tells.
      return log.warn({ err: error, tokenId: id }, 'cannot look whether a token is still valid');
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
      timer: setInterval(() => void look(id, entry), LOOK_EVERY_MS),
      onInvalid: new Set(),
    };
    watched.set(id, entry);
    return entry;
  }

  return {
    watch(id, onInvalid) {
      const entry = watched.get(id) ?? begin(id);
      const own = () => onInvalid(); // Distinct, also when one function is given twice.
      entry.onInvalid.add(own);
      return () => leave(id, entry, own);
    },
  };
}
