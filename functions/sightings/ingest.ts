/** Handles the messages that the broker's rules forward: results, presence and sightings of agents, and connection events. */
import type * as z from 'zod';
import {
  ConnectionEvent,
  type EndedJob,
  otherVersionOf,
  PROTOCOL_VERSION,
  Presence,
  Sightings,
} from '../../shared/agent/messages.ts';
import { BROKER_LIMITS } from '../../shared/agent/topics.ts';
import { headerOfResult, unpackMeasurements } from '../../shared/agent/wire.ts';
import type { Site } from '../../shared/api/records.ts';
import { type AgentId, type JobId, nameOfAgent, readClientId, siteOfAgent } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import { problemOf } from '../../shared/problem.ts';
import type { Tool, ToolResult } from '../../shared/tools/list.ts';
import type { AgentDispatcher } from '../commands/agent-dispatcher.ts';
import type { Assignment } from '../commands/job-store.ts';
import { readResult } from '../commands/read-result.ts';
import type { ServiceSettings } from '../http/context.ts';
import type { Counters } from '../http/counters.ts';
import { rateLimitedWarnings } from '../http/rate-limited-log.ts';
import { followDevices } from '../monitoring/checks/follow-addresses.ts';
import { observeChecks } from '../monitoring/checks/observe-checks.ts';
import { observeConnections } from '../monitoring/outages/connections.ts';
import { takeSpeed } from '../monitoring/outages/internet.ts';
import { observe } from '../monitoring/outages/observe.ts';
import type { MonitoringStores } from '../monitoring/outages/take-change.ts';
import { acceptRun } from '../monitoring/schedules/planned-results.ts';
import type { PlanStores } from '../monitoring/schedules/plans.ts';
import { hasOtherPlan, syncPlans, type TellPlan } from '../monitoring/schedules/plans.ts';
import { openMonitoring } from '../monitoring/series/measurements.ts';
import { storeSpeed } from '../monitoring/series/points.ts';
import type { AgentRegistry } from '../sites/agents/agent-registry.ts';
import type { ReleaseSource } from '../sites/agents/releases/release-source.ts';
import { lookAtAgent, type RollOutContext } from '../sites/agents/releases/roll-out.ts';
import { retirePrevious } from '../sites/agents/renewal.ts';
import { settingsMessage } from '../sites/agents/settings-message.ts';
import type { Stores } from '../stores.ts';
import { storePorts } from './port-scans.ts';
import { storeRoute } from './routes.ts';
import { storeScanEvidence } from './scan-evidence.ts';
import { openSightings } from './sightings.ts';

export interface Ingest {
  /**
   * Handles a result that an agent published. It is unpacked and stored only when its job was given to this agent and
   * has not ended, with the ports that it found, or when the agent has run it by its plan; in any case the agent is then told to delete it. Rejects when the database or the broker fails.
   */
  result(agent: AgentId, payload: Uint8Array): Promise<void>;
  /**
   * Handles a presence message of an agent, or its last will: stores it, and tells an agent that is online the settings of
   * its site, unless it has them, and its plan: also whether it is to become another release. Rejects when the database or the broker fails; a message that is handled again completes what is missing.
   */
  presence(agent: AgentId, payload: Uint8Array): Promise<void>;
  /**
   * Handles sightings of an agent: merges them into the collection, and then confirms them to the agent. Rejects when the
   * database or the broker fails; then the agent sends them again. So it does with those that are refused, because discovery
   * of its site is off, or it has changed too much: they are not confirmed.
   */
  sightings(agent: AgentId, payload: Uint8Array): Promise<void>;
  /**
   * Handles what an agent has measured: stores points and changes, and then confirms them to the agent. Rejects when the
   * database or the broker fails; then the agent sends them again.
   */
  measurements(agent: AgentId, payload: Uint8Array): Promise<void>;
  /**
   * Handles an event of the broker about a connection of this agent. Its first connection with a renewed certificate
   * retires the one before. Rejects when the database or the registry fails.
   */
  connection(agent: AgentId, payload: Uint8Array): Promise<void>;
}

/** Limit of presence messages and events, whose schemas allow less than 25 KB. */
const MAX_BYTES = 32 * 1024;
/** Limit of sightings: the largest packet of the broker. */
const MAX_SIGHTINGS_BYTES = BROKER_LIMITS.packetBytes;

/** Of one message. Single devices come and go all day: the journal says which, and a line for each costs more than that. */
const LOGGED_CHANGES = 10;

interface Dependencies
  extends PlanStores,
    MonitoringStores,
    Pick<Stores, 'certificates' | 'jobs' | 'ports' | 'series' | 'months'> {
  registry: Pick<AgentRegistry, 'retire'>;
  agents: Pick<AgentDispatcher, 'confirmStored' | 'control'>;
  now(): Date;
  counters?: Counters;
  releases?: Pick<ReleaseSource, 'current'>;
  /** What one agent may change in an hour. Default: CHANGES_AN_HOUR. */
  changesAnHour?: number;
  settings?: Pick<ServiceSettings, 'restoredAt' | 'updateSettlesMs'>;
}

export function openIngest(
  { registry, agents, now, counters, changesAnHour, releases, settings = {}, ...stores }: Dependencies,
  log: Log,
): Ingest {
  const { jobs, sites, certificates, devices, ports } = stores;
  const warn = rateLimitedWarnings(log);
  const { restoredAt } = settings;
  const tell: TellPlan = (to, message) => agents.control(to, message);
  const rollOut: RollOutContext = { ...stores, now, ...(releases && { releases }), settings };
  const monitoring = openMonitoring({ ...stores, agents, now }, log);
  const sightings = openSightings({ ...stores, agents, counters, changesAnHour, restoredAt }, now);

  function warnOfVersion(agent: AgentId, theirs: number): void {
    warn(agent, { agentId: agent, theirs, ours: PROTOCOL_VERSION }, 'a message of another version; update the agent');
  }

  /** A malformed message is logged and dropped, because another attempt would fail as well. */
  function parse<Schema extends z.ZodType>(
    agent: AgentId,
    schema: Schema,
    payload: Uint8Array,
    most = MAX_BYTES,
  ): z.output<Schema> | null {
    try {
      if (payload.length > most) throw new RangeError(`${payload.length} bytes; expected at most ${most}`);
      const json: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
      const parsed = schema.safeParse(json);
      if (parsed.success) return parsed.data;
      const theirs = otherVersionOf(json);
      if (theirs === null) throw parsed.error;
      warnOfVersion(agent, theirs);
      return null;
    } catch (error) {
      warn(agent, { problem: problemOf(error), agentId: agent }, 'unreadable payload');
      return null;
    }
  }

  function unpacked(agent: AgentId, payload: Uint8Array) {
    try {
      const message = unpackMeasurements(payload);
      if (!('theirs' in message)) return message;
      warnOfVersion(agent, message.theirs);
    } catch (error) {
      warn(agent, { problem: problemOf(error), agentId: agent }, 'unreadable measurements');
    }
    return null;
  }

  /** Whoever comes online may have missed a change of its site's settings. */
  async function tellSettings(
    agent: AgentId,
    site: Site,
    { settings: revision, direct }: Pick<Presence, 'settings' | 'direct'>,
  ): Promise<void> {
    if (site.revision !== revision || direct === false) await agents.control(agent, settingsMessage(site, restoredAt));
  }

  function refuse(agent: AgentId, jobId: JobId, problem: string): void {
    warn(agent, { agentId: agent, jobId, problem }, 'refused a result for a job that this agent was not given');
  }

  /**
   * A job that does not exist may be one that the agent has run by its plan. It is stored before it is noted where it was
   * planned: whoever sees there that it has ended finds its result. Of one that is stored already, that may be left to do.
   */
  async function takePlanned(agent: AgentId, id: JobId, payload: Uint8Array): Promise<void> {
    const run = await acceptRun(stores, agent, id, payload, now());
    if (typeof run === 'string') return refuse(agent, id, run);
    const { job } = run;
    await take({ ...job, tool: job.command.tool }, payload, async (result) => {
      const isStored = await jobs.addEnded(job, result);
      await run.note(result);
      return isStored;
    });
  }

  /** @param store stores the end of the job. @returns whether it had not ended before */
  async function take(
    job: Pick<Assignment, 'id' | 'agent' | 'tool' | 'command' | 'createdAt'>,
    payload: Uint8Array,
    store: (result: EndedJob) => Promise<boolean>,
  ): Promise<void> {
    const { id: jobId, agent: agentId, tool } = job;
    const result = readResult(payload, job);
    const { state, reason, message, startedAt, endedAt } = result;
    const tookMs = startedAt === null ? null : Math.max(0, endedAt - startedAt);
    const durMs = tookMs ?? undefined;
    const about = { agentId, site: siteOfAgent(agentId), jobId, tool, state, reason, durMs };
    // First: whoever sees that the job has ended finds its ports. After a crash in between the result comes again.
    await storePorts({ devices, ports }, job, result);
    await storeRoute(devices, job, result);
    await storeScanEvidence(devices, job, result);
    await storeSpeed(stores, job, result);
    await noteSpeed(agentId, tool, result);
    const isStored = await store(result);
    if (isStored) counters?.command(tool, state, tookMs === null ? null : tookMs / 1000);
    if (reason === 'malformed_result') log.warn({ ...about, problem: message }, 'malformed result');
    else if (isStored) log.info(about, 'result');
  }

  /** Who does what depends on which agents are connected. @param isNews whether the state of the agent is another one */
  async function tellPlans(agent: AgentId, { state, plan: revision }: Presence, isNews: boolean): Promise<void> {
    const site = siteOfAgent(agent);
    if (!isNews && (state !== 'online' || !(await hasOtherPlan(stores, site, agent, revision)))) return;
    const asker = state === 'online' ? { agent, revision } : null;
    await syncPlans(stores, site, tell, now(), asker);
  }

  async function noteSpeed(agent: AgentId, tool: Tool, { result, endedAt: at }: EndedJob): Promise<void> {
    if (tool !== 'speedtest' || result === null) return;
    const by = { site: siteOfAgent(agent), agent: nameOfAgent(agent), at };
    await observe(stores, by.site, agent, (state) => takeSpeed(state, result as ToolResult<'speedtest'>, by));
  }

  return {
    async result(agent, payload) {
      const header = headerOfResult(payload);
      if (header === null) return warn(agent, { agentId: agent }, 'dropped a result that names no job');
      const { id, planned } = header;
      const job = await jobs.assignment(id);
      const isPlanned = job === null || (job.agent === agent && job.hasEnded && planned !== undefined);
      if (isPlanned) await takePlanned(agent, id, payload);
      else if (job.agent !== agent) refuse(agent, id, 'it was given to another agent');
      else if (!job.hasEnded) await take(job, payload, (result) => jobs.finish(job, result));
      await agents.confirmStored(agent, id);
    },

    async presence(agent, payload) {
      const presence = parse(agent, Presence, payload);
      if (presence === null) return;
      const isUnderstood = presence.v === PROTOCOL_VERSION;
      if (!isUnderstood) warnOfVersion(agent, presence.v);
      const recorded = await sites.recordPresence(agent, presence);
      if (recorded === 'ignored') return;
      if (recorded === 'new') log.info({ agentId: agent, state: presence.state }, 'presence');
      // Of a deleted site nothing else happens; what is recorded counts when it is restored.
      const site = await sites.find(siteOfAgent(agent));
      if (site === null) return;
      // Also for a repeated message: what stored the state may have been stopped before it came here. Neither step writes
      // anything, or makes the agent do anything, when all is as it should be.
      await sites.updateStaleness(siteOfAgent(agent));
      if (recorded === 'new') await observeConnections(stores, siteOfAgent(agent), now());
      if (recorded === 'new' && presence.state === 'offline') await observeChecks(stores, siteOfAgent(agent), now());
      const isHeard = presence.state === 'online' && isUnderstood;
      if (isHeard) await tellSettings(agent, site, presence);
      await tellPlans(agent, presence, recorded === 'new');
      if (isHeard) await lookAtAgent(rollOut, agent, presence, site, tell);
    },

    async sightings(agent, payload) {
      if (!sightings.allows(agent)) return;
      const message = parse(agent, Sightings, payload, MAX_SIGHTINGS_BYTES);
      if (message === null) return;
      const outcome = await sightings.merge(agent, message);
      if (typeof outcome === 'string') return warn(agent, { agentId: agent, problem: outcome }, 'refused sightings');
      const { changed, refused, limitedUntil, moved } = outcome;
      if (refused > 0) warn(agent, { agentId: agent, changed, refused }, 'a collection has no room for more devices');
      if (limitedUntil !== null)
        log.warn({ agentId: agent, limitedUntil }, 'an agent changes too much; one message a minute of it is taken');
      if (changed >= LOGGED_CHANGES) log.info({ agentId: agent, changed }, 'sightings');
      await followDevices(stores, siteOfAgent(agent), moved, tell, now());
    },

    async measurements(agent, payload) {
      const message = unpacked(agent, payload);
      if (message !== null) await monitoring.measurements(agent, message);
    },

    async connection(agent, payload) {
      const event = parse(agent, ConnectionEvent, payload);
      if (event === null) return;
      if (readClientId(event.clientId)?.agent !== agent)
        return log.warn({ agentId: agent }, 'dropped an event about another client');
      const { eventType, disconnectReason: reason } = event;
      const isNews = await sites.recordConnectionEvent(agent, event);
      if (isNews)
        log.info({ agentId: agent, event: eventType, ...(reason === undefined ? {} : { reason }) }, 'connection');
      if ((await sites.find(siteOfAgent(agent), { consistent: false })) === null) return; // As with presence.
      // Also when it is no news: it may have been stored by a function that was stopped before it came here.
      await sites.updateStaleness(siteOfAgent(agent));
      // One that was taken over is connected again: what follows says so.
      if (isNews && reason !== 'DUPLICATE_CLIENTID') await observeConnections(stores, siteOfAgent(agent), now());
      if (isNews && eventType === 'disconnected') await observeChecks(stores, siteOfAgent(agent), now());
      if (isNews) await syncPlans(stores, siteOfAgent(agent), tell, now());
      await retirePrevious({ certificates, registry }, agent, event.principalIdentifier);
    },
  };
}
