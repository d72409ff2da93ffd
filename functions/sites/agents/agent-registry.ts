/**
 * The registry that issues certificates to agents, and publishes messages to them for functions without a connection: IoT
 * Core in the cloud, our own certificate authority and broker locally.
 */
import type { DiscoveryControl, PlanControl } from '../../../shared/agent/messages.ts';
import type { AgentId, Stage } from '../../../shared/identity.ts';

export interface IssuedIdentity {
  /** The deployment, which is part of the agent's client id and of its topics. */
  stage: Stage;
  /** X.509, PEM. */
  certificate: string;
  /** Names the certificate when it is to be revoked. */
  certificateId: string;
  /** The certificates that authenticate the broker, PEM. */
  authority: string;
  /** `mqtts://<host>:<port>` */
  broker: string;
}

/** Called with a certificate before it can be used; when it rejects, the certificate is discarded. */
type OnIssued = (issued: { certificateId: string; certificate: string }) => Promise<void>;

export interface AgentRegistry {
  /**
   * Issues a certificate for the agent's certificate request; the private key never leaves the agent.
   * @throws {ServiceError} `validation_failed` when the request is not PKCS #10 or its signature is wrong
   */
  enrol(agent: AgentId, csrPem: string, note?: OnIssued): Promise<IssuedIdentity>;
  /** Whether the registry considers a certificate active. Its expiry is not checked. */
  isActive(certificateId: string): Promise<boolean>;
  /**
   * Invalidates a certificate without ending a connection, because the agent already uses another one. Does nothing for
   * a certificate that does not exist.
   */
  retire(agent: AgentId, certificateId: string): Promise<void>;
  /** Invalidates a certificate and ends the connection that uses it. */
  revoke(agent: AgentId, certificateId: string): Promise<void>;
  /**
   * Revokes these certificates, and every other one of the agent that the registry knows: a table that was restored
   * from a backup lacks those that were issued since.
   */
  revokeAll(agent: AgentId, certificateIds: readonly string[]): Promise<void>;
  /**
   * Puts these certificates, and every other one of the agent that the registry knows, out of use, and ends its connection.
   * One that is not in use stays as it is.
   */
  suspend(agent: AgentId, certificateIds: readonly string[]): Promise<void>;
  /** Puts them into use again. Does nothing for one that is revoked, or does not exist. */
  resume(agent: AgentId, certificateIds: readonly string[]): Promise<void>;
  /**
   * Tells an agent something about discovery, without a connection to the broker. Nobody keeps the message for an agent
   * that is not connected. @throws {ServiceError} `unavailable` when the broker cannot be reached
   */
  publish(agent: AgentId, message: DiscoveryControl | PlanControl): Promise<void>;
}
