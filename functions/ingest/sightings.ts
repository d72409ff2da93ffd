/** Devices that agents have seen, on their way into the collection of the site. */
import { MAX_FUTURE_EPOCH_MS } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION, type Sightings } from '../../shared/agent/messages.ts';
import { type DeviceStatus, statusOf } from '../../shared/device.ts';
import { type AgentId, nameOfAgent, siteOfAgent } from '../../shared/identity.ts';
import { mergeSightings, partOf } from '../devices/merge-sightings.ts';
import type { StoredDevice } from '../dynamodb/device-codec.ts';
import { type DeviceStore, SMALL_CHANGE } from '../dynamodb/device-store.ts';
import type { SiteStore } from '../dynamodb/site-store.ts';
import type { Snapshot } from '../dynamodb/snapshot.ts';
import type { AgentDispatcher } from '../mqtt/agent-dispatcher.ts';
import type { Counters } from '../prometheus/counters.ts';

export interface SightingsOutcome {
  /** Devices that were added or changed. */
  changed: number;
  /** New devices that the collection has no room for. */
  refused: number;
}

export interface SightingsIngest {
  /**
   * Merges a message into the collection, and tells the agent that it is stored. Merging it again changes nothing.
   * Rejects when the database or the broker fails.
   * @returns in words why the message is not taken, which another try would not change
   */
  merge(agent: AgentId, message: Sightings): Promise<SightingsOutcome | string>;
}

export function openSightings(
  {
    devices,
    sites,
    agents,
    counters,
  }: { devices: DeviceStore; sites: SiteStore; agents: Pick<AgentDispatcher, 'control'>; counters?: Counters },
  now: () => Date,
): SightingsIngest {
  return {
    async merge(agent, { epoch, n, ...batch }) {
      if (epoch > now().getTime() + MAX_FUTURE_EPOCH_MS) return 'its epoch lies in the future';
      const site = siteOfAgent(agent);
      const all = await sites.agents(site);
      const source = {
        agent: nameOfAgent(agent),
        agents: new Map(
          all.map(({ id, state }) => [nameOfAgent(id), { connected: state === 'online' || state === 'draining' }]),
        ),
        now: now(),
      };
      if (!source.agents.has(source.agent)) return 'the agent has been revoked';
      const merged = (snapshot: Snapshot) => mergeSightings(snapshot, { epoch, n, ...batch }, source);
      const outcome: SightingsOutcome = { changed: 0, refused: merged(await devices.snapshot(site)).refused };
      // In small changes, because those say in the journal what became of each device.
      for (let rest = 1; rest > 0; ) {
        let transitions: DeviceStatus[] = [];
        const { put } = await devices.change(site, { actor: agent, cause: 'sighting' }, (snapshot) => {
          const { put } = merged(snapshot);
          rest = put.length - SMALL_CHANGE;
          const part = partOf(put, SMALL_CHANGE);
          transitions = transitionsOf(snapshot, part.put);
          return part;
        });
        outcome.changed += put.length;
        for (const to of transitions) if (to !== 'archived') counters?.presence(to, 1);
      }
      await agents.control(agent, { v: PROTOCOL_VERSION, t: 'sighted', epoch, n });
      return outcome;
    },
  };
}

/** The statuses of those devices whose status is another one after a change, or that are new. */
function transitionsOf(before: Snapshot, after: readonly StoredDevice[]): DeviceStatus[] {
  return after.flatMap(({ key, record }) => {
    const known = before.get(key);
    const status = statusOf(record);
    return known !== undefined && statusOf(known.record) === status ? [] : [status];
  });
}
