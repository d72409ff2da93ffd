import { expect } from 'vitest';
import { writeIdentity } from '../../agent/identity/identity.ts';
import { amazonRoots } from '../../functions/sites/agents/iot-core-registry.ts';
import { type EnrolledAgent, enrolAgent, startRealAgent } from '../support/enrolled-agent.ts';
import type { Cloud } from './cloud.ts';

/** Enrols an agent, which trusts Amazon; that another authority knows this broker is put right in its folder. */
export async function enrolInCloud(cloud: Cloud, site: string, name: string): Promise<EnrolledAgent> {
  const enrolled = await enrolAgent(cloud, site, name);
  expect(enrolled.identity.authority).toBe(amazonRoots());
  const identity = { ...enrolled.identity, authority: cloud.brokerAuthority };
  await writeIdentity(enrolled.folder, identity);
  return { ...enrolled, identity };
}

/** An agent on this host. Returns when the cloud counts it as online. */
export async function startCloudAgent(
  cloud: Cloud,
  site: string,
  name: string,
  policy: object = {},
): Promise<AsyncDisposable> {
  const enrolled = await enrolInCloud(cloud, site, name);
  const agent = await startRealAgent(cloud, enrolled, cloud.brokerPort, policy);
  return {
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await enrolled[Symbol.asyncDispose]();
    },
  };
}
