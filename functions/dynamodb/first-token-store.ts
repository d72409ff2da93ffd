/**
 * What `functions/setup` has done about the first token: which ones it has made, and which one was admitted last. Of a
 * token only id and digest stand here.
 *
 * A token can be admitted once, and only if it was noted here when it was made: neither one that has been revoked nor
 * one that somebody else has put into the secret can get rights in this way.
 */
import * as z from 'zod';
import type { Table } from './table.ts';
import { type StoredToken, tokenRows } from './token-store.ts';

const Content = z.object({
  /** Id of the token that was admitted last, whether it is still valid or has been revoked. */
  admitted: z.string().nullable(),
  /** Made since then, for the secret to keep. */
  made: z.array(z.object({ id: z.string(), digest: z.string() })),
});

export interface Ledger extends z.infer<typeof Content> {
  /** Grows with each change. */
  turn: number;
}

/** Every change tells which state it follows from. @returns false, and changes nothing, when it is another one now */
export interface FirstTokenStore {
  read(): Promise<Ledger>;
  /** Notes a token that has been made, before anybody else gets to see it. */
  noteMade(ledger: Ledger, id: string, digest: string): Promise<boolean>;
  /** Makes a token valid. The one that was admitted before it is revoked in the same moment. */
  admit(ledger: Ledger, id: string, token: StoredToken): Promise<boolean>;
}

/** More than this many runs at once are not waited for: their tokens are never admitted, and they make others. */
const REMEMBERED = 10;

const key = { pk: 'SETUP', sk: 'FIRST_TOKEN' };

export function openFirstTokenStore(table: Table): FirstTokenStore {
  /** The next state, and the condition on which it is one. */
  function next({ turn }: Ledger, content: z.infer<typeof Content>) {
    const put = { ...key, turn: turn + 1, d: JSON.stringify(content) };
    const expression =
      turn === 0
        ? { condition: 'attribute_not_exists(pk)' }
        : { condition: '#turn = :turn', names: { '#turn': 'turn' }, values: { ':turn': turn } };
    return { put, expression };
  }

  return {
    async read() {
      const item = await table.get(key, { consistent: true });
      if (item === null) return { turn: 0, admitted: null, made: [] };
      return { turn: Number(item.turn), ...Content.parse(JSON.parse(String(item.d))) };
    },

    async noteMade(ledger, id, digest) {
      const made = [...ledger.made, { id, digest }].slice(-REMEMBERED);
      const { put, expression } = next(ledger, { admitted: ledger.admitted, made });
      return table.put(put, expression);
    },

    async admit(ledger, id, token) {
      const [row, entry] = tokenRows.put(id, token);
      const before = ledger.admitted === null ? [] : tokenRows.remove(ledger.admitted);
      return table.transact([
        next(ledger, { admitted: id, made: [] }),
        { ...row, expression: { condition: 'attribute_not_exists(pk)' } },
        entry,
        ...before,
      ]);
    },
  };
}
