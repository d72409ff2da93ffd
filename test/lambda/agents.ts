import { expect } from 'vitest';
import { writeIdentity } from '../../agent/identity/identity.ts';
import { amazonRoots } from '../../functions/sites/agents/iot-core-registry.ts';
import { type EnrolledAgent, enrolAgent, obeying, startRealAgent, startStandIn } from '../support/enrolled-agent.ts';
import { CLIENT_ID, type HostileProvider, startHostileProvider } from '../support/hostile-provider.ts';
import { type Cloud, startCloud } from './cloud.ts';

/** Enrols an agent, which trusts Amazon; that another authority knows this broker is put right in its folder. */
export async function enrolInCloud(cloud: Cloud, site: string, name: string): Promise<EnrolledAgent> {
  const enrolled = await enrolAgent(cloud, site, name);
  expect(enrolled.identity.authority).toBe(amazonRoots());
  const identity = { ...enrolled.identity, authority: cloud.brokerAuthority };
  await writeIdentity(enrolled.folder, identity);
  return { ...enrolled, identity };
}

/** An agent on this host. Returns when the cloud counts it as online. */
export async function startCloudAgent(cloud: Cloud, site: string, name: string, policy = {}): Promise<AsyncDisposable> {
  const enrolled = await enrolInCloud(cloud, site, name);
  return ending(await startRealAgent(cloud, enrolled, cloud.brokerPort, policy), enrolled);
}

/** In its place a connection that takes every command, and says that it has succeeded. */
export async function startObedientCloudAgent(cloud: Cloud, site: string, name: string): Promise<AsyncDisposable> {
  const enrolled = await enrolInCloud(cloud, site, name);
  return ending(obeying(await startStandIn(cloud, enrolled)), enrolled);
}

const ending = (...all: AsyncDisposable[]): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    for (const one of all) await one[Symbol.asyncDispose]();
  },
});

/** A cloud in which everybody may sign in as a viewer, at a provider of its own. */
export async function startWholeCloud(): Promise<{ cloud: Cloud; provider: HostileProvider } & AsyncDisposable> {
  const provider = await startHostileProvider();
  const rules = [{ claim: 'sub', value: '*', role: 'viewer', sites: '*' }] as const;
  const environment = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_ROLES: JSON.stringify(rules) };
  const cloud = await startCloud(environment);
  return { cloud, provider, ...ending(cloud, provider) };
}
