/**
 * The state of the roll-out, in one row for the whole deployment. It names the agents with updates in flight and those of the
 * first two rings, at most some hundred: so it stays small, however many agents there are. See `rings.ts` for its transitions.
 */
import * as z from 'zod';
import { ReleaseVersion } from '../../../../shared/agent/release.ts';
import { Ring } from '../../../../shared/api/records.ts';
import { MAX_NAMED_FAILURES } from '../../../../shared/api/updates.ts';
import { AgentId } from '../../../../shared/identity.ts';
import { orNull } from '../../../../shared/problem.ts';
import { Millis } from '../../../../shared/time.ts';
import { packText, unpackText } from '../../../devices/collection/packed-text.ts';
import { IS_NEW } from '../../../table/condition.ts';
import { rows } from '../../../table/rows.ts';
import type { ConditionalWrite, Item, Table } from '../../../table/table.ts';

export const RollOut = z.object({
  version: ReleaseVersion,
  /** `stopped` by a failure, until an administrator resumes it. */
  state: z.enum(['going', 'stopped', 'given-up']),
  ring: Ring,
  /** When the ring began (Unix, ms). */
  since: Millis,
  /** How many agents of the ring must be healthy with the release before the next ring begins; 0 for the last one. */
  size: z.int(),
  /** How many are healthy. */
  well: z.int(),
  /** The agents of the first two rings. */
  early: z.record(AgentId, Ring),
  /** Updates in flight, with their start (Unix, ms). */
  underWay: z.record(AgentId, Millis),
  /** The last ones. */
  failures: z.array(z.object({ agent: AgentId, reason: z.string(), at: Millis })).max(MAX_NAMED_FAILURES),
});
export type RollOut = z.infer<typeof RollOut>;

interface ReadRollOut {
  /** Null before the first one, and for an unreadable row: the roll-out restarts with its first ring. */
  rollOut: RollOut | null;
  /** The write that replaces it, if it has not changed since the read. */
  replaceBy(rollOut: RollOut): ConditionalWrite;
  /** The same on its own. @returns false when it has changed */
  write(rollOut: RollOut): Promise<boolean>;
}

export function openRollOutStore(table: Table) {
  return {
    async read(options: { consistent?: boolean } = {}): Promise<ReadRollOut> {
      const key = rows.rollOut();
      const item = await table.get(key, options);
      const v = Number(item?.v ?? 0);
      const condition = item === null ? IS_NEW : { equals: { v } };
      const next = (rollOut: RollOut) => ({ ...key, v: v + 1, d: packText(JSON.stringify(rollOut), key.pk) });
      return {
        rollOut: item && orNull(() => decode(item)),
        replaceBy: (rollOut) => ({ put: next(rollOut), condition }),
        write: (rollOut) => table.put(next(rollOut), condition),
      };
    },
  };
}

const decode = ({ d, pk }: Item): RollOut => RollOut.parse(JSON.parse(unpackText(d, pk)));
