/** Agents of the cloud of these tests: the agent's own program, enrolled through the built function. */
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import { writeIdentity } from '../../agent/identity/identity.ts';
import { amazonRoots } from '../../api/access/iot-core-registry.ts';
import type { Lab } from '../lab/lab.ts';
import { becomes, type EnrolledAgent, enrolAgent, startRealAgent } from '../support/enrolled-agent.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { Cloud } from './cloud.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'agent.js');
const RELAY = join(import.meta.dirname, 'lab-relay.mjs');
const RELAY_PORT = 8883;

/**
 * Enrols an agent. It is told to trust Amazon's authorities, as it must be; that the broker of these tests is known by
 * another one is put right in its folder.
 */
export async function enrolInCloud(cloud: Cloud, site: string, name: string): Promise<EnrolledAgent> {
  const enrolled = await enrolAgent(cloud, site, name);
  expect(enrolled.identity.authority).toBe(amazonRoots());
  const identity = { ...enrolled.identity, authority: cloud.brokerAuthority };
  await writeIdentity(enrolled.folder, identity);
  return { ...enrolled, identity };
}

/** An agent on this host. Returns when the cloud counts it as online. */
export async function startCloudAgent(cloud: Cloud, site: string, name: string): Promise<AsyncDisposable> {
  const enrolled = await enrolInCloud(cloud, site, name);
  const agent = await startRealAgent(cloud, enrolled, cloud.brokerPort);
  return {
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await enrolled[Symbol.asyncDispose]();
    },
  };
}

/** An agent on the agent's host of the lab, from where a socket in the file system leads to the broker. */
export async function startLabAgent(cloud: Cloud, lab: Lab, site: string): Promise<AsyncDisposable> {
  const path = join(lab.folder, 'broker.sock');
  const outside = await startTcpProxy(() => cloud.brokerPort, path);
  const relay = await lab.run([process.execPath, RELAY, String(RELAY_PORT), path]);
  await once(relay.stdout, 'data');
  const enrolled = await enrolInCloud(cloud, site, 'main');
  const agent = await lab.run([process.execPath, '--no-warnings', PROGRAM], {
    env: {
      LANREACH_AGENT_DATA: enrolled.folder,
      LANREACH_BROKER: `mqtts://127.0.0.1:${RELAY_PORT}`,
      INTERNET_INFO_URL: `${lab.truth.INTERNET.info}/good`,
      SPEEDTEST_SERVER: lab.truth.INTERNET.speedtest,
    },
  });
  for (const stream of [agent.stdout, agent.stderr]) stream.resume();
  await becomes(cloud, enrolled.id, 'online');
  return {
    async [Symbol.asyncDispose]() {
      await agent.kill('SIGKILL');
      await relay.kill('SIGKILL');
      await outside[Symbol.asyncDispose]();
      await enrolled[Symbol.asyncDispose]();
    },
  };
}
