/** Handles the messages that the broker's rules forward: agents' results, presence, sightings, measurements, connections. */
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
import { hasOtherPlan, type PlanStores, type SendPlan, syncPlans } from '../monitoring/schedules/plans.ts';
import { openMonitoring } from '../monitoring/series/measurements.ts';
import { storeSpeed } from '../monitoring/series/points.ts';
import type { AgentRegistry } from '../sites/agents/agent-registry.ts';
import type { ReleaseSource } from '../sites/agents/releases/release-source.ts';
import { advanceForAgent, type RollOutContext } from '../sites/agents/releases/roll-out.ts';
import { retirePrevious } from '../sites/agents/renewal.ts';
import { settingsMessage } from '../sites/agents/settings-message.ts';
import type { Stores } from '../stores.ts';
import { storePorts } from './port-scans.ts';
import { storeRoute } from './routes.ts';
import { storeScanEvidence } from './scan-evidence.ts';
import { openSightings } from './sightings.ts';

export interface Ingest {
  /**
   * Handles a result that an agent published. It is unpacked and stored, with the ports that it found, only if its job was
   * given to this agent and has not ended, or the agent has run it by its plan; then, in any case, it is confirmed, so that the
   * agent deletes it. Rejects when the database or the broker fails.
   */
  result(agent: AgentId, payload: Uint8Array): Promise<void>;
  /**
   * Handles a presence message of an agent, or its last will: stores it, and sends an online agent the settings of its site,
   * unless it has them, and its plan, which includes the release to update to. Rejects when the database or the broker fails;
   * handling the message again completes what is missing.
   */
  presence(agent: AgentId, payload: Uint8Array): Promise<void>;
  /**
   * Merges an agent's sightings into the collection, and confirms them. Rejects when the database or the broker fails; then the
   * agent sends them again. It does so, too, with rejected ones, which are not confirmed, because discovery of its site is off,
   * or it has changed too much.
   */
  sightings(agent: AgentId, payload: Uint8Array): Promise<void>;
  /** Stores and confirms points and changes. Rejects when the database or the broker fails: then the agent sends them again. */
  measurements(agent: AgentId, payload: Uint8Array): Promise<void>;
  /** The first connection with a renewed certificate retires the previous one. Rejects when the database or the registry fails. */
  connection(agent: AgentId, payload: Uint8Array): Promise<void>;
}

/** Largest presence message or event; their schemas allow less than 25 KB. */
const MAX_BYTES = 32 * 1024;

/** Changes of a message from which on it is logged: single devices come and go all day, and the journal has them. */
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
  /** Changes per hour and agent. Default: CHANGES_AN_HOUR. */
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
  const send: SendPlan = (to, message) => agents.control(to, message);
  const rollOut: RollOutContext = { ...stores, now, ...(releases && { releases }), settings };
  const monitoring = openMonitoring({ ...stores, agents, now }, log);
  const sightings = openSightings({ ...stores, agents, counters, changesAnHour, restoredAt }, now);

  function warnOfVersion(agent: AgentId, theirs: number): void {
    warn(agent, { agentId: agent, theirs, ours: PROTOCOL_VERSION }, 'unsupported protocol version; update the agent');
  }

  /** Malformed messages are logged and dropped, because a retry would fail as well. */
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

  /** An agent that comes online may have missed a change of its site's settings. */
  async function sendSettings(
    agent: AgentId,
    site: Site,
    { settings: revision, direct }: Pick<Presence, 'settings' | 'direct'>,
  ): Promise<void> {
    if (site.revision !== revision || direct === false) await agents.control(agent, settingsMessage(site, restoredAt));
  }

  function refuse(agent: AgentId, jobId: JobId, problem: string): void {
    warn(agent, { agentId: agent, jobId, problem }, 'rejected a result for a job of another agent');
  }

  /**
   * A job that does not exist may be one that the agent has run by its plan. Its result is stored before the schedule notes
   * the run, so that a caller that sees the run finds its result. For a stored result only the latter may be left to do.
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

  /** @param store stores the end of the job. @returns false when it had ended before */
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
    // First, so that a caller that sees the job's end finds its ports. After a crash in between, the result is redelivered.
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

  /** Which agent does what depends on which of them are connected. @param isChanged whether the agent's state is another one */
  async function sendPlans(agent: AgentId, { state, plan: revision }: Presence, isChanged: boolean): Promise<void> {
    if (!isChanged && (state !== 'online' || !(await hasOtherPlan(stores, agent, revision)))) return;
    await syncPlans(stores, siteOfAgent(agent), send, now(), state === 'online' ? { agent, revision } : null);
  }

  async function noteSpeed(agent: AgentId, tool: Tool, { result, endedAt: at }: EndedJob): Promise<void> {
    if (tool !== 'speedtest' || result === null) return;
    const by = { site: siteOfAgent(agent), agent: nameOfAgent(agent), at };
    await observe(stores, by.site, agent, (state) => takeSpeed(state, result as ToolResult<'speedtest'>, by));
  }

  return {
    async result(agent, payload) {
      const header = headerOfResult(payload);
      if (header === null) return warn(agent, { agentId: agent }, 'dropped a result without the id of a job');
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
      // For a deleted site nothing else is done; the recorded presence counts if it is restored.
      const site = await sites.find(siteOfAgent(agent));
      if (site === null) return;
      // For repeated messages, too: the first attempt may have stopped after storing the state. Neither step writes or sends
      // anything when nothing is missing.
      await sites.updateStaleness(siteOfAgent(agent));
      if (recorded === 'new') await observeConnections(stores, siteOfAgent(agent), now());
      if (recorded === 'new' && presence.state === 'offline') await observeChecks(stores, siteOfAgent(agent), now());
      const isSupported = presence.state === 'online' && isUnderstood;
      if (isSupported) await sendSettings(agent, site, presence);
      await sendPlans(agent, presence, recorded === 'new');
      if (isSupported) await advanceForAgent(rollOut, agent, presence, site, send);
    },

    async sightings(agent, payload) {
      if (!sightings.allows(agent)) return;
      const message = parse(agent, Sightings, payload, BROKER_LIMITS.packetBytes);
      if (message === null) return;
      const outcome = await sightings.merge(agent, message);
      if (typeof outcome === 'string') return warn(agent, { agentId: agent, problem: outcome }, 'rejected sightings');
      const { changed, refused, limitedUntil, moved } = outcome;
      if (refused > 0) warn(agent, { agentId: agent, changed, refused }, 'a collection has no room for more devices');
      if (limitedUntil !== null)
        log.warn({ agentId: agent, limitedUntil }, 'an agent changes too much: rate limited to a message a minute');
      if (changed >= LOGGED_CHANGES) log.info({ agentId: agent, changed }, 'sightings');
      await followDevices(stores, siteOfAgent(agent), moved, send, now());
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
      const isNew = await sites.recordConnectionEvent(agent, event);
      if (isNew)
        log.info({ agentId: agent, event: eventType, ...(reason === undefined ? {} : { reason }) }, 'connection');
      if ((await sites.find(siteOfAgent(agent), { consistent: false })) === null) return; // As with presence.
      // For repeated events, too: the first attempt may have stopped after storing it.
      await sites.updateStaleness(siteOfAgent(agent));
      // A client that was taken over is connected again, as the next event shows.
      if (isNew && reason !== 'DUPLICATE_CLIENTID') await observeConnections(stores, siteOfAgent(agent), now());
      if (isNew && eventType === 'disconnected') await observeChecks(stores, siteOfAgent(agent), now());
      if (isNew) await syncPlans(stores, siteOfAgent(agent), send, now());
      await retirePrevious({ certificates, registry }, agent, event.principalIdentifier);
    },
  };
}
