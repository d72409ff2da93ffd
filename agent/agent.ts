/** A running agent: its parts, started in the only safe order, and stopped in reverse. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type AgentId, clientIdOf, type Stage, siteOfAgent } from '../shared/identity.ts';
import { formatRange } from '../shared/network.ts';
import { MINUTE_MS } from '../shared/time.ts';
import { limitsOf } from '../shared/tools/list.ts';
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
import { type RunAnyTool, runCommand } from './jobs/run-command.ts';
import { JobService } from './jobs/serve.ts';
import { BrokerConnection, type PresenceDetails } from './link/broker-connection.ts';
import { CLOSE_WITHIN_MS, type Endpoint } from './link/session.ts';
import { Throttle } from './link/throttle.ts';
import { Measurements } from './measurements/measurements.ts';
import { PlanKeeper } from './plan/plan-keeper.ts';
import { ScheduleRunner } from './plan/schedule-runner.ts';
import { createReceive } from './receive.ts';
import { STATE } from './state/layout.ts';
import type { Lock } from './state/lock.ts';
import { detectPrograms } from './tools/registry.ts';
import type { ToolSettings } from './tools/tool.ts';
import { Updater, type UpdaterOptions } from './update/updater.ts';
import { UpstreamLog } from './upstream/upstream-log.ts';

interface AgentOptions {
  stage: Stage;
  agent: AgentId;
  /** Where and how to connect; called for each attempt. */
  dial(): Endpoint | Promise<Endpoint>;
  /** Called when the agent is connected and subscribed. */
  onConnected?(endpoint: Endpoint): void;
  stateDirectory: string;
  /** Of the state directory; released when the agent has stopped. */
  lock: Lock;
  policy: AgentPolicy;
  snmpFile: string;
  runTool: RunAnyTool;
  internetInfoUrl: string | null;
  speedtestServer: string | null;
  version: string;
  /** Null for an agent that does not update itself. */
  updates: UpdateOptions | null;
  log: Logger;
}

/** `able`: whether a supervisor restarts the agent, through a launcher that starts the newer version. */
interface UpdateOptions extends Pick<UpdaterOptions, 'able' | 'settleMs' | 'fetch'> {
  /** Called when a version is installed and no command runs: the caller restarts the agent. */
  onInstalled(): void;
}

interface Agent extends RenewedAgent {
  /** Rejects requests, waits `graceMs` for commands, delivers results, disconnects. A second call ends the wait. */
  stop(graceMs: number): Promise<void>;
}

/** Each ack carries the load too, so short commands need no presence messages. */
const LOAD_ANNOUNCEMENT = { afterMs: 15_000, everyMs: 30_000 };
const DISCOVERY_ANNOUNCEMENT = { afterMs: 100, everyMs: 10_000 };
/** The limit of the presence schema. */
const MAX_NETWORKS = 200;

/** Starts an agent, which connects to the broker and reconnects until it is stopped. */
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
    scanNetworks: (signal) => discovery.scan(signal),
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
  // Discovery resumes from disk before there is a link; the first presence message carries what it reports until then.
  const stateAnnouncer = new Throttle(() => void (hasLink && link.announce()), DISCOVERY_ANNOUNCEMENT);
  const discovery: DiscoveryWatcher = await DiscoveryWatcher.open({
    stateDirectory,
    rules: options.policy.discovery,
    snmpFile: options.snmpFile,
    sourceRules: options.policy.sources,
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
    report: (change) => void measurements.report([change]),
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
      tryCommand: (signal) => tryInterfaces(options, settings, signal),
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
  /** A server restored from a backup has lost what agents reported since that backup. */
  async function restored(at: number): Promise<void> {
    if (at === discovery.settings?.restoredAt) return;
    log.warn({ restoredAt: at }, 'the server was restored from a backup: the agent reports everything again');
    await Promise.all([discovery.resync(), plan.requestAgain(), measurements.reportAgain()]);
    stateAnnouncer.changed();
  }
  function direct(isOffered: boolean): void {
    link.offerDirect(isOffered);
    stateAnnouncer.changed(); // The presence acknowledges the offer, so that the service does not repeat it.
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
  }, 5 * MINUTE_MS);
  hostCheck.unref();

  let stopping: Promise<void> | null = null;
  async function stopInOrder(graceMs: number): Promise<void> {
    clearInterval(hostCheck);
    updater?.stop();
    log.info('agent is stopping');
    // Not awaited: commands that end meanwhile must not wait for the broker.
    void link.drain();
    // Discovery and checks have nothing to complete.
    const discoveryEnds = discovery.stop();
    checks.stop();
    await schedules.stop();
    await jobs.drain(graceMs);
    await discoveryEnds;
    measurements.stop();
    await outbox.flush(CLOSE_WITHIN_MS);
    loadAnnouncer.stop();
    stateAnnouncer.stop();
    await link.close();
    await upstream.close();
    await journal.close();
    lock.release();
    log.info('agent stopped');
  }
  const isIdle = () => Object.values(jobs.load()).every((count) => count === 0);
  /** Waits up to ten minutes for an idle moment, then accepts no more commands. Discovery continues. */
  async function drainWhenIdle(signal: AbortSignal): Promise<void> {
    const drainAt = performance.now() + 10 * MINUTE_MS;
    while (!isIdle() && performance.now() < drainAt) await sleep(200, undefined, { signal });
    void link.drain();
    await schedules.stop();
    await jobs.drain(20 * MINUTE_MS); // Longer than any command may run.
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

/** A health check that no caller sees. @returns why it failed; null on success, or when the host lacks the program */
async function tryInterfaces({ runTool, policy }: AgentOptions, settings: ToolSettings, signal: AbortSignal) {
  const command = { tool: 'interfaces' } as const;
  const context = { run: createRunProcess(), rules: policy.interfaces, settings, onOutput() {}, onProgress() {} };
  let defect: unknown = null;
  const { state, reason, message } = await runCommand(runTool, command, context, {
    limitMs: limitsOf(command).runMs,
    stop: signal,
    onDefect: (error) => (defect = error),
  });
  if (state === 'succeeded' || reason === 'tool_missing') return null;
  return defect instanceof Error ? `${message}: ${defect.message}` : message;
}

async function describe(version: string) {
  return {
    version,
    host: describeHost(),
    programs: await detectPrograms(createRunProcess()),
    capabilities: rawSockets() ? ['raw-sockets'] : [],
    networks: attachment().networks.slice(0, MAX_NETWORKS).map(formatRange),
  } satisfies Partial<PresenceDetails>;
}
