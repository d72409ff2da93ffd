/**
 * The local certificate authority, whose certificates identify the broker, the functions and the agents. It loads the X.509
 * library only to sign or to parse a request, which an ordinary start does not need.
 */
import { createPublicKey, type KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { loadX509 } from '../agent/identity/certificate-request.ts';
import { writeAtomically } from '../agent/state/atomic-file.ts';
import type { AgentRegistry } from '../functions/sites/agents/agent-registry.ts';
import { topics } from '../shared/agent/topics.ts';
import { ServiceError } from '../shared/errors.ts';
import { type AgentId, type ClientId, clientIdOf, type Stage } from '../shared/identity.ts';
import { DAY_MS, HOUR_MS } from '../shared/time.ts';
import { readSecret } from './data-folder.ts';

/** Common name of the certificate with which the functions connect to the broker. */
export const FUNCTIONS_NAME = 'lr-api';

/** Validity of certificates, and the rest of it below which a start renews them. */
const ROOT_DAYS = { made: 3_652, left: 800 };
const OWN_DAYS = { made: 730, left: 365 }; // The next start may be a year away.
const AGENT_DAYS = { made: 365, left: 90 };

/** A certificate and its private key, PEM. */
export interface Identity {
  certificate: string;
  key: string;
}

export interface CertificateAuthority {
  /** The authority's own certificate, PEM, with which clients verify the broker. */
  readonly certificate: string;
  readonly broker: Identity;
  readonly functions: Identity;
  /**
   * Issues the certificate of an agent, with its client id as the common name, whatever the request contains.
   * @throws {ServiceError} `validation_failed` if the request is malformed, not signed by its own key, or its key is weak
   */
  issue(client: ClientId, csrPem: string): Promise<{ certificate: string; serial: string }>;
  /** Takes effect at once; resolves when it is on disk. @param serial in upper-case hexadecimal digits */
  revoke(serial: string): Promise<void>;
  isRevoked(serial: string): boolean;
  /** Undoes revocations, for agents of a restored site. */
  reinstate(serials: readonly string[]): Promise<void>;
  /** Whether an agent's certificate is ours, not revoked, and valid for at least another 90 days. */
  isInOrder(certificatePem: string): boolean;
}

interface AuthorityOptions {
  /** Validity of new certificates of agents. */
  agentsHoldMs?: number | undefined;
  /** Whether the folder has had an authority before. */
  hadOne?: boolean;
}

const TO_GO_ON =
  'Put a copy of it back, or of the whole folder. To begin with a new one, remove it and state.json, and enrol every agent anew';

/**
 * Opens the authority whose keys are in a folder: creates it at the first start, and renews its own certificates before they
 * expire.
 * @param names addresses and host names at which clients reach the broker
 * @throws {Error} with a remedy, if the authority is damaged or missing
 */
export async function openCertificateAuthority(
  folder: string,
  names: readonly string[],
  { agentsHoldMs = AGENT_DAYS.made * DAY_MS, hadOne = false }: AuthorityOptions = {},
): Promise<CertificateAuthority> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const rootFile = join(folder, 'authority.pem');
  const refuse = (state: 'missing' | 'damaged') => {
    if (state === 'damaged' || hadOne)
      throw new Error(`The certificate authority ${rootFile} is ${state}. ${TO_GO_ON}`);
  };
  const root = await keep(rootFile, (certificate) => lasts(certificate, ROOT_DAYS.left), makeRoot, refuse);
  const rootCertificate = new X509Certificate(root.certificate);
  const isOurs = (certificate: X509Certificate) => certificate.verify(rootCertificate.publicKey);

  const broker = await keep(
    join(folder, 'broker.pem'),
    (certificate) =>
      isOurs(certificate) && lasts(certificate, OWN_DAYS.left) && names.every((name) => covers(certificate, name)),
    () => makeOwn(root, 'LanReach broker', names),
  );
  const functions = await keep(
    join(folder, 'functions.pem'),
    (certificate) => isOurs(certificate) && lasts(certificate, OWN_DAYS.left),
    () => makeOwn(root, FUNCTIONS_NAME, null),
  );

  const revokedFile = join(folder, 'revoked');
  const revoked = new Set(((await readSecret(revokedFile)) ?? '').split('\n').filter((line) => line !== ''));
  let written: Promise<unknown> = Promise.resolve();
  async function write(): Promise<void> {
    const mine = written.then(() => writeAtomically(revokedFile, [...revoked].map((serial) => `${serial}\n`).join('')));
    written = mine.catch(() => {}); // Serializes the writes; the caller gets the error.
    await mine;
  }
  return {
    certificate: root.certificate,
    broker,
    functions,
    issue: (client, csrPem) => issueToAgent(root, client, csrPem, agentsHoldMs),
    async revoke(serial) {
      revoked.add(serial);
      await write();
    },
    async reinstate(serials) {
      for (const serial of serials) revoked.delete(serial);
      await write();
    },
    isRevoked: (serial) => revoked.has(serial),
    isInOrder(certificatePem) {
      const certificate = readCertificate(certificatePem);
      return (
        certificate !== null &&
        isOurs(certificate) &&
        !revoked.has(certificate.serialNumber) &&
        lasts(certificate, AGENT_DAYS.left)
      );
    },
  };
}

/** The registry of agents for the admin operations, on the authority and the broker. */
export function localAgentRegistry(
  authority: CertificateAuthority,
  stage: Stage,
  broker: { url: string; disconnect(client: ClientId): void; publish(topic: string, payload: string): Promise<void> },
): AgentRegistry {
  const clientOf = (agent: AgentId) => clientIdOf(stage, agent);
  // The authority has no list of its certificates: the table, in the same folder and backup, has it.
  async function revokeAll(agent: AgentId, certificateIds: readonly string[]): Promise<void> {
    const written = certificateIds.map((id) => authority.revoke(id));
    broker.disconnect(clientOf(agent));
    await Promise.all(written);
  }
  return {
    async enrol(agent, csrPem, note) {
      const { certificate, serial } = await authority.issue(clientOf(agent), csrPem);
      await note?.({ certificateId: serial, certificate }); // If that fails, the agent never gets the certificate.
      return { stage, certificate, certificateId: serial, authority: authority.certificate, broker: broker.url };
    },
    isActive: async (certificateId) => !authority.isRevoked(certificateId),
    async retire(_agent, certificateId) {
      await authority.revoke(certificateId);
    },
    revoke: (agent, certificateId) => revokeAll(agent, [certificateId]),
    revokeAll,
    suspend: revokeAll,
    resume: (_agent, certificateIds) => authority.reinstate(certificateIds),
    publish: (agent, message) => broker.publish(topics.control(clientOf(agent)), JSON.stringify(message)),
  };
}

const PEM = /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----\n/g;

/** The identity in a file if still valid, else a new one. Key and certificate share a file, so that they always match. */
async function keep(
  file: string,
  willDo: (certificate: X509Certificate) => boolean,
  make: () => Promise<Identity>,
  refuse: (state: 'missing' | 'damaged') => void = () => {},
): Promise<Identity> {
  const text = await readSecret(file);
  const parts = [...(text ?? '').matchAll(PEM)];
  const key = parts.find(([, label]) => label === 'PRIVATE KEY')?.[0];
  const certificate = parts.find(([, label]) => label === 'CERTIFICATE')?.[0];
  const read = key === undefined || certificate === undefined ? null : readCertificate(certificate);
  if (key !== undefined && certificate !== undefined && read !== null && willDo(read)) return { certificate, key };
  if (read === null) refuse(text === null ? 'missing' : 'damaged');
  const made = await make();
  await writeAtomically(file, made.key + made.certificate);
  return made;
}

function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function lasts(certificate: X509Certificate, days: number): boolean {
  return Date.parse(certificate.validTo) - Date.now() > days * DAY_MS;
}

function covers(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const ROOT_NAME = 'LanReach local authority';

async function makeRoot(): Promise<Identity> {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: randomSerial(),
      name: [{ CN: [ROOT_NAME] }],
      ...validity(ROOT_DAYS.made * DAY_MS),
      keys,
      signingAlgorithm: KEY_ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

/** @param names host names and addresses of a server; null for a client */
async function makeOwn(root: Identity, commonName: string, names: readonly string[] | null): Promise<Identity> {
  const keys = await webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
  const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', keys.publicKey));
  const { certificate } = await sign(root, { commonName, spki, names, holdsMs: OWN_DAYS.made * DAY_MS });
  return { certificate, key: await exportKey(keys.privateKey) };
}

async function issueToAgent(root: Identity, client: ClientId, csrPem: string, holdsMs: number) {
  const spki = await keyOfRequest(csrPem);
  return sign(root, { commonName: client, spki, names: null, holdsMs });
}

/** The public key of a certificate request, which must be signed with the private key. */
async function keyOfRequest(csrPem: string): Promise<Buffer> {
  const x509 = await loadX509();
  const refused = (message: string, cause?: unknown) =>
    new ServiceError('validation_failed', message, { cause, fields: [{ path: 'csr', message }] });
  let spki: Buffer;
  let isGenuine: boolean;
  let key: KeyObject;
  try {
    const request = new x509.Pkcs10CertificateRequest(csrPem);
    spki = Buffer.from(request.publicKey.rawData);
    key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    isGenuine = await request.verify(webcrypto);
  } catch (error) {
    throw refused('expected a certificate request (PKCS #10) in PEM', error);
  }
  if (!isGenuine) throw refused('the certificate request was not signed by its own key');
  if (!isStrong(key)) throw refused('expected a key on the curve P-256 or P-384, or an RSA key of at least 2048 bits');
  return spki;
}

/** The key types that IoT Core accepts. */
function isStrong(key: KeyObject): boolean {
  const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') return ['prime256v1', 'secp384r1'].includes(namedCurve);
  return key.asymmetricKeyType === 'rsa' && modulusLength >= 2048 && modulusLength <= 8192;
}

interface Subject {
  commonName: string;
  spki: Buffer;
  names: readonly string[] | null;
  holdsMs: number;
}

async function sign(root: Identity, { commonName, spki, names, holdsMs }: Subject) {
  const x509 = await loadX509();
  const signingKey = await webcrypto.subtle.importKey('pkcs8', derOf(root.key), KEY_ALGORITHM, false, ['sign']);
  const usage = names === null ? x509.ExtendedKeyUsage.clientAuth : x509.ExtendedKeyUsage.serverAuth;
  const serial = randomSerial();
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: serial,
      subject: [{ CN: [commonName] }],
      issuer: new x509.X509Certificate(root.certificate).subject,
      ...validity(holdsMs),
      publicKey: new x509.PublicKey(spki),
      signingKey,
      signingAlgorithm: KEY_ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage], false),
        await x509.AuthorityKeyIdentifierExtension.create(new x509.X509Certificate(root.certificate), false, webcrypto),
        ...(names === null ? [] : [new x509.SubjectAlternativeNameExtension(names.map(alternativeName))]),
      ],
    },
    webcrypto,
  );
  return { certificate: `${certificate.toString('pem')}\n`, serial: serial.toUpperCase() };
}

function alternativeName(name: string) {
  return { type: isIP(name) === 0 ? ('dns' as const) : ('ip' as const), value: name };
}

/** Starts an hour ago, because the clock of an agent's host may be behind. */
function validity(holdsMs: number) {
  const now = Date.now();
  return { notBefore: new Date(now - HOUR_MS), notAfter: new Date(now + holdsMs) };
}

/** 126 random bits. The first byte is neither zero nor negative, so that every library formats the number alike. */
function randomSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes.toString('hex');
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
}
