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

/** Is told of a certificate before it can be used; when it rejects, the certificate is thrown away. */
export type NoteCertificate = (issued: { certificateId: string; certificate: string }) => Promise<void>;

export interface AgentRegistry {
  /**
   * Makes an identity for the agent from its certificate request; the private key never comes here.
   * @throws {ServiceError} `validation_failed` when the request is no PKCS #10 or its signature is wrong
   */
  enrol(agent: AgentId, csrPem: string, note?: NoteCertificate): Promise<IssuedIdentity>;
  /** Whether a certificate is good, by the registry's own word; whether its time has passed does not count. */
  isActive(certificateId: string): Promise<boolean>;
  /**
   * Makes a certificate worthless without cutting a connection, because the agent has another one that it uses. Does
   * nothing for a certificate that is gone.
   */
  retire(agent: AgentId, certificateId: string): Promise<void>;
  /** Makes a certificate worthless and ends the connection that uses it. */
  revoke(agent: AgentId, certificateId: string): Promise<void>;
  /**
   * Does so with these certificates, and with every other one of the agent that the registry itself knows of: a table that
   * was restored from a backup does not name those that were made since.
   */
  revokeAll(agent: AgentId, certificateIds: readonly string[]): Promise<void>;
}
