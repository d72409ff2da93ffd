/**
 * Identities of agents in AWS IoT Core: a thing with the agent's client id as its name, and certificates attached only to it.
 * The permissions of all agents are in one policy that refers to the thing.
 *
 * A certificate is activated last, so that a failed enrolment leaves nothing usable behind.
 */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
  type CertificateStatus,
  CreateCertificateFromCsrCommand,
  CreateThingCommand,
  DeleteCertificateCommand,
  DeleteConflictException,
  DeleteThingCommand,
  DescribeCertificateCommand,
  DetachPolicyCommand,
  DetachThingPrincipalCommand,
  InvalidRequestException,
  IoTClient,
  ListThingPrincipalsCommand,
  ResourceAlreadyExistsException,
  ResourceNotFoundException,
  UpdateCertificateCommand,
} from '@aws-sdk/client-iot';
import {
  DeleteConnectionCommand,
  IoTDataPlaneClient,
  ResourceNotFoundException as NotConnectedException,
  PublishCommand,
} from '@aws-sdk/client-iot-data-plane';
import { topics } from '../../../shared/agent/topics.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { type AgentId, clientIdOf } from '../../../shared/identity.ts';
import type { Log } from '../../../shared/log.ts';
import type { Config } from '../../config.ts';
import { backOff } from '../../table/back-off.ts';
import { isOutage } from '../../table/outage.ts';
import type { AgentRegistry } from './agent-registry.ts';

interface Certificate {
  id: string;
  arn: string;
}

const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 4_000, throwOnRequestTimeout: true },
};
/** IoT Core reports a certificate as detached some seconds before it can be deleted. */
const DELETE_ATTEMPTS = 6;

export function openIotCoreRegistry(
  config: Pick<Config, 'stage' | 'agentPolicy' | 'agentBroker' | 'iotEndpoint'>,
  log: Log,
): AgentRegistry {
  const { stage, agentPolicy: policy, agentBroker: broker, iotEndpoint } = config;
  const iot = new IoTClient(LIMITS);
  const data = new IoTDataPlaneClient({ ...LIMITS, endpoint: `https://${iotEndpoint}` });
  /** Also the agent's MQTT client id. */
  const thingOf = (agent: AgentId) => clientIdOf(stage, agent);

  async function createThing(agent: AgentId): Promise<void> {
    try {
      await iot.send(new CreateThingCommand({ thingName: thingOf(agent) }));
    } catch (error) {
      // The thing exists, and an operator has added attributes.
      if (!(error instanceof ResourceAlreadyExistsException)) throw error;
    }
  }

  async function createCertificate(csrPem: string): Promise<Certificate & { pem: string }> {
    try {
      const command = new CreateCertificateFromCsrCommand({ certificateSigningRequest: csrPem, setAsActive: false });
      const { certificateId, certificateArn, certificatePem } = await iot.send(command);
      return { id: certificateId!, arn: certificateArn!, pem: certificatePem! };
    } catch (error) {
      if (!(error instanceof InvalidRequestException)) throw error;
      const message = `the certificate request is refused: ${error.message}`;
      throw new ServiceError('validation_failed', `csr: ${message}`, { fields: [{ path: 'csr', message }] });
    }
  }

  /** Deletes a certificate, and the agent's thing if that was the last one. */
  async function remove(agent: AgentId, certificate: Certificate | null): Promise<void> {
    if (certificate !== null) await detach(agent, certificate);
    await cleanUp(agent, certificate, [() => deleteUnusedThing(agent)]);
  }

  /** Detaches a certificate from its agent, and deletes it. */
  async function detach(agent: AgentId, certificate: Certificate): Promise<void> {
    await cleanUp(agent, certificate, [
      () => iot.send(new DetachPolicyCommand({ policyName: policy, target: certificate.arn })),
      () => iot.send(new DetachThingPrincipalCommand({ thingName: thingOf(agent), principal: certificate.arn })),
      () => deleteCertificate(certificate),
    ]);
  }

  async function cleanUp(agent: AgentId, certificate: Certificate | null, steps: (() => Promise<unknown>)[]) {
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        if (error instanceof ResourceNotFoundException) continue;
        // Harmless, because the certificate was deactivated first.
        const fields = { err: error, agentId: agent, certificateId: certificate?.id };
        log.warn(fields, 'cannot delete a certificate that has been deactivated');
      }
    }
  }

  async function deleteCertificate({ id }: Certificate): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await iot.send(new DeleteCertificateCommand({ certificateId: id, forceDelete: true }));
        return;
      } catch (error) {
        if (!(error instanceof DeleteConflictException) || attempt === DELETE_ATTEMPTS) throw error;
        await backOff(attempt + 2);
      }
    }
  }

  async function deleteUnusedThing(agent: AgentId): Promise<void> {
    const { principals = [] } = await iot.send(new ListThingPrincipalsCommand({ thingName: thingOf(agent) }));
    if (principals.length === 0) await iot.send(new DeleteThingCommand({ thingName: thingOf(agent) }));
  }

  async function cutConnection(agent: AgentId): Promise<void> {
    try {
      await data.send(new DeleteConnectionCommand({ clientId: thingOf(agent) }));
    } catch (error) {
      if (!(error instanceof NotConnectedException)) rethrow(error);
    }
  }

  return {
    async enrol(agent, csrPem, note) {
      const authority = amazonRoots();
      let certificate: (Certificate & { pem: string }) | null = null;
      try {
        await createThing(agent);
        certificate = await createCertificate(csrPem);
        const { id, arn, pem } = certificate;
        const only = { thingPrincipalType: 'EXCLUSIVE_THING' } as const;
        await iot.send(new AttachThingPrincipalCommand({ thingName: thingOf(agent), principal: arn, ...only }));
        await iot.send(new AttachPolicyCommand({ policyName: policy, target: arn }));
        await note?.({ certificateId: id, certificate: pem });
        await iot.send(new UpdateCertificateCommand({ certificateId: id, newStatus: 'ACTIVE' }));
        return { stage, certificate: pem, certificateId: id, authority, broker };
      } catch (error) {
        if (certificate !== null) await deactivate(certificate);
        await remove(agent, certificate);
        return rethrow(error);
      }
    },

    isActive: async (certificateId) => (await describe(certificateId))?.status === 'ACTIVE',

    async retire(agent, certificateId) {
      const known = await describe(certificateId);
      if (known === null) return;
      await setStatus(certificateId, 'INACTIVE');
      await detach(agent, known);
    },

    revoke: (agent, certificateId) => revoke(agent, [certificateId]),
    revokeAll: async (agent, certificateIds) => revoke(agent, [...certificateIds, ...(await attachedTo(agent))]),

    async suspend(agent, certificateIds) {
      await changeStatus([...certificateIds, ...(await attachedTo(agent))], 'ACTIVE', 'INACTIVE');
      await cutConnection(agent);
    },

    resume: (_agent, certificateIds) => changeStatus(certificateIds, 'INACTIVE', 'ACTIVE'),

    async publish(agent, message) {
      const payload = Buffer.from(JSON.stringify(message));
      await data.send(new PublishCommand({ topic: topics.control(thingOf(agent)), qos: 1, payload })).catch(rethrow);
    },
  };

  /** Revokes all certificates before the slow clean-up of the first, because a disconnected agent reconnects at once. */
  async function revoke(agent: AgentId, certificateIds: readonly string[]): Promise<void> {
    const known: Certificate[] = [];
    for (const certificateId of new Set(certificateIds)) {
      const certificate = await describe(certificateId);
      if (certificate === null) continue;
      known.push(certificate);
      await setStatus(certificateId, 'REVOKED');
    }
    // Without this, IoT Core takes minutes to end the connections of a revoked certificate.
    await cutConnection(agent);
    for (const certificate of known) await detach(agent, certificate);
    await remove(agent, null);
  }

  /** Changes the status of those that have the status `before`. */
  async function changeStatus(ids: readonly string[], before: CertificateStatus, after: CertificateStatus) {
    for (const id of new Set(ids)) if ((await describe(id))?.status === before) await setStatus(id, after);
  }

  async function setStatus(certificateId: string, newStatus: CertificateStatus): Promise<void> {
    await iot.send(new UpdateCertificateCommand({ certificateId, newStatus })).catch(rethrow);
  }

  /** Ids of the certificates of an agent: one, or two during a renewal. One page holds them all. */
  async function attachedTo(agent: AgentId): Promise<string[]> {
    try {
      const { principals = [] } = await iot.send(new ListThingPrincipalsCommand({ thingName: thingOf(agent) }));
      return principals.flatMap((arn) => /:cert\/([0-9a-f]+)$/.exec(arn)?.[1] ?? []);
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return [];
      return rethrow(error);
    }
  }

  /** Also after a failed activation, which may have succeeded nevertheless. */
  async function deactivate({ id }: Certificate): Promise<void> {
    try {
      await iot.send(new UpdateCertificateCommand({ certificateId: id, newStatus: 'INACTIVE' }));
    } catch (error) {
      log.error({ err: error, certificateId: id }, 'cannot deactivate the certificate of a failed enrolment');
    }
  }

  async function describe(certificateId: string): Promise<(Certificate & { status: string | undefined }) | null> {
    try {
      const { certificateDescription } = await iot.send(new DescribeCertificateCommand({ certificateId }));
      const { certificateArn, status } = certificateDescription!;
      return { id: certificateId, arn: certificateArn!, status };
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return null;
      return rethrow(error);
    }
  }
}

/** The root certificates of IoT Core's endpoints, PEM, from those of Node.js. */
export function amazonRoots(): string {
  const roots = rootCertificates.filter((pem) => /^O=Amazon$/m.test(new X509Certificate(pem).subject));
  if (roots.length === 0)
    throw new Error('this build of Node.js lacks the Amazon root certificates; use a standard build');
  return `${roots.join('\n')}\n`;
}

/** @throws {ServiceError} `unavailable` for an outage; any other error as it is */
function rethrow(cause: unknown): never {
  if (!isOutage(cause)) throw cause;
  const message = 'The registry of agents cannot be reached at the moment';
  throw new ServiceError('unavailable', message, { cause, retryAfter: 2 });
}
