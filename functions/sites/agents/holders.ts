/**
 * The processes that use the identity of an agent. A restarted process never returns to its former start time: where that
 * happens, two hosts share one identity, as after a host was cloned, and disconnect each other.
 */
import * as z from 'zod';
import type { AgentHost } from '../../../shared/agent/host.ts';
import { orNull } from '../../../shared/problem.ts';
import { reasonSentence } from '../../../shared/reason-text.ts';
import type { Reason } from '../../../shared/reasons.ts';
import { HOUR_MS } from '../../../shared/time.ts';
import type { Item, Update } from '../../table/table.ts';

/** The last connected processes, the newest last, and when one of them returned after another (Unix, ms). */
const Holders = z.object({
  seen: z.array(z.object({ startedAt: z.number(), name: z.string() })),
  cameBackAt: z.number().nullable(),
});
const HOLDERS_KEPT = 4;

function holdersOf({ holders }: Item): z.infer<typeof Holders> {
  return orNull(() => Holders.parse(JSON.parse(String(holders ?? 'null')))) ?? { seen: [], cameBackAt: null };
}

/** The update that records an agent's process; empty if it has not changed. */
export function holdersUpdate(item: Item, host: AgentHost | undefined, now: number): Update['set'] {
  const { seen, cameBackAt } = holdersOf(item);
  if (host === undefined || seen.at(-1)?.startedAt === host.startedAt) return {};
  const isBack = seen.some(({ startedAt }) => startedAt === host.startedAt);
  const others = seen.filter(({ startedAt }) => startedAt !== host.startedAt);
  const kept = [...others, { startedAt: host.startedAt, name: host.name }].slice(-HOLDERS_KEPT);
  return { holders: JSON.stringify({ seen: kept, cameBackAt: isBack ? now : cameBackAt }) };
}

/** Why an agent is connected and disconnected in turns, and since when; null when it is not. */
export function doubledBy(item: Item, now: number): { why: string; reasonCode: Reason; at: number } | null {
  const { seen, cameBackAt } = holdersOf(item);
  // An hour is longer than the back-off of two agents that disconnect each other.
  if (cameBackAt === null || now - cameBackAt >= HOUR_MS) return null;
  const [first, second] = seen
    .slice(-2)
    .map(({ name }) => name)
    .sort();
  const reasonCode: Reason = { code: 'two-hosts', values: { hosts: `${first}, ${second}` } };
  return { why: reasonSentence(reasonCode), reasonCode, at: cameBackAt };
}
