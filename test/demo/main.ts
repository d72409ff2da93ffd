/** `npm run demo`: the console with a made-up home and office, in memory, without an agent, and read-only. */
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { createHomeSite, rootTokenRow } from '../../functions/access/first-access.ts';
import { closeContext, openContext } from '../../functions/context.ts';
import { groups } from '../../functions/groups/list.ts';
import { service } from '../../functions/http/service.ts';
import { makeToken, tokenId } from '../../functions/http/token.ts';
import type { AgentRegistry } from '../../functions/sites/agents/agent-registry.ts';
import { ConfigError, muteVersionNotice, readConfig } from '../../local/config.ts';
import { openCounters } from '../../local/counters.ts';
import { docsRoutes } from '../../local/docs-page.ts';
import { startHttpServer } from '../../local/http-server.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { LOCAL_STAGE } from '../../shared/identity.ts';
import { hostInUrl } from '../../shared/reachable-address.ts';
import { openApiClient } from '../api-client.ts';
import { fixturesOf } from '../support/fixtures.ts';
import { startMemoryBroker } from '../support/memory-broker.ts';
import { openMemoryTable } from '../support/memory-table.ts';
import { fillSystem } from './home-and-office.ts';
import { refusal } from './read-only.ts';

const DAYS = 60;
const CONSOLE_FOLDER = fileURLToPath(new URL('../dist/console', import.meta.url));
const OPENAPI_DOCUMENT = fileURLToPath(new URL('../docs/openapi.json', import.meta.url));

async function main(): Promise<void> {
  const { host, port } = readConfig();
  muteVersionNotice();
  const stop = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
  });
  process.stdout.write(`LanReach ${packageJson.version}, demonstration: making up ${DAYS} days …\n`);
  const log = pino({ level: 'error' });
  const broker = await startMemoryBroker();
  const never = async () => Promise.reject(new Error('The demonstration has no agents'));
  const registry: AgentRegistry = {
    ...{ enrol: never, retire: never, revoke: never, revokeAll: never, suspend: never, resume: never },
    isActive: async () => true,
    publish: async () => {},
  };
  const context = openContext({
    version: packageJson.version,
    corsOrigins: [],
    counters: openCounters(),
    table: openMemoryTable(),
    broker: { stage: LOCAL_STAGE, dial: broker.dial },
    hookQueue: { send: async () => {} },
    runQueue: { send: async () => {} },
    registry,
    log,
  });
  const token = makeToken();
  await createHomeSite(context);
  await context.tokens.add(tokenId(token) ?? '', rootTokenRow(token, 'Demonstration', new Date()));
  const files = { openApiFile: OPENAPI_DOCUMENT, consoleFolder: CONSOLE_FOLDER };
  const routes = Object.values(groups).flatMap((group) => Object.values(group.routes));
  const app = service(Object.assign(context, files), ...routes, docsRoutes);
  const client = openApiClient('http://localhost', token, async (request) => app.fetch(request, {}));
  await fillSystem({ ...client, ...fixturesOf(client, []), context }, [], DAYS);

  const server = await startHttpServer((request, env) => refusal(request) ?? app.fetch(request, env), host, port);
  const url = `http://${hostInUrl(host)}:${server.port}`;
  process.stdout.write(`\n  open      ${url}/console/#token=${token}\n\nNothing can be changed. Ctrl-C stops it.\n`);
  await stop;
  await server.close();
  await closeContext(context);
  await broker[Symbol.asyncDispose]();
}

main().then(
  () => process.exit(0),
  (error) => {
    const isForeseen = error instanceof ConfigError || (error as { code?: string }).code === 'EADDRINUSE';
    process.stderr.write(`Cannot start: ${isForeseen ? error.message : ((error as Error).stack ?? error)}\n`);
    process.exit(isForeseen ? 2 : 1);
  },
);
