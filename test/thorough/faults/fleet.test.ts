/** A thousand agents that lose IoT Core at one moment, in a region with small quotas: all come back, and are heard. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pLimit from 'p-limit';
import pino from 'pino';
import { expect, test } from 'vitest';
import { STATE } from '../../../agent/state/layout.ts';
import { startBroker } from '../../../local/broker.ts';
import { openCertificateAuthority } from '../../../local/certificate-authority.ts';
import { type BrokerRates, IOT_CORE_RATES } from '../../../local/connection-rate.ts';
import { ConnectionEvent, Presence } from '../../../shared/agent/messages.ts';
import { type AgentId, clientIdOf, LOCAL_STAGE } from '../../../shared/identity.ts';
import { makeAgentKey } from '../../agent-key.ts';
import { bundleProgram } from '../../support/bundle-program.ts';
import { makeTestFolder } from '../../support/test-folder.ts';
import type { CrowdNews, CrowdSettings } from './crowd-main.ts';

const FLEET = 1_000;
const PROCESSES = 2;
const SMALL_REGION: BrokerRates = { ...IOT_CORE_RATES, connects: 100 };
/** From the moment at which IoT Core is there again. */
const BACK_WITHIN_MS = 300_000;

test(`${FLEET} agents come back at once under the quotas of IoT Core: all are online within five minutes, and no message is lost`, {
  timeout: 900_000,
}, async () => {
  const temporary = makeTestFolder();
  const authority = await openCertificateAuthority(join(temporary.path, 'ca'), ['127.0.0.1']);
  /** What ingest would have stored: the newest session of each agent that said it is there, and that ended. */
  const online = new Map<AgentId, number>();
  const connections = new Map<AgentId, ConnectionEvent['eventType']>();
  let refused = 0;
  const start = (port: number) =>
    startBroker({
      authority,
      host: '127.0.0.1',
      port,
      rates: SMALL_REGION,
      handshakesPerAddress: FLEET, // IoT Core has no such bound, and here all have one address.
      log: pino({ level: 'info' }, { write: (line) => void (line.includes('too many attempts') && refused++) }),
      ingest: {
        [LOCAL_STAGE]: {
          result: async () => {},
          sightings: async () => {},
          presence: async (agent, payload) => {
            const { state, session } = Presence.parse(JSON.parse(Buffer.from(payload).toString()));
            if (state === 'online') online.set(agent, session);
            else if (online.get(agent) === session) online.delete(agent);
          },
          connection: async (agent, payload) => {
            connections.set(agent, ConnectionEvent.parse(JSON.parse(Buffer.from(payload).toString())).eventType);
          },
        },
      },
    });
  let broker = await start(0);
  const children: ChildProcess[] = [];
  const up = new Map<ChildProcess, number>();
  const total = () => [...up.values()].reduce((sum, count) => sum + count, 0);
  try {
    const limit = pLimit(8);
    const folders = await Promise.all(
      Array.from({ length: FLEET }, (_, i) =>
        limit(async () => {
          const agent = `site-${i}:main`;
          const { key, csr } = await makeAgentKey();
          const { certificate } = await authority.issue(clientIdOf(LOCAL_STAGE, agent), csr);
          const broker = 'mqtts://127.0.0.1:8883'; // The crowd is told another port.
          const current = { broker, key, certificate, authority: authority.certificate };
          const folder = join(temporary.path, `agent-${i}`);
          await mkdir(folder, { mode: 0o700 });
          const identity = JSON.stringify({ agent, stage: LOCAL_STAGE, api: null, current, next: null });
          await writeFile(join(folder, STATE.identity), identity, { mode: 0o600 });
          return folder;
        }),
      ),
    );
    const program = await bundleProgram(join(import.meta.dirname, 'crowd-main.ts'), temporary.path);
    for (let p = 0; p < PROCESSES; p++) {
      const settings: CrowdSettings = {
        folders: folders.filter((_, i) => i % PROCESSES === p),
        brokerPort: broker.port,
      };
      const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      children.push(child);
      up.set(child, 0);
      createInterface({ input: child.stdout }).on('line', (line) => {
        const told: CrowdNews = JSON.parse(line);
        if (told.event === 'up') up.set(child, told.count);
      });
    }
    const isBack = () => total() === FLEET && online.size === FLEET;
    await expect.poll(isBack, { timeout: BACK_WITHIN_MS, interval: 250 }).toBe(true);

    const { port } = broker;
    await broker.close();
    await expect.poll(total, { timeout: 60_000 }).toBe(0);
    expect([...connections.values()]).toEqual(Array(FLEET).fill('disconnected'));
    online.clear();
    broker = await start(port);
    await expect.poll(isBack, { timeout: BACK_WITHIN_MS, interval: 250 }).toBe(true);
    expect([...connections.values()]).toEqual(Array(FLEET).fill('connected'));

    // Nobody tries any more: what told of refused attempts falls silent.
    const refusedBefore = refused;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect([refused - refusedBefore, total()]).toEqual([0, FLEET]);
  } finally {
    for (const child of children) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    await broker.close();
    await temporary.remove();
  }
});
