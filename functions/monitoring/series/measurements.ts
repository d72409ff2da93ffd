/** Handles agents' measurements: stores series, and updates the state of their site. */
import { MAX_FUTURE_EPOCH_MS } from '../../../shared/agent/discovery.ts';
import type { Change, MeasurementsBody } from '../../../shared/agent/measurements.ts';
import { PROTOCOL_VERSION, type ProtocolVersion } from '../../../shared/agent/messages.ts';
import type { Agent } from '../../../shared/api/records.ts';
import { type AgentId, nameOfAgent, siteOfAgent } from '../../../shared/identity.ts';
import type { Log } from '../../../shared/log.ts';
import type { AgentDispatcher } from '../../commands/agent-dispatcher.ts';
import type { Stores } from '../../stores.ts';
import { type MadeCheck, readMadeChecks } from '../checks/check-makers.ts';
import { recoveriesIn, takeCertificate, takeCheck, takePath } from '../checks/evaluate.ts';
import { agentsWithSay } from '../checks/observe-checks.ts';
import { takeAddress, takeInternet } from '../outages/internet.ts';
import { type Observed, observe } from '../outages/observe.ts';
import type { ChangeSource, MonitoringStores, TakeChange } from '../outages/take-change.ts';
import { takeMissed } from '../schedules/missed-runs.ts';
import { storeAddresses, storePoints } from './points.ts';

const TAKE: { [T in Change['t']]: TakeChange<T> } = {
  check: takeCheck,
  certificate: takeCertificate,
  path: takePath,
  internet: takeInternet,
  address: takeAddress,
  missed: takeMissed,
};

interface Dependencies extends MonitoringStores, Pick<Stores, 'series' | 'months'> {
  agents: Pick<AgentDispatcher, 'control'>;
  now(): Date;
}

export function openMonitoring({ agents, now, ...stores }: Dependencies, log: Log) {
  async function readChecks(reporter: AgentId, known: readonly Agent[]): Promise<MadeCheck[]> {
    const site = siteOfAgent(reporter);
    const withSay = new Set((await agentsWithSay(stores, site)).map(({ id }) => id));
    const reporting = known.filter(({ id }) => id === reporter || withSay.has(id));
    return readMadeChecks(stores, site, reporting);
  }

  /** A repeated message changes nothing, whatever was reported since. */
  async function takeChanges(agent: AgentId, n: number, changes: readonly Change[]): Promise<void> {
    const site = siteOfAgent(agent);
    const known = await stores.sites.agents(site);
    const connected = known.filter(({ state }) => state === 'online' || state === 'draining');
    let made: Promise<readonly MadeCheck[]> | undefined;
    const source: ChangeSource = {
      ...{ stores, site, agent: nameOfAgent(agent), now: now() },
      connected: new Map(connected.map(({ id, since }) => [nameOfAgent(id), Date.parse(since ?? '')])),
      checks() {
        made ??= readChecks(agent, known);
        return made;
      },
    };
    await observe(stores, site, agent, async (before) => {
      const { [source.agent]: last = 0 } = before.taken;
      if (n <= last) return null;
      let after: Observed = { state: before, occurrences: [] };
      for (const change of changes) {
        // The compiler cannot know that the function fits the type of the change by which it was chosen.
        const take = TAKE[change.t] as TakeChange<Change['t']>;
        const { state, occurrences } = await take(after.state, change, source);
        after = { state, occurrences: [...after.occurrences, ...occurrences] };
      }
      if (after.occurrences.length === 0 && after.state === before) return null;
      // At most near the future: after a clock error, all messages would look old.
      const taken = { ...after.state.taken, [source.agent]: Math.min(n, source.now.getTime() + MAX_FUTURE_EPOCH_MS) };
      return { ...after, state: { ...after.state, taken } };
    });
  }

  return {
    /** Stores a message and confirms it to the agent. Idempotent. Rejects when the database or the broker fails. */
    async measurements(agent: AgentId, { n, changes, points }: MeasurementsBody & { v: ProtocolVersion }) {
      if (points !== null) await storePoints({ ...stores, now }, agent, points, log);
      await storeAddresses({ ...stores, now }, agent, changes);
      const { state } = points === null ? { state: null } : await stores.siteStates.read(siteOfAgent(agent));
      const recoveries = state === null ? [] : recoveriesIn(state, nameOfAgent(agent), points, now());
      if (changes.length + recoveries.length > 0) await takeChanges(agent, n, [...changes, ...recoveries]);
      await agents.control(agent, { v: PROTOCOL_VERSION, t: 'measured', n });
    },
  };
}
