import { readConfig } from '../local/config.ts';
import { type System, type SystemOptions, startSystem } from '../local/system.ts';
import { START_WITHIN_MS } from '../shared/agent/timing.ts';
import { type ApiClient, openApiClient } from './api-client.ts';
import { type Fixtures, fixturesOf, keptLog, type LogLine } from './support/fixtures.ts';
import { makeTestFolder } from './support/test-folder.ts';

export interface TestSystem extends ApiClient, Fixtures, AsyncDisposable {
  system: System;
  readonly context: System['parts']['context'];
  /** TCP port on which agents reach the broker. */
  readonly brokerPort: number;
  /** Every line that the system has logged, at level info and above. */
  logged: LogLine[];
  /** Ids of the newest jobs of site home, newest first. */
  newestJobs(count: number): Promise<string[]>;
  /** Stops the system, and removes its folder unless the test has made it. */
  close(): Promise<void>;
}

/** As long as a request may be started at all, so that a machine that stands still makes no agent count as silent. */
export const PATIENT_ACK_MS = START_WITHIN_MS - 1_000;

/**
 * @param environment variables of `npm start`, over those that tests need
 * @param options what only who starts the system in a program can choose
 */
export async function startTestSystem(
  environment: Record<string, string> = {},
  options: Pick<SystemOptions, 'ackWithinMs' | 'agentCertificatesHoldMs' | 'consoleFolder'> = {},
): Promise<TestSystem> {
  const own = environment.LANREACH_DATA === undefined ? makeTestFolder() : null;
  const folder = environment.LANREACH_DATA ?? own?.path;
  const config = readConfig({
    PATH: process.env.PATH,
    PORT: '0',
    MQTT_PORT: '0',
    LANREACH_DATA: folder,
    LANREACH_INSTALL: 'no',
    LANREACH_RELEASES: '/nonexistent', // Whatever was built here.
    TOKEN_REQUESTS_PER_MINUTE: 'off', // Tests make many requests with one token.
    ...environment,
  });
  const { log, logged } = keptLog();
  const system = await startSystem({ config, log, ackWithinMs: PATIENT_ACK_MS, ...options });
  const client = openApiClient(system.url, system.token.token);
  async function newestJobs(count: number): Promise<string[]> {
    const pages = system.parts.context.table.query('J#home', 'home.', { consistent: true, descending: true });
    const ids: string[] = [];
    for await (const page of pages) ids.push(...page.map(({ sk }) => sk).filter((id) => !id.includes('#')));
    return ids.slice(0, count);
  }

  async function close(): Promise<void> {
    await system.close();
    await own?.remove();
  }

  return {
    ...client,
    ...fixturesOf(client, logged),
    system,
    context: system.parts.context,
    get brokerPort() {
      return system.parts.broker.port;
    },
    logged,
    newestJobs,
    close,
    [Symbol.asyncDispose]: close,
  };
}
