/**
 * The state of a site as a whole, in one row: lost agents, failing checks, outages. It has only what is not as it should be, so
 * it is small while all is well. It changes together with the events of the change: see
 * `functions/monitoring/outages/observe.ts`.
 */
import * as z from 'zod';
import { PlanItemId } from '../../../shared/agent/plan.ts';
import { AgentName, type SiteId } from '../../../shared/identity.ts';
import { ReasonCode } from '../../../shared/reasons.ts';
import { Millis } from '../../../shared/time.ts';
import { packText, unpackText } from '../../devices/collection/packed-text.ts';
import { IS_NEW } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import type { ConditionalWrite, Item, Table } from '../../table/table.ts';

/**
 * Devices that have gone together. Which they are follows from their records: those that are offline, and were last seen
 * within a span around its beginning. So the row stays small, however many they are.
 */
const Outage = z.object({
  /** When they were last seen (Unix, ms): also its id. */
  at: Millis,
  /** The span around `at` in which they were last seen. */
  withinMs: z.int(),
  /** The number of devices. */
  count: z.int(),
  /** The offline device on which the others depend, if known, and since when it is back. */
  root: z.string().nullable(),
  rootBackAt: Millis.nullable(),
  /** When its end was recorded. Devices that come back later still belong to it. */
  overAt: Millis.nullable(),
});
export type Outage = z.infer<typeof Outage>;

const byAgent = <Value extends z.ZodType>(value: Value) => z.record(AgentName, value).default({});
const byCheck = <Value extends z.ZodType>(value: Value) => z.record(PlanItemId, value).default({});

export const MAX_SPEEDS = 20;

/** The end of a certificate (Unix, ms), and the last warning, so many days before it. */
const Certificate = z.object({
  endsAt: Millis,
  told: z.object({ endsAt: Millis, days: z.int() }).nullable(),
});

export const SiteState = z.object({
  /** The last message of each agent whose changes were taken: repeated and late ones are ignored. */
  taken: byAgent(Millis),
  /** Agents that are disconnected, since when (Unix, ms). */
  lost: byAgent(Millis),
  /** Since when no agent has been connected. */
  darkSince: Millis.nullable().default(null),
  /** The agents' last reports on the internet: since when, and whether their gateway replies. */
  internet: byAgent(z.object({ ok: z.boolean(), since: Millis, gateway: z.boolean().nullable() })),
  /** Since when the internet is recorded as lost. */
  internetLostSince: Millis.nullable().default(null),
  /** The public address, and the agent that reported it. */
  address: z
    .object({ address: z.string(), provider: z.string().nullable(), since: Millis, agent: AgentName })
    .nullable()
    .default(null),
  /** The last speed tests, in Mbit/s and ms, newest last. */
  speeds: z
    .array(z.object({ at: Millis, agent: AgentName, down: z.number(), up: z.number(), ping: z.number() }))
    .max(MAX_SPEEDS)
    .default([]),
  slowSince: Millis.nullable().default(null),
  /** By check and agent: since when it fails, and the reason. */
  failing: byCheck(z.record(AgentName, z.object({ since: Millis, reason: z.string(), reasonCode: ReasonCode }))),
  /** By check: since when it is up, by the last change; and down, if that was recorded. */
  upSince: byCheck(Millis),
  downSince: byCheck(Millis),
  /** By check: when its server's certificate ends. */
  certificates: byCheck(Certificate),
  /** By check and agent: the hops to another site, empty for one that does not reply. */
  paths: byCheck(z.record(AgentName, z.array(z.string()))),
  /** By schedule: how many runs were missed, and when the last one was. */
  missed: z.record(PlanItemId, z.object({ count: z.int(), lastAt: Millis })).default({}),
  outages: z.array(Outage).default([]),
});
export type SiteState = z.infer<typeof SiteState>;

/** The state of a site without any reports. */
export const ALL_WELL: SiteState = SiteState.parse({});

interface ReadState {
  state: SiteState;
  /** Replaces the state, if it is still as it was read. */
  replaceBy(state: SiteState): ConditionalWrite;
}

export type SiteStates = ReturnType<typeof openSiteStates>;

export function openSiteStates(table: Table) {
  return {
    /** All well without any reports, or when the row is unreadable. */
    async read(site: SiteId, options: { consistent?: boolean } = {}): Promise<ReadState> {
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
