/** The API in this process, over a table and a broker in memory: without TLS, sockets and the rules of the broker. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHomeSite, rootTokenRow } from '../../functions/access/first-access.ts';
import type { RunQueue } from '../../functions/commands/runs/task.ts';
import { type Context, closeContext, openContext } from '../../functions/context.ts';
import { groups } from '../../functions/groups/list.ts';
import type { HookTask } from '../../functions/hooks/tasks.ts';
import { wakingHooks } from '../../functions/hooks/wake.ts';
import { service } from '../../functions/http/service.ts';
import { makeToken, tokenId } from '../../functions/http/token.ts';
import { openReleaseFolder } from '../../functions/sites/agents/releases/folder-source.ts';
import type { ReleaseSource } from '../../functions/sites/agents/releases/release-source.ts';
import { localAgentRegistry, openCertificateAuthority } from '../../local/certificate-authority.ts';
import { openCounters } from '../../local/counters.ts';
import { docsRoutes } from '../../local/docs-page.ts';
import { startHttpServer } from '../../local/http-server.ts';
import { createIngestQueue } from '../../local/ingest-queue.ts';
import type { Worker } from '../../local/worker.ts';
import type { ConnectionEvent } from '../../shared/agent/messages.ts';
import { sourceOf, topics } from '../../shared/agent/topics.ts';
import { DEVICE_FIELDS } from '../../shared/device.ts';
import { LOCAL_STAGE } from '../../shared/identity.ts';
import { type ApiClient, openApiClient } from '../api-client.ts';
import { PATIENT_ACK_MS } from '../test-system.ts';
import { hookWorker, openIngest, runWorker } from './background-work.ts';
import { type Fixtures, fixturesOf, keptLog, type LogLine } from './fixtures.ts';
import { type MemoryBroker, startMemoryBroker } from './memory-broker.ts';
import { openMemoryTable } from './memory-table.ts';
import { asFunction, functionFor, judgedQueue, judgedTable } from './table-rights.ts';
import { makeTestFolder } from './test-folder.ts';

const BASE_URL = 'http://localhost';
const OPENAPI_DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'openapi.json');
/** Those in English; all languages have the same keys. */
const MESSAGES = join(import.meta.dirname, '..', '..', 'console', 'messages', 'en.json');
const DRAIN_WITHIN_MS = 60_000;
const QUEUED_MS = 20;

export interface TestApi extends ApiClient, Fixtures, AsyncDisposable {
  /** Its table may be changed by a test: see `aroundCalls`. */
  context: Context;
  broker: MemoryBroker;
  /** Answers a request as `fetch` would, for clients that are given one. */
  service(request: Request): Promise<Response>;
  /** Where agents connect to. */
  dialBroker: MemoryBroker['dial'];
  /** Every line that was logged, at level info and above. */
  logged: LogLine[];
  close(): Promise<void>;
}

export interface TestApiOptions extends Partial<Context['settings']>, Partial<Pick<Context, 'mail'>> {
  /** Default: as long as a request may be started at all. */
  ackWithinMs?: number;
  /** Whether hooks are served, as `npm start` does it. Default: no, so that nothing happens but what a test does. */
  delivers?: boolean;
  /** Folder of the built console. Default: one that is not there. */
  consoleFolder?: string;
  /** The release of the agent that it hands out. */
  releases?: ReleaseSource;
  /** Folder with a release of the agent. Default: none is handed out. */
  releasesFolder?: string;
  /** Whether it answers on a TCP port of loopback, for programs and for requests that `fetch` would put right. */
  listens?: boolean;
}

export async function startTestApi({
  ackWithinMs = PATIENT_ACK_MS,
  consoleFolder = '/nonexistent',
  delivers = false,
  releasesFolder,
  listens = false,
  releases,
  ...settings
}: TestApiOptions = {}): Promise<TestApi> {
  const { log, logged } = keptLog();
  const folder = makeTestFolder();
  const authority = await openCertificateAuthority(join(folder.path, 'ca'), ['127.0.0.1']);

  const store = (topic: string, payload: Buffer) => {
    const source = sourceOf(topic);
    if (source !== null && source.kind !== 'reply') queue.add(source.kind, source.agent, payload);
  };
  const connections = new Map<string, Pick<ConnectionEvent, 'versionNumber'> & { sessionIdentifier: string }>();
  let lastInstant = 0;
  const broker = await startMemoryBroker({
    onPublish: store,
    onConnection(eventType, clientId) {
      lastInstant = Math.max(Date.now(), lastInstant + 1);
      const begun = { versionNumber: lastInstant, sessionIdentifier: randomUUID() };
      const connection = eventType === 'connected' ? begun : (connections.get(clientId) ?? begun);
      connections.set(clientId, connection);
      const reason = eventType === 'connected' ? {} : { disconnectReason: 'CONNECTION_LOST' };
      const event = { clientId, eventType, timestamp: lastInstant, ...connection, ...reason };
      store(topics.connection(eventType, clientId), Buffer.from(JSON.stringify(event)));
    },
  });
  let runs: RunQueue | null = null;
  let hooks: Worker<HookTask> | null = null;
  const table = judgedTable(openMemoryTable());
  const hookQueue = judgedQueue<HookTask>({ send: async (task, notBefore) => hooks?.send(task, notBefore) });
  const opened = openContext({
    hookQueue,
    // As through a queue, the task arrives after the row that is written behind it, or it would come again a second later.
    runQueue: judgedQueue({
      send: async (task, notBefore) => {
        runs?.send(task, new Date(Math.max(notBefore.getTime(), Date.now() + QUEUED_MS)));
      },
    }),
    version: '0.0.0-test',
    corsOrigins: [],
    counters: openCounters(),
    ...settings,
    ...(releases === undefined ? {} : { releases }),
    ...(releasesFolder === undefined ? {} : { releases: openReleaseFolder(releasesFolder, log) }),
    table: wakingHooks(table, hookQueue, () => new Date(), log),
    broker: { stage: LOCAL_STAGE, dial: broker.dial, ackWithinMs },
    registry: localAgentRegistry(authority, LOCAL_STAGE, {
      url: 'mqtts://memory.invalid:8883',
      disconnect: (client) => broker.disconnect(client),
      publish: (topic, payload) => broker.publish(topic, Buffer.from(payload)),
    }),
    log,
  });
  const runner = runWorker(opened, log);
  runs = runner;
  runner.start();
  if (delivers) {
    hooks = hookWorker(opened, { allowPrivate: settings.privateHooks === true }, log);
    hooks.start();
  }
  // One object for all, so that a test can stand between its parts.
  const audit = withTexts(opened.audit);
  const context = Object.assign(opened, { openApiFile: OPENAPI_DOCUMENT, consoleFolder, audit });
  const queue = createIngestQueue(openIngest(context, log), log);
  const routes = Object.values(groups).flatMap((group) => Object.values(group.routes));
  const app = service(context, ...routes, docsRoutes);
  const token = makeToken();
  await createHomeSite(context);
  await context.tokens.add(tokenId(token)!, rootTokenRow(token, 'test', new Date()));

  const ask = async (request: Request, env: object = {}) => {
    // The last address that proxies name, as behind one that is trusted.
    const clientAddress = request.headers.get('x-forwarded-for')?.split(', ').at(-1) ?? '127.0.0.1';
    return asFunction(functionFor(new URL(request.url).pathname), () => app.fetch(request, { ...env, clientAddress }));
  };
  const receive = async (request: Request) => {
    const { host, pathname } = new URL(request.url);
    request.headers.set('host', host);
    const answer = await ask(request);
    // What is read as the answer is.
    return asFunction(functionFor(pathname), () => asReceived(answer, request.signal));
  };
  const server = listens ? await startHttpServer(ask, '127.0.0.1', 0) : null;
  const client: ApiClient =
    server === null
      ? {
          ...openApiClient(BASE_URL, token, receive),
          async rawGet(path, headers) {
            const authorization = `Bearer ${token}`;
            const answer = await ask(new Request(BASE_URL + path, { headers: { authorization, ...headers } }));
            return { headers: Object.fromEntries(answer.headers), body: Buffer.from(await answer.arrayBuffer()) };
          },
        }
      : openApiClient(`http://127.0.0.1:${server.port}`, token);

  async function close(): Promise<void> {
    await server?.close();
    await Promise.all([runner.close(), hooks?.close()]);
    await queue.drain(DRAIN_WITHIN_MS);
    await closeContext(context);
    await broker[Symbol.asyncDispose]();
    await folder.remove();
  }

  return {
    ...client,
    ...fixturesOf(client, logged),
    context,
    broker,
    service: receive,
    dialBroker: broker.dial,
    logged,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const words = (JSON.parse(readFileSync(MESSAGES, 'utf8')) as Record<'audit', Record<'actions' | 'details', object>>)
  .audit;

/** Rejects what the console could not put into words: an action, or the name of a detail. */
function withTexts(audit: Context['audit']): Context['audit'] {
  return {
    ...audit,
    async record(entry) {
      const names = [...Object.keys(entry.detail), ...Object.keys(entry.changes ?? {})];
      const unknown = names.filter(
        (name) => !Object.hasOwn(words.details, name) && !(DEVICE_FIELDS as readonly string[]).includes(name),
      );
      if (!Object.hasOwn(words.actions, entry.action)) unknown.push(entry.action);
      if (unknown.length > 0) throw new Error(`console/messages: the section audit lacks ${unknown.join(', ')}`);
      await audit.record(entry);
    },
  };
}

/** As `fetch` has it: decompressed, and with an end when the caller goes away. */
function asReceived(answer: Response, signal: AbortSignal): Response {
  if (answer.body === null) return answer;
  const received = new TransformStream<Uint8Array, Uint8Array>();
  answer.body.pipeTo(received.writable, { signal }).catch(() => {}); // The reader has the error, too.
  const isCompressed = answer.headers.get('content-encoding') === 'gzip';
  const body = isCompressed ? received.readable.pipeThrough(new DecompressionStream('gzip')) : received.readable;
  return new Response(body, answer);
}
