/** A running agent: its parts, started in the one order that is safe, and stopped in reverse. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type AgentId, clientIdOf, type Stage, siteOfAgent } from '../shared/identity.ts';
import { formatRange } from '../shared/network.ts';
import { CheckRunner } from './checks/check-runner.ts';
import { publicAddress, runProbe } from './checks/probe.ts';
import { searchWithin } from './discovery/device-search.ts';
import { DiscoveryWatcher } from './discovery/watcher.ts';
import { describeHost } from './host/describe.ts';
import { attachment, rawSockets } from './host/network.ts';
import { createRunProcess } from './host/run-process.ts';
import type { RenewedAgent } from './identity/renewal.ts';
import { Journal } from './jobs/journal.ts';
import { Outbox } from './jobs/outbox.ts';
import { type AgentPolicy, narrowed } from './jobs/policy.ts';
import { clearScratch, recover } from './jobs/recover.ts';
import type { RunAnyTool } from './jobs/run-command.ts';
import { JobService } from './jobs/serve.ts';
import { BrokerConnection, type PresenceDetails } from './link/broker-connection.ts';
import type { Endpoint } from './link/session.ts';
import { Throttle } from './link/throttle.ts';
import { Measurements } from './measurements/measurements.ts';
import { PlanKeeper } from './plan/plan-keeper.ts';
import { ScheduleRunner } from './plan/schedule-runner.ts';
import { createReceive } from './receive.ts';
import { STATE } from './state/layout.ts';
import type { Lock } from './state/lock.ts';
import { detectPrograms } from './tools/registry.ts';
import type { ToolSettings } from './tools/tool.ts';
import type { FetchedProgram } from './update/fetch-release.ts';
import { tryInterfaces } from './update/try-interfaces.ts';
import { Updater } from './update/updater.ts';
import { UpstreamLog } from './upstream/upstream-log.ts';

interface AgentOptions {
  stage: Stage;
  agent: AgentId;
  /** Where and how to connect; called anew for each connection attempt. */
  dial(): Endpoint | Promise<Endpoint>;
  /** Called when the agent is connected and subscribed, with the endpoint that was used. */
  onConnected?(endpoint: Endpoint): void;
  stateDirectory: string;
  /** Of the state directory; released when the agent has stopped. */
  lock: Lock;
  policy: AgentPolicy;
  /** Where credentials for SNMP are, if there are any. */
  snmpFile: string;
  runTool: RunAnyTool;
  internetInfoUrl: string | null;
  speedtestServer: string | null;
  version: string;
  /** Null: it does not replace itself. */
  updates: UpdateOptions | null;
  log: Logger;
}

/** How the agent replaces itself by newer versions. */
interface UpdateOptions {
  /** Whether something starts it again when it ends, by a launcher that starts the newer version. */
  able: boolean;
  /** See `Launch` in `config.ts`. */
  settleMs: number | null;
  /** Fetches a version that the plan names. */
  fetch(version: string, signal: AbortSignal): Promise<FetchedProgram>;
  /** Called when the agent has installed one, and runs no command any more: it is to be stopped, and started again. */
  onInstalled(): void;
}

export interface Agent extends RenewedAgent {
  /**
   * Stops in order: refuses new requests, waits for running commands, stops those that remain, delivers results as far
   * as possible and disconnects. A second call shortens the wait.
   * @param graceMs how long running commands may continue
   */
  stop(graceMs: number): Promise<void>;
}

const HAND_OVER_WITHIN_MS = 2_000;
/** How often the host's programs and networks are detected again. */
const HOST_CHECK_INTERVAL_MS = 5 * 60_000;
/** Every ack carries the load as well, so commands that are over soon need no presence messages. */
const LOAD_ANNOUNCEMENT = { afterMs: 15_000, everyMs: 30_000 };
/** The state of discovery. */
const DISCOVERY_ANNOUNCEMENT = { afterMs: 100, everyMs: 10_000 };
/** An agent that is to start a newer version waits so long for a moment without commands; then it takes no more. */
const IDLE_WITHIN_MS = 10 * 60_000;
/** More than any command may take. */
const LONGEST_COMMAND_MS = 20 * 60_000;
const POLL_MS = 200;
/** The schema of the presence message allows no more. */
const MAX_NETWORKS = 200;

/** Starts an agent. From then on it keeps itself connected to the broker. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { stage, agent, stateDirectory, lock, log } = options;
  const client = clientIdOf(stage, agent);
  const journal = await Journal.open(join(stateDirectory, STATE.journal));
  const upstream = await UpstreamLog.open(join(stateDirectory, STATE.upstream), log);
  await recover(journal, upstream, log);
  const scratchDirectory = join(stateDirectory, STATE.scratch);
  await clearScratch(scratchDirectory);

  let details = await describe(options.version);
  const raw = rawSockets();
  const settings: ToolSettings = {
    internetInfoUrl: options.internetInfoUrl,
    speedtestServer: options.speedtestServer,
    rawSockets: raw && process.getuid?.() !== 0,
    lookForDevices: (signal) => discovery.look(signal),
    searchFor: searchWithin(options.policy.discovery),
    scratchDirectory,
  };
  const publish = async (topic: string, payload: Buffer) => link.publish(topic, payload);
  const policy = () => narrowed(options.policy, discovery.settings?.policy);
  const outbox = new Outbox({ client, upstream, publish, log });
  const jobs = new JobService({
    client,
    journal,
    outbox,
    policy,
    runTool: options.runTool,
    settings,
    publishLossy: (topic, payload, qos) => {
      if (qos === 0) return link.publishLossy(topic, payload);
      publish(topic, payload).catch((error) => log.debug({ err: error }, 'an ack could not be published'));
      return link.connected;
    },
    onLoad: () => loadAnnouncer.changed(),
    log,
  });
  let hasLink = false;
  // Discovery goes on at once with what is on disk. What it has to say before there is a link goes out with the first presence.
  const stateAnnouncer = new Throttle(() => void (hasLink && link.announce()), DISCOVERY_ANNOUNCEMENT);
  const discovery: DiscoveryWatcher = await DiscoveryWatcher.open({
    stateDirectory,
    rules: options.policy.discovery,
    snmpFile: options.snmpFile,
    publish: (payload) => link.publishToIngest('sightings', payload),
    onState: () => stateAnnouncer.changed(),
    log,
  });
  const measurements = new Measurements({
    upstream,
    publish: (payload) => link.publishToIngest('measurements', payload),
    log,
  });
  const means = () => ({ run: createRunProcess(), policy: policy(), settings });
  const checks = new CheckRunner({
    client,
    probe: (probe, signal, wantsPath) => runProbe(probe, means(), signal, wantsPath),
    publicAddress: (signal) => publicAddress(means(), signal),
    measurements,
    log,
  });
  const schedules = await ScheduleRunner.open({
    path: join(stateDirectory, STATE.turns),
    site: siteOfAgent(agent),
    jobs,
    tell: (change) => void measurements.tell([change]),
    log,
  });
  const { updates } = options;
  const updater =
    updates &&
    new Updater({
      ...updates,
      able: updates.able && options.policy.updates,
      folder: join(stateDirectory, STATE.update),
      version: options.version,
      isConnected: () => link.connected,
      tryCommand: (signal) => tryInterfaces(options.runTool, { ...means(), policy: options.policy }, signal),
      async restart(signal) {
        await drainWhenIdle(signal);
        updates.onInstalled();
      },
      onState: () => void link.announce(),
      log,
    });
  const plan: PlanKeeper = await PlanKeeper.open({
    path: join(stateDirectory, STATE.plan),
    parts: [schedules, checks, ...(updater === null ? [] : [updater])],
    log,
  });
  /** A server that came out of a backup does not know what was told since: it is told all of that anew. */
  async function restored(at: number): Promise<void> {
    if (at === discovery.settings?.restoredAt) return;
    log.warn({ restoredAt: at }, 'the server was restored from a backup: it is told everything anew');
    await Promise.all([discovery.tellAnew(), plan.askAnew(), measurements.tellAnew()]);
    stateAnnouncer.changed();
  }
  function direct(isOffered: boolean): void {
    link.offerDirect(isOffered);
    stateAnnouncer.changed(); // What the presence says of that keeps the service from telling it again.
  }
  const link: BrokerConnection = new BrokerConnection({
    client,
    dial: options.dial,
    onMessage: createReceive({ stage, agent }, { jobs, discovery, plan, measurements, restored, direct }, log),
    onUp(endpoint) {
      outbox.connected();
      discovery.connected();
      measurements.connected();
      options.onConnected?.(endpoint);
    },
    onDown() {
      outbox.disconnected();
      discovery.disconnected();
      measurements.disconnected();
    },
    describe: () => ({
      ...details,
      load: jobs.load(),
      discovery: discovery.state,
      settings: discovery.settings?.revision,
      plan: plan.revision,
      ...(updater === null ? {} : { update: updater.state }),
    }),
    log,
  });
  const loadAnnouncer = new Throttle(() => void link.announce(), LOAD_ANNOUNCEMENT);
  lock.setStatus(() => JSON.stringify(link.state));
  hasLink = true;
  link.open();
  updater?.start();
  log.info({ stateDirectory, programs: details.programs }, 'agent started');

  const hostCheck = setInterval(async () => {
    try {
      details = await describe(options.version);
      await link.announce();
    } catch (error) {
      log.warn({ err: error }, 'cannot detect the programs and networks of this host');
    }
  }, HOST_CHECK_INTERVAL_MS);
  hostCheck.unref();

  let stopping: Promise<void> | null = null;
  async function stopInOrder(graceMs: number): Promise<void> {
    clearInterval(hostCheck);
    updater?.stop();
    log.info('agent is stopping');
    // Not awaited: commands that end in the meantime should not have to wait for the broker.
    void link.drain();
    // At once: they have nothing that needs to come to an end.
    const discoveryEnds = discovery.stop();
    checks.stop();
    await schedules.stop();
    await jobs.drain(graceMs);
    await discoveryEnds;
    measurements.stop();
    await outbox.flush(HAND_OVER_WITHIN_MS);
    loadAnnouncer.stop();
    stateAnnouncer.stop();
    await link.close();
    await upstream.close();
    await journal.close();
    lock.release();
    log.info('agent stopped');
  }
  const isIdle = () => Object.values(jobs.load()).every((count) => count === 0);
  /** Lets commands come to their end, and goes on to watch the LAN meanwhile. */
  async function drainWhenIdle(signal: AbortSignal): Promise<void> {
    const drainAt = performance.now() + IDLE_WITHIN_MS;
    while (!isIdle() && performance.now() < drainAt) await sleep(POLL_MS, undefined, { signal });
    void link.drain();
    await schedules.stop();
    await jobs.drain(LONGEST_COMMAND_MS);
  }
  return {
    isIdle,
    isConnected: () => link.connected,
    reconnect: () => link.reconnect(),
    stop(graceMs) {
      if (stopping !== null) void jobs.drain(0);
      stopping ??= stopInOrder(graceMs);
      return stopping;
    },
  };
}

async function describe(
  version: string,
): Promise<Omit<PresenceDetails, 'load' | 'discovery' | 'settings' | 'plan' | 'update'>> {
  return {
    version,
    host: describeHost(),
    programs: await detectPrograms(createRunProcess()),
    capabilities: rawSockets() ? ['raw-sockets'] : [],
    networks: attachment().networks.slice(0, MAX_NETWORKS).map(formatRange),
  };
}
