/**
 * Identities of agents in AWS IoT Core: a thing with the agent's id as its name, and certificates that are attached to
 * it and to nothing else. What an agent may do is said once, in a policy for all of them that refers to the thing.
 *
 * A certificate is active only when everything else is in place. An enrolment that fails on the way leaves nothing
 * behind that could be used.
 */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
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
} from '@aws-sdk/client-iot-data-plane';
import { ServiceError } from '../../shared/errors.ts';
import type { AgentId } from '../../shared/identity.ts';
import type { Log } from '../log/log.ts';
import { backOff } from '../retry/back-off.ts';
import { isOutage } from '../retry/outage.ts';
import type { AgentRegistry } from './agent-registry.ts';

export interface IotCoreSettings {
  /** Name of the policy that every agent is given. */
  policy: string;
  /** Where agents connect to: `mqtts://<host>:<port>`. */
  broker: string;
  /** Host of the data endpoint, where connections are ended. */
  endpoint: string;
}

interface Certificate {
  id: string;
  arn: string;
}

const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 4_000, throwOnRequestTimeout: true },
};
/** IoT Core says "detached" some seconds before it lets go of a certificate. */
const DELETE_ATTEMPTS = 6;

export function openIotCoreRegistry({ policy, broker, endpoint }: IotCoreSettings, log: Log): AgentRegistry {
  const iot = new IoTClient(LIMITS);
  const data = new IoTDataPlaneClient({ ...LIMITS, endpoint: `https://${endpoint}` });

  async function createThing(agent: AgentId): Promise<void> {
    try {
      await iot.send(new CreateThingCommand({ thingName: agent }));
    } catch (error) {
      // It is there, and an operator has given it attributes.
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

  /** Takes a certificate away from its agent, and the agent's thing with it when that was the last one. */
  async function remove(agent: AgentId, certificate: Certificate | null): Promise<void> {
    if (certificate !== null) await detach(agent, certificate);
    await tidyUp(agent, certificate, [() => deleteUnusedThing(agent)]);
  }

  /** Takes a certificate away from its agent, and deletes it. */
  async function detach(agent: AgentId, certificate: Certificate): Promise<void> {
    await tidyUp(agent, certificate, [
      () => iot.send(new DetachPolicyCommand({ policyName: policy, target: certificate.arn })),
      () => iot.send(new DetachThingPrincipalCommand({ thingName: agent, principal: certificate.arn })),
      () => deleteCertificate(certificate),
    ]);
  }

  async function tidyUp(agent: AgentId, certificate: Certificate | null, steps: (() => Promise<unknown>)[]) {
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        if (error instanceof ResourceNotFoundException) continue;
        // What stays behind cannot be used: the certificate has been switched off before.
        log.warn({ err: error, agentId: agent, certificateId: certificate?.id }, 'cannot clean up after a certificate');
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
    const { principals = [] } = await iot.send(new ListThingPrincipalsCommand({ thingName: agent }));
    if (principals.length === 0) await iot.send(new DeleteThingCommand({ thingName: agent }));
  }

  async function cutConnection(agent: AgentId): Promise<void> {
    try {
      await data.send(new DeleteConnectionCommand({ clientId: agent }));
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
            thingName: agent,
            principal: arn,
            thingPrincipalType: 'EXCLUSIVE_THING',
          }),
        );
        await iot.send(new AttachPolicyCommand({ policyName: policy, target: arn }));
        await note?.({ certificateId: id, certificate: pem });
        await iot.send(new UpdateCertificateCommand({ certificateId: id, newStatus: 'ACTIVE' }));
        return { certificate: pem, certificateId: id, authority, broker };
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
  };

  /** None of them is good any more before the first is cleaned up, which takes its time: whoever is cut off comes back at once. */
  async function revoke(agent: AgentId, certificateIds: readonly string[]): Promise<void> {
    try {
      const known: Certificate[] = [];
      for (const certificateId of certificateIds) {
        const certificate = await describe(certificateId);
        if (certificate === null) continue;
        known.push(certificate);
        await iot.send(new UpdateCertificateCommand({ certificateId, newStatus: 'REVOKED' }));
      }
      // By itself IoT Core ends the connections of a revoked certificate within minutes.
      await cutConnection(agent);
      for (const certificate of known) await detach(agent, certificate);
      await remove(agent, null);
    } catch (error) {
      throw isOutage(error) ? unavailable(error) : error;
    }
  }

  /** Ids of the certificates of an agent, which has one, or two while it renews. One page holds them all. */
  async function attachedTo(agent: AgentId): Promise<string[]> {
    try {
      const { principals = [] } = await iot.send(new ListThingPrincipalsCommand({ thingName: agent }));
      return principals.flatMap((arn) => /:cert\/([0-9a-f]+)$/.exec(arn)?.[1] ?? []);
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return [];
      throw isOutage(error) ? unavailable(error) : error;
    }
  }

  /** The activation may have been carried out although its answer was an error. */
  async function switchOff({ id }: Certificate): Promise<void> {
    try {
      await iot.send(new UpdateCertificateCommand({ certificateId: id, newStatus: 'INACTIVE' }));
    } catch (error) {
      log.error({ err: error, certificateId: id }, 'cannot switch off the certificate of a failed enrolment');
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

/** The authorities that sign the certificates of IoT Core's own endpoints, PEM. Node brings them along. */
export function amazonRoots(): string {
  const roots = rootCertificates.filter((pem) => /^O=Amazon$/m.test(new X509Certificate(pem).subject));
  if (roots.length === 0) throw new Error('this build of Node.js does not know the root certificates of Amazon');
  return `${roots.join('\n')}\n`;
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'The registry of agents cannot be reached at the moment', {
    cause,
    retryAfter: 2,
  });
}
