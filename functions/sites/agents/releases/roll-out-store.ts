/**
 * How far the release that is handed out has come, in one row for the whole deployment. It names the agents that are under
 * way and those of the first two rings, of which there are at most some hundred: so it stays small, however many agents
 * there are. What it means, and how it changes, is in `functions/sites/agents/releases/rings.ts`.
 */
import * as z from 'zod';
import { ReleaseVersion } from '../../../../shared/agent/release.ts';
import { Ring } from '../../../../shared/api/records.ts';
import { MAX_NAMED_FAILURES } from '../../../../shared/api/updates.ts';
import { AgentId } from '../../../../shared/identity.ts';
import { Millis } from '../../../../shared/time.ts';
import { packText, unpackText } from '../../../devices/collection/packed-text.ts';
import { IS_NEW } from '../../../table/condition.ts';
import { rows } from '../../../table/rows.ts';
import type { ConditionalWrite, Item, Table } from '../../../table/table.ts';

export const RollOut = z.object({
  version: ReleaseVersion,
  /** `stopped` by a failure, until an administrator has it go on. */
  state: z.enum(['going', 'stopped', 'given-up']),
  ring: Ring,
  /** When the ring began (Unix, ms). */
  since: Millis,
  /** How many agents of the ring have to be well with the release before the next ring begins; of the last one, none. */
  size: z.int(),
  /** How many are. */
  well: z.int(),
  /** The agents of the first two rings. */
  early: z.record(AgentId, Ring),
  /** Those that were told to become the release and are not well with it yet: when that was (Unix, ms). */
  underWay: z.record(AgentId, Millis),
  /** The last ones. */
  failures: z.array(z.object({ agent: AgentId, reason: z.string(), at: Millis })).max(MAX_NAMED_FAILURES),
});
export type RollOut = z.infer<typeof RollOut>;

interface ReadRollOut {
  /** Null before the first one, and where the row cannot be read. */
  rollOut: RollOut | null;
  /** The write that replaces it, if it is still as it was read. */
  replaceBy(rollOut: RollOut): ConditionalWrite;
  /** The same by itself. @returns false when it is another one since */
  write(rollOut: RollOut): Promise<boolean>;
}

interface RollOutStore {
  read(options?: { consistent?: boolean }): Promise<ReadRollOut>;
}

export function openRollOutStore(table: Table): RollOutStore {
  return {
    async read(options = {}) {
      const key = rows.rollOut();
      const item = await table.get(key, options);
      const v = Number(item?.v ?? 0);
      const condition = item === null ? IS_NEW : { equals: { v } };
      const next = (rollOut: RollOut) => ({ ...key, v: v + 1, d: packText(JSON.stringify(rollOut), key.pk) });
      return {
        rollOut: item === null ? null : decode(item),
        replaceBy: (rollOut) => ({ put: next(rollOut), condition }),
        write: (rollOut) => table.put(next(rollOut), condition),
      };
    },
  };
}

function decode({ d, pk }: Item): RollOut | null {
  try {
    return RollOut.parse(JSON.parse(unpackText(d, pk)));
  } catch {
    return null; // The roll-out begins anew with its first ring.
  }
}
