/**
 * Issues certificates to agents, and publishes messages to them for functions without a connection: IoT Core in the cloud,
 * our own certificate authority and broker locally.
 */
import type { DiscoveryControl, PlanControl } from '../../../shared/agent/messages.ts';
import type { AgentId, Stage } from '../../../shared/identity.ts';

export interface IssuedIdentity {
  /** The deployment: part of the agent's client id and topics. */
  stage: Stage;
  /** X.509, PEM. */
  certificate: string;
  /** For its revocation. */
  certificateId: string;
  /** The trusted certificates for the broker, PEM. */
  authority: string;
  /** `mqtts://<host>:<port>` */
  broker: string;
}

/** Called before the certificate can be used; when it rejects, the certificate is discarded. */
type OnIssued = (issued: { certificateId: string; certificate: string }) => Promise<void>;

export interface AgentRegistry {
  /**
   * Issues a certificate for the agent's certificate request; the private key never leaves the agent.
   * @throws {ServiceError} `validation_failed` when the request is not PKCS #10 or its signature is wrong
   */
  enrol(agent: AgentId, csrPem: string, note?: OnIssued): Promise<IssuedIdentity>;
  /** Its expiry is not checked. */
  isActive(certificateId: string): Promise<boolean>;
  /** Invalidates a certificate, if it exists, without ending a connection: the agent already uses another one. */
  retire(agent: AgentId, certificateId: string): Promise<void>;
  /** Invalidates a certificate and ends the connection that uses it. */
  revoke(agent: AgentId, certificateId: string): Promise<void>;
  /**
   * Revokes these certificates, and every other one of the agent that the registry knows: a table that was restored from a
   * backup lacks those that were issued since.
   */
  revokeAll(agent: AgentId, certificateIds: readonly string[]): Promise<void>;
  /** Deactivates the active ones of these certificates, and of all others that the registry knows, and ends the connection. */
  suspend(agent: AgentId, certificateIds: readonly string[]): Promise<void>;
  /** Reactivates certificates. Does nothing for one that is revoked, or does not exist. */
  resume(agent: AgentId, certificateIds: readonly string[]): Promise<void>;
  /**
   * Sends a message without a connection to the broker. It is lost for an agent that is not connected.
   * @throws {ServiceError} `unavailable` when the broker cannot be reached
   */
  publish(agent: AgentId, message: DiscoveryControl | PlanControl): Promise<void>;
}
