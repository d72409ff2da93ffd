/** Merges agents' sightings into the collections of their sites. */
import { MAX_FUTURE_EPOCH_MS } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION, type Sightings } from '../../shared/agent/messages.ts';
import type { Site } from '../../shared/api/records.ts';
import { type DeviceStatus, statusOf } from '../../shared/device.ts';
import { type AgentId, nameOfAgent, siteOfAgent } from '../../shared/identity.ts';
import type { AgentDispatcher } from '../commands/agent-dispatcher.ts';
import type { DeviceKey, StoredDevice } from '../devices/collection/device-codec.ts';
import type { DeviceStore } from '../devices/collection/device-store.ts';
import type { Snapshot } from '../devices/collection/snapshot.ts';
import type { Counters } from '../http/counters.ts';
import { TokenBuckets } from '../http/token-bucket.ts';
import { takeOutages } from '../monitoring/outages/outages.ts';
import type { SiteStates } from '../monitoring/outages/site-state.ts';
import { settingsMessage } from '../sites/agents/settings-message.ts';
import type { SiteStore } from '../sites/site-store.ts';
import { ChangeBudget } from './change-budget.ts';
import { earlierSteps, MAX_DISCOVERED, mergeSightings } from './merge-sightings.ts';

interface SightingsOutcome {
  /** Until when one message a minute is accepted; set when this message has exhausted the agent's budget of changes. */
  limitedUntil: Date | null;
  changed: number;
  refused: number;
  moved: DeviceKey[];
}

interface SightingsIngest {
  /** Whether a message of the agent is handled; otherwise the agent sends it again. */
  allows(agent: AgentId): boolean;
  /**
   * Merges a message into the collection, as one change, and confirms it to the agent if that was requested. Idempotent.
   * Rejects when the database or the broker fails.
   * @returns the reason when the message is rejected, which a retry would not change
   */
  merge(agent: AgentId, message: Sightings): Promise<SightingsOutcome | string>;
}

interface Dependencies {
  devices: DeviceStore;
  sites: SiteStore;
  siteStates: SiteStates;
  agents: Pick<AgentDispatcher, 'control'>;
  counters?: Counters | undefined;
  /** Default: CHANGES_AN_HOUR. */
  changesAnHour?: number | undefined;
  /** When the server was restored from a backup (Unix, ms), if it was. */
  restoredAt?: number | undefined;
}

export function openSightings(
  { devices, sites, siteStates, agents, counters, changesAnHour, restoredAt }: Dependencies,
  now: () => Date,
): SightingsIngest {
  const ms = () => now().getTime();
  const budget = new ChangeBudget(ms, changesAnHour);
  // An agent that reports although discovery is off gets its settings once a minute at most.
  const settingsSent = new TokenBuckets({ capacity: 1, refillMs: 60_000, maxKeys: 1_000 }, ms);

  return {
    allows: (agent) => budget.allows(agent),

    async merge(agent, { epoch, n, answer, ...batch }) {
      if (epoch > now().getTime() + MAX_FUTURE_EPOCH_MS) return 'its epoch lies in the future';
      const id = siteOfAgent(agent);
      // Eventually consistent: all sites are in one partition, and this reads it more often than anything else.
      const [site, all] = await Promise.all([sites.find(id, { consistent: false }), sites.agents(id)]);
      const source = {
        agent: nameOfAgent(agent),
        agents: new Map(
          all.map(({ id, state }) => [nameOfAgent(id), { connected: state === 'online' || state === 'draining' }]),
        ),
        now: now(),
        acceptParents: site?.discovery.acceptParents === true,
        archiveRandomAfterDays: site?.discovery.archiveRandomAfterDays,
      };
      if (!source.agents.has(source.agent)) return 'the agent has been revoked';
      if (site?.discovery.enabled !== true) {
        // Not confirmed: the agent sends it again when discovery is on. One that has missed that it is off stops by this.
        if (site !== null && settingsSent.take(agent)) await agents.control(agent, settingsMessage(site, restoredAt));
        return 'discovery of its site is off';
      }
      const outcome: SightingsOutcome = { changed: 0, refused: 0, limitedUntil: null, moved: [] };
      let alerts: string[] = [];
      /** One change of the collection. @returns whether it was the last */
      async function takeNext(site: Site): Promise<boolean> {
        let step: Pick<SightingsOutcome, 'changed' | 'refused' | 'moved'> = { changed: 0, refused: 0, moved: [] };
        let transitions: DeviceStatus[] = [];
        let isLast = true;
        await devices.change(id, { actor: agent, cause: 'sighting' }, async (snapshot) => {
          const earlier = earlierSteps(snapshot, { epoch, n, ...batch }, source);
          isLast = earlier === null;
          const { sightings, ...rest } = earlier ?? { epoch, n, ...batch };
          const added = sightings.filter(
            ({ mac, online, unmonitored }) => (online || unmonitored) && snapshot.deviceOf(mac) === undefined,
          );
          const fitting = added.slice(0, Math.max(0, MAX_DISCOVERED - snapshot.size));
          const fittingMacs = fitting.map(({ mac }) => mac);
          const former = await devices.lastDeleted(id, fittingMacs);
          const deleted = new Set(former.map(({ key }) => key));
          const circumstances = { ...source, deleted, isEarlier: earlier !== null };
          const merged = mergeSightings(snapshot, { ...rest, sightings }, circumstances);
          step = {
            changed: merged.put.length + merged.remove.length,
            refused: merged.refused,
            moved: merged.put
              .filter(({ key, record }) => snapshot.get(key)?.record.devLastIP !== record.devLastIP)
              // A check may have the device by a MAC that was joined since.
              .flatMap(({ key, joined = {} }) => [key, ...Object.keys(joined).filter((mac) => mac !== key)]),
          };
          transitions = transitionsOf(snapshot, merged.put);
          // The agent cannot know which devices people want alerts of.
          alerts = sightings.flatMap(({ mac }) => (snapshot.deviceOf(mac)?.record.devAlertDown === 1 ? [mac] : []));
          if (transitions.length === 0) return merged;
          const known = await siteStates.read(id, { consistent: true });
          const intervalMs = site.discovery.intervalSeconds * 1_000;
          const seen = { before: snapshot, ...merged, agent: source.agent, intervalMs, now: source.now.getTime() };
          const { state, occurrences, outages } = takeOutages(known.state, seen);
          return {
            ...merged,
            occurrences: [...merged.occurrences, ...occurrences],
            outages,
            also: state === known.state ? [] : [known.replaceBy(state)],
          };
        });
        outcome.changed += step.changed;
        outcome.refused += step.refused;
        outcome.moved.push(...step.moved);
        for (const to of transitions) if (to !== 'archived') counters?.presence(to, 1);
        return isLast;
      }
      while (!(await takeNext(site))); // Each step is stored before the next one is determined.
      const limitedUntil = budget.spend(agent, outcome.changed + outcome.refused);
      if (limitedUntil !== null) {
        outcome.limitedUntil = new Date(limitedUntil);
        await sites.noteLimit(agent, outcome.limitedUntil);
      }
      if (answer === false && alerts.length === 0) return outcome;
      const some = alerts.length === 0 ? {} : { alerts };
      await agents.control(agent, { v: PROTOCOL_VERSION, t: 'sighted', epoch, n, ...some });
      return outcome;
    },
  };
}

/** The statuses of devices that are new, or whose status a change alters. */
function transitionsOf(before: Snapshot, after: readonly StoredDevice[]): DeviceStatus[] {
  return after.flatMap(({ key, record }) => {
    const known = before.get(key);
    const status = statusOf(record);
    return known !== undefined && statusOf(known.record) === status ? [] : [status];
  });
}
