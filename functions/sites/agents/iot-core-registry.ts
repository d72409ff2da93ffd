/**
 * Identities of agents in AWS IoT Core: a thing with the agent's client id as its name, and certificates that are attached
 * only to it. The permissions of all agents are in one policy that refers to the thing.
 *
 * A certificate is activated only when everything else is in place. A failed enrolment leaves nothing behind that could
 * be used.
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
  {
    stage,
    agentPolicy: policy,
    agentBroker: broker,
    iotEndpoint,
  }: Pick<Config, 'stage' | 'agentPolicy' | 'agentBroker' | 'iotEndpoint'>,
  log: Log,
): AgentRegistry {
  const iot = new IoTClient(LIMITS);
  const data = new IoTDataPlaneClient({ ...LIMITS, endpoint: `https://${iotEndpoint}` });
  /** Also the agent's MQTT client id. */
  const thingOf = (agent: AgentId) => clientIdOf(stage, agent);

  async function createThing(agent: AgentId): Promise<void> {
    try {
      await iot.send(new CreateThingCommand({ thingName: thingOf(agent) }));
    } catch (error) {
      // The thing exists, and an operator has given it attributes.
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

  /** Detaches a certificate from its agent, and deletes the agent's thing if that was the last one. */
  async function remove(agent: AgentId, certificate: Certificate | null): Promise<void> {
    if (certificate !== null) await detach(agent, certificate);
    await tidyUp(agent, certificate, [() => deleteUnusedThing(agent)]);
  }

  /** Detaches a certificate from its agent, and deletes it. */
  async function detach(agent: AgentId, certificate: Certificate): Promise<void> {
    await tidyUp(agent, certificate, [
      () => iot.send(new DetachPolicyCommand({ policyName: policy, target: certificate.arn })),
      () => iot.send(new DetachThingPrincipalCommand({ thingName: thingOf(agent), principal: certificate.arn })),
      () => deleteCertificate(certificate),
    ]);
  }

  async function tidyUp(agent: AgentId, certificate: Certificate | null, steps: (() => Promise<unknown>)[]) {
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        if (error instanceof ResourceNotFoundException) continue;
        // What remains cannot be used, because the certificate was deactivated first.
        log.warn(
          { err: error, agentId: agent, certificateId: certificate?.id },
          'cannot delete a certificate that has been deactivated',
        );
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
      if (!(error instanceof NotConnectedException)) throw error;
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
        await iot.send(
          new AttachThingPrincipalCommand({
            thingName: thingOf(agent),
            principal: arn,
            thingPrincipalType: 'EXCLUSIVE_THING',
          }),
        );
        await iot.send(new AttachPolicyCommand({ policyName: policy, target: arn }));
        await note?.({ certificateId: id, certificate: pem });
        await iot.send(new UpdateCertificateCommand({ certificateId: id, newStatus: 'ACTIVE' }));
        return { stage, certificate: pem, certificateId: id, authority, broker };
      } catch (error) {
        if (certificate !== null) await switchOff(certificate);
        await remove(agent, certificate);
        throw isOutage(error) ? unavailable(error) : error;
      }
    },

    async isActive(certificateId) {
      try {
        return (await describe(certificateId))?.status === 'ACTIVE';
      } catch (error) {
        throw isOutage(error) ? unavailable(error) : error;
      }
    },

    async retire(agent, certificateId) {
      try {
        const known = await describe(certificateId);
        if (known === null) return;
        await iot.send(new UpdateCertificateCommand({ certificateId, newStatus: 'INACTIVE' }));
        await detach(agent, known);
      } catch (error) {
        throw isOutage(error) ? unavailable(error) : error;
      }
    },

    revoke: (agent, certificateId) => revoke(agent, [certificateId]),

    async revokeAll(agent, certificateIds) {
      const attached = await attachedTo(agent);
      await revoke(agent, [...new Set([...certificateIds, ...attached])]);
    },

    async suspend(agent, certificateIds) {
      const ids = [...certificateIds, ...(await attachedTo(agent))];
      await setStatus(ids, 'ACTIVE', 'INACTIVE');
      await cutConnection(agent).catch(rethrown);
    },

    resume: (_agent, certificateIds) => setStatus(certificateIds, 'INACTIVE', 'ACTIVE'),

    async publish(agent, message) {
      const payload = Buffer.from(JSON.stringify(message));
      try {
        await data.send(new PublishCommand({ topic: topics.control(thingOf(agent)), qos: 1, payload }));
      } catch (error) {
        throw isOutage(error) ? unavailable(error) : error;
      }
    },
  };

  /**
   * Deactivates all certificates before the slow clean-up of the first, because a disconnected agent reconnects at
   * once.
   */
  async function revoke(agent: AgentId, certificateIds: readonly string[]): Promise<void> {
    try {
      const known: Certificate[] = [];
      for (const certificateId of certificateIds) {
        const certificate = await describe(certificateId);
        if (certificate === null) continue;
        known.push(certificate);
        await iot.send(new UpdateCertificateCommand({ certificateId, newStatus: 'REVOKED' }));
      }
      // Without this, IoT Core ends the connections of a revoked certificate only within minutes.
      await cutConnection(agent);
      for (const certificate of known) await detach(agent, certificate);
      await remove(agent, null);
    } catch (error) {
      throw isOutage(error) ? unavailable(error) : error;
    }
  }

  /** @param before of those that are changed; the others stay as they are */
  async function setStatus(ids: readonly string[], before: CertificateStatus, newStatus: CertificateStatus) {
    try {
      for (const certificateId of new Set(ids)) {
        if ((await describe(certificateId))?.status !== before) continue;
        await iot.send(new UpdateCertificateCommand({ certificateId, newStatus }));
      }
    } catch (error) {
      rethrown(error);
    }
  }

  function rethrown(error: unknown): never {
    throw isOutage(error) ? unavailable(error) : error;
  }

  /** Ids of the certificates of an agent: one, or two during a renewal. One page holds them all. */
  async function attachedTo(agent: AgentId): Promise<string[]> {
    try {
      const { principals = [] } = await iot.send(new ListThingPrincipalsCommand({ thingName: thingOf(agent) }));
      return principals.flatMap((arn) => /:cert\/([0-9a-f]+)$/.exec(arn)?.[1] ?? []);
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return [];
      throw isOutage(error) ? unavailable(error) : error;
    }
  }

  /** Also after an error of the activation, which may have been carried out nevertheless. */
  async function switchOff({ id }: Certificate): Promise<void> {
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
      throw error;
    }
  }
}

/** The root certificates of IoT Core's endpoints, PEM, from those that Node.js contains. */
export function amazonRoots(): string {
  const roots = rootCertificates.filter((pem) => /^O=Amazon$/m.test(new X509Certificate(pem).subject));
  if (roots.length === 0)
    throw new Error('this build of Node.js lacks the Amazon root certificates; use a standard build');
  return `${roots.join('\n')}\n`;
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'The registry of agents cannot be reached at the moment', {
    cause,
    retryAfter: 2,
  });
}
