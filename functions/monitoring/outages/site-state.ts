/**
 * What is known of a site as a whole, in one row: which agents are lost, which checks fail, what is out. Only what is other
 * than it should be is in it, so that it is small while all is well. It is changed together with the events that tell of the
 * change: see `functions/monitoring/outages/observe.ts`.
 */
import * as z from 'zod';
import { PlanItemId } from '../../../shared/agent/plan.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { AgentName } from '../../../shared/identity.ts';
import { ReasonCode } from '../../../shared/reasons.ts';
import { Millis } from '../../../shared/time.ts';
import { packText, unpackText } from '../../devices/collection/packed-text.ts';
import { IS_NEW } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import type { ConditionalWrite, Item, Table } from '../../table/table.ts';

/**
 * Devices that are gone together. Which they are follows from their records: those that are gone, and were there last within
 * a span around its beginning. So the row stays small, however many they are.
 */
const Outage = z.object({
  /** When they were there last (Unix, ms): also what it is called. */
  at: Millis,
  /** How much earlier or later the last sign of one of them may be. */
  withinMs: z.int(),
  /** How many they are, by what is known. */
  count: z.int(),
  /** The device that is gone and on which the others depend, as far as that is known, and since when it is back. */
  root: z.string().nullable(),
  rootBackAt: Millis.nullable(),
  /** Since when people were told that it is over. Those that come back after that belong to it still. */
  overAt: Millis.nullable(),
});
export type Outage = z.infer<typeof Outage>;

const byAgent = <Value extends z.ZodType>(value: Value) => z.record(AgentName, value).default({});
const byCheck = <Value extends z.ZodType>(value: Value) => z.record(PlanItemId, value).default({});

/** Speed tests that are remembered. */
export const MAX_SPEEDS = 20;

/** The end of a certificate (Unix, ms), and how many days before it people were told of it last. */
const Certificate = z.object({
  endsAt: Millis,
  told: z.object({ endsAt: Millis, days: z.int() }).nullable(),
});

export const SiteState = z.object({
  /** The message of each agent whose changes were taken last: one that comes again, also late, is none. */
  taken: byAgent(Millis),
  /** Agents that are not connected, since when (Unix, ms). */
  lost: byAgent(Millis),
  /** Since when no agent is connected. */
  darkSince: Millis.nullable().default(null),
  /** Whether agents reach the internet, as they said it last: since when, and whether their gateway answers. */
  internet: byAgent(z.object({ ok: z.boolean(), since: Millis, gateway: z.boolean().nullable() })),
  /** Since when people were told that the internet is lost. */
  internetLostSince: Millis.nullable().default(null),
  /** The public address, and the agent that has told it. */
  address: z
    .object({ address: z.string(), provider: z.string().nullable(), since: Millis, agent: AgentName })
    .nullable()
    .default(null),
  /** The last speed tests, in Mbit/s and ms, the newest last. */
  speeds: z
    .array(z.object({ at: Millis, agent: AgentName, down: z.number(), up: z.number(), ping: z.number() }))
    .max(MAX_SPEEDS)
    .default([]),
  slowSince: Millis.nullable().default(null),
  /** By check and agent: since when it fails there, and why. */
  failing: byCheck(z.record(AgentName, z.object({ since: Millis, reason: z.string(), reasonCode: ReasonCode }))),
  /** By check: since when it is up, by the last change; and down, for those of which people were told. */
  upSince: byCheck(Millis),
  downSince: byCheck(Millis),
  /** By check: when the certificate of its server ends. */
  certificates: byCheck(Certificate),
  /** By check and agent: the hops to another site, empty for one that does not answer. */
  paths: byCheck(z.record(AgentName, z.array(z.string()))),
  /** By schedule: how many of its turns were missed, and when the last of them was. */
  missed: z.record(PlanItemId, z.object({ count: z.int(), lastAt: Millis })).default({}),
  outages: z.array(Outage).default([]),
});
export type SiteState = z.infer<typeof SiteState>;

/** The state of a site of which nothing was ever said. */
export const ALL_WELL: SiteState = SiteState.parse({});

interface ReadState {
  state: SiteState;
  /** The write that replaces it, if it is still as it was read. */
  replaceBy(state: SiteState): ConditionalWrite;
}

export interface SiteStates {
  /** The state of a site; all well for one of which nothing was ever said, or whose row cannot be read. */
  read(site: SiteId, options?: { consistent?: boolean }): Promise<ReadState>;
}

export function openSiteStates(table: Table): SiteStates {
  return {
    async read(site, options = {}) {
      const item = await table.get(rows.siteState(site), options);
      const v = Number(item?.v ?? 0);
      return {
        state: item === null ? ALL_WELL : decode(item),
        replaceBy(state) {
          const key = rows.siteState(site);
          return {
            put: { ...key, v: v + 1, d: packText(JSON.stringify(state), key.pk) },
            condition: item === null ? IS_NEW : { equals: { v } },
          };
        },
      };
    },
  };
}

function decode({ d, pk }: Item): SiteState {
  try {
    return SiteState.parse(JSON.parse(unpackText(d, pk)));
  } catch {
    return ALL_WELL;
  }
}
