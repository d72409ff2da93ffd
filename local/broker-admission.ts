/** Admission of connections to the embedded broker. */
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { ConnectPacket } from 'aedes';
import { BROKER_LIMITS } from '../shared/agent/topics.ts';
import { type Rights, refusalOfPublish, refusalOfSubscribe, rightsOf } from './broker-rules.ts';
import type { CertificateAuthority } from './certificate-authority.ts';

/** The content of a connection's certificate. */
export interface Peer {
  commonName: string | null;
  serial: string;
}

export interface Connection {
  clientId: string;
  serial: string;
  rights: Rights;
  /** Its subscriptions. */
  filters: Set<string>;
  /** Why the broker closes it, as a disconnect reason of IoT Core; null if it does not. */
  ending: string | null;
}

/** Call it right after the handshake, because a closed connection no longer has a certificate. */
export function peerOf(socket: TLSSocket): Peer {
  const certificate: Partial<PeerCertificate> | null = socket.getPeerCertificate();
  const commonName: unknown = certificate?.subject?.CN;
  return {
    commonName: typeof commonName === 'string' ? commonName : null, // A list if there are several.
    serial: certificate?.serialNumber ?? '',
  };
}

/** The identity of a connection, or why the broker rejects it. */
export function admit(
  peer: Peer | undefined,
  packet: ConnectPacket,
  authority: CertificateAuthority,
): Connection | string {
  if (peer === undefined) return 'the connection has no certificate';
  const { commonName, serial } = peer;
  const { clientId, clean, protocolVersion, will } = packet;
  if (authority.isRevoked(serial)) return 'the certificate has been revoked';
  if (Buffer.byteLength(clientId) > BROKER_LIMITS.clientIdBytes) return 'the client id is too long';
  const rights = rightsOf(commonName, clientId);
  if (rights === null) return `the certificate of "${commonName}" does not permit this client id`;
  if (protocolVersion !== 4) return 'only MQTT 3.1.1 is supported';
  if (!clean) return 'persistent sessions are not supported; set clean session';
  const refusal = will === undefined ? null : refusalOfPublish(rights, will);
  if (refusal !== null) return `the last will is refused: ${refusal}`;
  return { clientId, serial, rights, filters: new Set(), ending: null };
}

export function refusalOfFilter({ rights, filters }: Connection, filter: string, qos: number): string | null {
  const refusal = refusalOfSubscribe(rights, filter, qos);
  if (refusal !== null) return refusal;
  if (filters.size >= BROKER_LIMITS.subscriptionsPerConnection && !filters.has(filter)) return 'too many subscriptions';
  filters.add(filter);
  return null;
}
