/**
 * Makes the agents of a deployment known in the IoT Core of another region, where its standby waits: certificates are kept
 * by region. It may be stopped at any point and run again: a certificate is activated there last, and one that is active is
 * complete. Those of agents that were revoked or renewed since are switched off.
 */
import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
  CreateThingCommand,
  DescribeCertificateCommand,
  type IoTClient,
  ListThingPrincipalsCommand,
  paginateListThings,
  RegisterCertificateWithoutCACommand,
  ResourceAlreadyExistsException,
  ResourceNotFoundException,
  UpdateCertificateCommand,
} from '@aws-sdk/client-iot';
import { type AgentId, clientIdOf, readClientId, type Stage } from '../shared/identity.ts';
import { certificateIds } from '../store/access/agent-row.ts';
import type { Stores } from '../store/stores.ts';

export interface Registration {
  stores: Pick<Stores, 'sites' | 'certificates'>;
  stage: Stage;
  /** Where the certificates were issued, and where they are to be known. */
  from: Pick<IoTClient, 'send'>;
  to: IoTClient;
  /** The policy of agents there. */
  policy: string;
  /** Waits before each call of the other region, whose quotas allow about ten a second of each kind. */
  pace(): Promise<void>;
  say(line: string): void;
}

export interface Registered {
  agents: number;
  added: number;
  switchedOff: number;
  /** Agents with a certificate that could not be registered, each with the reason. */
  failed: { agent: AgentId; reason: string }[];
}

/** @throws {Error} when the table has no agents: with the wrong one, all that is there would be switched off */
export async function registerCertificates(registration: Registration): Promise<Registered> {
  const { stores, stage, say } = registration;
  const wanted = new Map<AgentId, string[]>();
  for (const { id } of await stores.sites.list()) {
    for (const agent of await stores.sites.agents(id)) {
      const certificates = await stores.certificates.find(agent.id);
      if (certificates !== null) wanted.set(agent.id, certificateIds(certificates));
    }
  }
  if (wanted.size === 0) throw new Error('The table has no enrolled agents; is it that of the deployment?');
  const result: Registered = { agents: wanted.size, added: 0, switchedOff: 0, failed: [] };
  for (const [agent, ids] of wanted) {
    for (const id of ids) {
      try {
        if (await register(registration, agent, id)) result.added++;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        result.failed.push({ agent, reason });
        say(`${agent}: ${reason}`);
      }
    }
  }
  for await (const page of paginateListThings({ client: registration.to }, { maxResults: 100 })) {
    for (const { thingName = '' } of page.things ?? []) {
      const identity = readClientId(thingName);
      if (identity === null || identity.stage !== stage) continue;
      result.switchedOff += await switchOffOthers(registration, thingName, wanted.get(identity.agent) ?? []);
    }
  }
  return result;
}

/** @returns whether anything was left to do */
async function register(registration: Registration, agent: AgentId, certificateId: string): Promise<boolean> {
  const { stage, from, to, policy, pace } = registration;
  await pace();
  const there = await describe(to, certificateId);
  if (there?.status === 'ACTIVE') return false;
  const thingName = clientIdOf(stage, agent);
  let principal = there?.certificateArn;
  if (principal === undefined) {
    const known = await describe(from, certificateId);
    if (known?.certificatePem === undefined || known.status !== 'ACTIVE')
      throw new Error(`its certificate ${certificateId.slice(0, 12)} is not active in the first region`);
    const command = { certificatePem: known.certificatePem, status: 'INACTIVE' as const };
    const made = await to.send(new RegisterCertificateWithoutCACommand(command));
    // Revocation names a certificate by the id that the table has.
    if (made.certificateId !== certificateId)
      throw new Error(`the other region names its certificate ${made.certificateId}, and not ${certificateId}`);
    principal = made.certificateArn;
  }
  await to.send(new CreateThingCommand({ thingName })).catch((error: unknown) => {
    if (!(error instanceof ResourceAlreadyExistsException)) throw error;
  });
  await to.send(new AttachThingPrincipalCommand({ thingName, principal, thingPrincipalType: 'EXCLUSIVE_THING' }));
  await to.send(new AttachPolicyCommand({ policyName: policy, target: principal }));
  await to.send(new UpdateCertificateCommand({ certificateId, newStatus: 'ACTIVE' }));
  return true;
}

async function switchOffOthers({ to, pace }: Registration, thingName: string, wanted: readonly string[]) {
  await pace();
  const { principals = [] } = await to.send(new ListThingPrincipalsCommand({ thingName }));
  let switchedOff = 0;
  for (const certificateId of principals.flatMap((arn) => /:cert\/([0-9a-f]+)$/.exec(arn)?.[1] ?? [])) {
    if (wanted.includes(certificateId)) continue;
    if ((await describe(to, certificateId))?.status !== 'ACTIVE') continue;
    await to.send(new UpdateCertificateCommand({ certificateId, newStatus: 'INACTIVE' }));
    switchedOff++;
  }
  return switchedOff;
}

async function describe(iot: Pick<IoTClient, 'send'>, certificateId: string) {
  try {
    return (await iot.send(new DescribeCertificateCommand({ certificateId }))).certificateDescription ?? null;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
    throw error;
  }
}
