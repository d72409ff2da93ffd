/** LanReach on one machine, for `npm start` and the tests. */
import { fileURLToPath } from 'node:url';
import type { HttpBindings } from '@hono/node-server';
import type { Logger } from 'pino';
import { HOME } from '../functions/access/first-access.ts';
import type { RunQueue } from '../functions/commands/runs/task.ts';
import { type Context, closeContext, openContext } from '../functions/context.ts';
import { groups } from '../functions/groups/list.ts';
import { openMailer } from '../functions/hooks/mailer.ts';
import type { HookTask } from '../functions/hooks/tasks.ts';
import { wakingHooks } from '../functions/hooks/wake.ts';
import { rateLimitedWarnings } from '../functions/http/rate-limited-log.ts';
import { service } from '../functions/http/service.ts';
import { openIngest } from '../functions/sightings/ingest.ts';
import { openReleaseFolder } from '../functions/sites/agents/releases/folder-source.ts';
import type { TaskQueue } from '../functions/task-queue.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { DiscoverySettings } from '../shared/agent/discovery.ts';
import { codeOf } from '../shared/errno.ts';
import { ServiceError } from '../shared/errors.ts';
import { type AgentId, agentId, clientIdOf, LOCAL_STAGE, type SiteId, siteOfAgent } from '../shared/identity.ts';
import { hostInUrl } from '../shared/reachable-address.ts';
import { provideAccess, provideDiscovery, type RootToken, rootToken } from './access.ts';
import { addressForAgents, consoleForOthers, dialAddress, namesOfHost, urlsForOthers } from './addresses.ts';
import { backupRoutes } from './backup/routes.ts';
import { type Broker, type BrokerOptions, startBroker } from './broker.ts';
import { localAgentRegistry, openCertificateAuthority } from './certificate-authority.ts';
import type { SupervisedChild } from './child-process.ts';
import { clientAddress, isTrusted } from './client-address.ts';
import type { LocalConfig } from './config.ts';
import { LOCAL_RATES } from './connection-rate.ts';
import { openCounters } from './counters.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { openDatabase } from './database.ts';
import { requireRoom, spaceAt, watchDiskSpace } from './disk-space.ts';
import { docsRoutes } from './docs-page.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { isDeleted, startLocalAgent } from './local-agent.ts';
import { connectionLimits } from './open-files.ts';
import { findProgram } from './programs.ts';
import { changeState, readState } from './state.ts';
import { untilStop } from './until-stop.ts';
import { startUpkeep } from './upkeep.ts';
import { hookWorker, runWorker } from './worker.ts';

const MQTTS_PORT = 8883;
/** Beside the bundle of `npm start`; one folder up from here in tests. */
const AGENT_PROGRAM = fileURLToPath(new URL('../dist/agent.js', import.meta.url));

const OPENAPI_DOCUMENT = fileURLToPath(new URL('../docs/openapi.json', import.meta.url));
const RELEASES_FOLDER = fileURLToPath(new URL('../dist/packages', import.meta.url));
const CONSOLE_FOLDER = fileURLToPath(new URL('../dist/console', import.meta.url));

export interface SystemOptions {
  config: LocalConfig;
  log: Logger;
  /** Called when a part has started, with one line for the screen. */
  onStep?(part: string, detail: string): void;
  /** Validity of the certificates of agents. Default: that of the authority. */
  agentCertificatesHoldMs?: number;
  /** Limit for the acknowledgement of an agent. Default: that of the functions. */
  ackWithinMs?: number;
  /** The build of the web console. Default: that of `npm start`. */
  consoleFolder?: string;
  /** Aborting it stops the start, and all started parts. */
  signal?: AbortSignal;
}

export interface System extends AsyncDisposable {
  /** URL of the API on this host. */
  readonly url: string;
  readonly token: RootToken;
  readonly site: SiteId;
  /** The agent of this machine. */
  readonly agent: AgentId;
  readonly dataFolder: string;
  /** The settings of the site at this start. */
  readonly discovery: DiscoverySettings;
  /** Whether the agent can receive a command now. */
  isAgentOnline(): Promise<boolean>;
  /** Parts that tests can stop, to check that the rest recovers. */
  readonly parts: {
    readonly agent: SupervisedChild;
    readonly broker: Broker;
    /** Closes every connection, and accepts new ones on the same port. */
    restartBroker(): Promise<void>;
    readonly context: Context;
  };
  /** Stops everything, in reverse order. */
  close(): Promise<void>;
}

/** Starts all parts, or stops them again. Resolves when the API answers and the agent is online or failed once. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const started: (() => Promise<void> | void)[] = [];
  async function close(): Promise<void> {
    for (let stop = started.pop(); stop !== undefined; stop = started.pop()) await stop();
  }
  let closing: Promise<void> | null = null;
  const closeOnce = () => (closing ??= close());
  try {
    const parts = await startParts(options, (stop) => {
      started.push(stop);
      options.signal?.throwIfAborted();
    });
    return { ...parts, close: closeOnce, [Symbol.asyncDispose]: closeOnce };
  } catch (error) {
    await closeOnce();
    throw error;
  }
}

async function startParts(
  {
    config,
    log,
    onStep = () => {},
    agentCertificatesHoldMs,
    ackWithinMs,
    consoleFolder = CONSOLE_FOLDER,
  }: SystemOptions,
  onStop: (stop: () => Promise<void> | void) => void,
): Promise<Omit<System, 'close' | typeof Symbol.asyncDispose>> {
  const agent = agentId(HOME, 'main');

  const data = await openDataFolder(config.dataFolder);
  onStop(() => data.release());
  onStep('data', data.path);

  let hooks: TaskQueue<HookTask> | null = null;
  const hookQueue: TaskQueue<HookTask> = { send: async (task, notBefore) => hooks?.send(task, notBefore) };
  const database = await openDatabase(data, config, log);
  onStop(() => database.stop());
  onStep('database', database.where);

  const { restoredAt, hasAuthority: hadOne } = await readState(data);
  const options = { agentsHoldMs: agentCertificatesHoldMs, hadOne };
  const authority = await openCertificateAuthority(data.authority, namesOfHost(config.host), options);

  /** Listens only when the service can store messages; before, no agent is connected. */
  let broker: Broker | undefined;
  const listeningBroker = () => {
    if (broker === undefined) throw new Error('the broker does not listen yet');
    return broker;
  };
  const urlForAgents = () => `mqtts://${hostInUrl(addressForAgents(config.host))}:${listeningBroker().port}`;
  /** Whether the service would send the agent a command: it is connected, and its presence is stored. */
  const isAgentOnline = async () => {
    if (!broker?.isConnected(clientIdOf(LOCAL_STAGE, agent))) return false;
    return (await context.sites.agents(HOME)).some(({ id, state }) => id === agent && state === 'online');
  };
  let runs: RunQueue | null = null;
  /** Null until it listens. */
  let server: HttpServer | null = null;
  const mail = config.mail === null ? null : openMailer(config.mail);
  const context: Context = openContext({
    counters: openCounters(),
    version: packageJson.version,
    privateHooks: config.hooksAllowPrivate,
    corsOrigins: config.corsOrigins,
    tokenRequestsPerMinute: config.tokenRequestsPerMinute,
    longestWaitS: config.longestWaitS,
    hosts: config.allowedHosts,
    ...(mail === null ? {} : { mail }),
    ...(config.signIn === null ? {} : { signIn: config.signIn }),
    ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
    addresses: () => (server === null ? [] : urlsForOthers(config.host, server.port)),
    ...(restoredAt === null ? {} : { restoredAt }),
    async isReady() {
      if (!(await isAgentOnline()) && !(await isDeleted(context, agent)))
        throw new ServiceError('unavailable', 'The local agent is not connected; its log has the reason');
      if (database.isEmbedded) requireRoom(await spaceAt(data.path));
    },
    releases: openReleaseFolder(config.releasesFolder ?? RELEASES_FOLDER, log),
    table: wakingHooks(database.table, hookQueue, () => new Date(), log),
    broker: {
      stage: LOCAL_STAGE,
      dial: () => ({ stream: listeningBroker().connectFunctions() }),
      ...(ackWithinMs === undefined ? {} : { ackWithinMs }),
    },
    registry: localAgentRegistry(authority, LOCAL_STAGE, {
      get url() {
        return urlForAgents();
      },
      disconnect: (client) => broker?.disconnect(client),
      publish: async (topic, payload) => broker?.publish(topic, payload),
    }),
    hookQueue,
    runQueue: { send: async (task, notBefore) => runs?.send(task, notBefore) },
    log,
  });
  onStop(() => closeContext(context));
  await context.sites.resetPresence(); // Agents report their presence when they reconnect.
  const token = await rootToken(data, config.apiToken);
  await provideAccess(context, data, token.token);
  const discovery = await provideDiscovery(context, config.discover);

  const { ingest, stopping } = untilStop(openIngest(context, log));
  const connections = connectionLimits();
  if (connections.warning !== null) onStep('WARNING', connections.warning);
  const brokerOptions = {
    authority,
    host: config.host,
    ingest: { [LOCAL_STAGE]: ingest },
    rates: LOCAL_RATES,
    maxConnections: connections.broker,
    log,
  };
  broker = await listenForAgents(config, data, brokerOptions);
  onStop(() => listeningBroker().close()); // Stops first, so that the rest can still store the last messages of agents.
  const { port } = broker;
  const isSecondChoice = config.mqttPort === null && port !== MQTTS_PORT;
  onStep(
    'broker',
    `MQTT with TLS on ${hostInUrl(config.host)}:${port}${isSecondChoice ? `, because ${MQTTS_PORT} is in use` : ''}`,
  );

  if (database.isEmbedded) onStop(watchDiskSpace(data.path, log));

  const hookSettings = {
    allowPrivate: config.hooksAllowPrivate,
    console: consoleForOthers(config),
    ...(mail && { mail }),
  };
  const workers = [hookWorker(context, hookSettings, log), runWorker(context, log)] as const;
  [hooks, runs] = workers;
  for (const worker of workers) {
    worker.start();
    onStop(() => worker.close());
  }
  onStop(startUpkeep(context, log));

  const routes = Object.values(groups).flatMap((group) => Object.values(group.routes));
  const { snapshot } = database;
  const backup = backupRoutes({ data, snapshot, version: packageJson.version, broker: urlForAgents });
  const files = { openApiFile: OPENAPI_DOCUMENT, consoleFolder };
  const app = service(Object.assign(context, files), ...routes, docsRoutes, backup);
  const warn = rateLimitedWarnings(log);
  const listening = await listenForRequests(app.fetch, config, {
    maxConnections: connections.http,
    isProxy: (address) => isTrusted(address, config.trustedProxies),
    onProblem: (error) => warn('API', { err: error }, 'cannot accept connections'),
  });
  server = listening;
  const url = `http://${hostInUrl(dialAddress(config.host))}:${listening.port}`;
  onStop(() => listening.close());
  onStep('API', url);

  const hasHome = (await context.sites.find(HOME)) !== null; // A person may have deleted it, and may restore it later.
  const isGone = await isDeleted(context, agent);
  const agentProcess = await startLocalAgent({
    id: agent,
    program: AGENT_PROGRAM,
    folder: data.agent(agent),
    apiUrl: url,
    brokerUrl: `mqtts://${hostInUrl(dialAddress(config.host))}:${port}`,
    config,
    setpriv: findProgram('setpriv', config.childEnvironment.PATH ?? ''),
    log,
    isInOrder: (certificate) => authority.isInOrder(certificate),
    isKnown: async () => (await context.sites.agents(HOME)).some(({ id }) => id === agent),
    mayEnrol: hasHome && !isGone,
    enrolmentCode: async () =>
      (await context.enrolments.create({ site: siteOfAgent(agent), agent, replace: true })).code,
    // A start does not wait for an agent that the service rejects.
    isOnline: async () => !hasHome || isGone || (await isAgentOnline()),
  });
  onStop(() => agentProcess.stop());
  onStop(stopping);
  const complaint = agentProcess.outputTail().split('\n').at(-1);
  onStep('agent', `${agent}, ${agentProcess.isReady ? 'online' : `not connected, retrying. ${complaint}`}`);
  // Opens our own connection to the broker, so that the first command does not wait for it.
  await context.agents.ping().catch((error) => log.warn({ err: error }, 'the embedded broker does not answer yet'));

  return {
    url,
    token,
    site: HOME,
    agent,
    dataFolder: data.path,
    discovery,
    isAgentOnline,
    parts: {
      agent: agentProcess,
      get broker() {
        return listeningBroker();
      },
      async restartBroker() {
        await listeningBroker().close();
        broker = await startBroker({ ...brokerOptions, port });
      },
      context,
    },
  };
}

/** The broker on the configured port, else that of the last start, which agents stored, the default or a free one. */
async function listenForAgents({ mqttPort }: LocalConfig, data: DataFolder, options: Omit<BrokerOptions, 'port'>) {
  if (mqttPort !== null) {
    return startBroker({ ...options, port: mqttPort }).catch((error: Error) => {
      throw cannotListen('the broker', 'MQTT_PORT', mqttPort, error);
    });
  }
  const ports = [(await readState(data)).mqttPort ?? MQTTS_PORT, MQTTS_PORT, 0];
  for (const port of new Set(ports)) {
    try {
      const broker = await startBroker({ ...options, port });
      await changeState(data, { mqttPort: broker.port, hasAuthority: true });
      return broker;
    } catch (error) {
      if (port === 0 || !['EADDRINUSE', 'EACCES'].includes(codeOf(error))) {
        throw cannotListen('the broker', 'MQTT_PORT', port, error as Error);
      }
    }
  }
  throw new Error('unreachable, because the last candidate is a free port');
}

function listenForRequests(
  fetch: (request: Request, env: object) => Response | Promise<Response>,
  config: LocalConfig,
  options: Parameters<typeof startHttpServer>[3],
) {
  const answer = (request: Request, env: object) =>
    fetch(request, { ...env, clientAddress: clientAddress((env as HttpBindings).incoming, config.trustedProxies) });
  return startHttpServer(answer, config.host, config.port, options).catch((error: Error) => {
    throw cannotListen('the API', 'PORT', config.port, error);
  });
}

function cannotListen(part: string, variable: string, port: number, error: Error): Error {
  const reason = codeOf(error) === 'EADDRINUSE' ? `port ${port} is in use` : error.message;
  return new Error(`Cannot start ${part}: ${reason}. Set ${variable} or HOST to something else`, { cause: error });
}
