/** Where agents get their identity: IoT Core's registry in the cloud, a certificate authority of our own locally. */
import type { AgentId } from '../../shared/identity.ts';

export interface IssuedIdentity {
  /** X.509, PEM. Its common name is the agent id. */
  certificate: string;
  /** Names the certificate when it is to be revoked. */
  certificateId: string;
  /** The certificates by which the broker is known, PEM. */
  authority: string;
  /** `mqtts://<host>:<port>` */
  broker: string;
}

export interface AgentRegistry {
  /**
   * Makes an identity for the agent from its certificate request; the private key never comes here.
   * @throws {ServiceError} `validation_failed` when the request is no PKCS #10 or its signature is wrong
   */
  enrol(agent: AgentId, csrPem: string): Promise<IssuedIdentity>;
  /** Makes a certificate worthless and ends the connection that uses it. */
  revoke(agent: AgentId, certificateId: string): Promise<void>;
}
