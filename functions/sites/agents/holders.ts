/**
 * Which programs use the identity of an agent. One that was started anew never becomes the one before again: where that happens,
 * two run with one identity, as after a host was copied, and throw each other out.
 */
import * as z from 'zod';
import type { AgentHost } from '../../../shared/agent/host.ts';
import { reasonSentence } from '../../../shared/reason-text.ts';
import type { Reason } from '../../../shared/reasons.ts';
import type { Item, Update } from '../../table/table.ts';

/** The programs that were connected last, the newest last, and when one of them came back behind another (Unix, ms). */
const Holders = z.object({
  seen: z.array(z.object({ startedAt: z.number(), name: z.string() })),
  cameBackAt: z.number().nullable(),
});
const NO_HOLDERS: z.infer<typeof Holders> = { seen: [], cameBackAt: null };
const HOLDERS_KEPT = 4;
/** Longer than two agents that throw each other out pause between their attempts. */
const DOUBLED_FOR_MS = 60 * 60_000;

function holdersOf({ holders }: Item): z.infer<typeof Holders> {
  try {
    return Holders.parse(JSON.parse(String(holders ?? 'null')));
  } catch {
    return NO_HOLDERS;
  }
}

/** The update that notes which program an agent is; empty for the one that it was. */
export function holdersUpdate(item: Item, host: AgentHost | undefined, now: number): Update['set'] {
  const { seen, cameBackAt } = holdersOf(item);
  if (host === undefined || seen.at(-1)?.startedAt === host.startedAt) return {};
  const isBack = seen.some(({ startedAt }) => startedAt === host.startedAt);
  const others = seen.filter(({ startedAt }) => startedAt !== host.startedAt);
  const kept = [...others, { startedAt: host.startedAt, name: host.name }].slice(-HOLDERS_KEPT);
  return { holders: JSON.stringify({ seen: kept, cameBackAt: isBack ? now : cameBackAt }) };
}

/** Why an agent is connected and thrown out in turns, and since when; null when it is not. */
export function doubledBy(item: Item, now: number): { why: string; reasonCode: Reason; at: number } | null {
  const { seen, cameBackAt } = holdersOf(item);
  if (cameBackAt === null || now - cameBackAt >= DOUBLED_FOR_MS) return null;
  const names = seen
    .slice(-2)
    .map(({ name }) => name)
    .sort();
  const reasonCode: Reason = { code: 'two-hosts', values: { hosts: names.join(', ') } };
  return { why: reasonSentence(reasonCode), reasonCode, at: cameBackAt };
}
