import { generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto';
import { readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { afterEach, expect, test, vi } from 'vitest';
import { clientIdOf } from '../shared/identity.ts';
import { folderOfEachTest } from '../test/support/folder-of-tests.ts';
import { addressForAgents, namesOfHost } from './addresses.ts';
import { localAgentRegistry, openCertificateAuthority } from './certificate-authority.ts';

const NAMES = ['localhost', '127.0.0.1', '::1'];
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const folder = folderOfEachTest();
afterEach(() => void vi.useRealTimers());

const open = (names = NAMES) => openCertificateAuthority(folder.path, names);

async function request(name = 'CN=whoever', algorithm = EC): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const csr = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm }, webcrypto);
  return csr.toString('pem');
}

test("the broker's certificate is for its names, the functions' for a client; both are the authority's", async () => {
  const authority = await open([...NAMES, 'lan-host', '192.168.7.2']);
  const root = new X509Certificate(authority.certificate);
  const broker = new X509Certificate(authority.broker.certificate);
  const functions = new X509Certificate(authority.functions.certificate);
  expect(root.ca).toBe(true);
  expect(root.verify(root.publicKey)).toBe(true);
  expect(broker.checkIssued(root) && broker.verify(root.publicKey) && !broker.ca).toBe(true);
  expect(broker.checkHost('lan-host')).toBe('lan-host');
  expect(broker.checkIP('192.168.7.2')).toBe('192.168.7.2');
  expect(broker.checkIP('::1')).toBe('::1');
  expect(broker.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(functions.subject).toBe('CN=lr-api');
  expect(functions.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  expect(Date.parse(root.validTo) - Date.now()).toBeGreaterThan(9.9 * 365 * 86_400_000);
});

test('keys are for this user alone', async () => {
  await open();
  for (const file of readdirSync(folder.path))
    expect([file, statSync(join(folder.path, file)).mode & 0o777]).toEqual([file, 0o600]);
});

test("the broker's certificate follows the names of the host; the authority stays; else nothing is created", async () => {
  const before = await open();
  const { certificate, broker, functions } = before;
  expect(await open()).toMatchObject({ certificate, broker, functions });
  const after = await open([...NAMES, 'new-name']);
  expect(new X509Certificate(after.broker.certificate).checkHost('new-name')).toBe('new-name');
  expect(after.certificate).toBe(before.certificate);
  expect(after.functions).toEqual(before.functions);
});

test('our own certificates are renewed in the last year of their life; the authority stays', async () => {
  const before = await open();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * 86_400_000 });
  const after = await open();
  expect(after.certificate).toBe(before.certificate);
  expect(after.broker).not.toEqual(before.broker);
  expect(after.functions).not.toEqual(before.functions);
});

test('a truncated file is replaced', async () => {
  await open();
  truncateSync(join(folder.path, 'broker.pem'), 100);
  writeFileSync(join(folder.path, 'functions.pem'), '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n');
  const again = await open();
  const root = new X509Certificate(again.certificate);
  expect(new X509Certificate(again.broker.certificate).verify(root.publicKey)).toBe(true);
  expect(new X509Certificate(again.functions.certificate).verify(root.publicKey)).toBe(true);
});

const CLIENT = clientIdOf('local', 'home:attic');

test('an agent gets its own name and a client certificate, whatever its request asks for', async () => {
  const authority = await open();
  const longest = clientIdOf('t'.repeat(16), `${'s'.repeat(32)}:${'a'.repeat(32)}`);
  for (const client of [CLIENT, longest] as const) {
    const { certificate, serial } = await authority.issue(client, await request('CN=lr-api, O=Evil'));
    const issued = new X509Certificate(certificate);
    expect(issued.subject).toBe(`CN=${client}`);
    expect(issued.ca).toBe(false);
    expect(issued.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(issued.serialNumber).toBe(serial);
    expect(serial).toMatch(/^[0-9A-F]{32}$/);
    expect(issued.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(Date.parse(issued.validTo) - Date.now()).toBeLessThan(366 * 86_400_000);
    expect(authority.isInOrder(certificate)).toBe(true);
  }
});

test('requests that prove nothing are refused', async () => {
  const { issue } = await open();
  const good = await request();
  const der = Buffer.from(good.replace(/-----[^-]+-----/g, ''), 'base64');
  der[der.length - 3]! ^= 1; // In the signature.
  const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----`;
  const empty = '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----';
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const refused = { code: 'validation_failed', fields: [{ path: 'csr' }] };
  for (const csr of [forged, empty, publicKey.export({ type: 'spki', format: 'pem' }).toString()])
    await expect(issue(CLIENT, csr)).rejects.toMatchObject(refused);
  const large = await request('CN=x', { ...EC, namedCurve: 'P-521' });
  await expect(issue(CLIENT, large)).rejects.toMatchObject({ message: expect.stringContaining('P-256') });
});

test('a revoked certificate stays revoked after the next start', async () => {
  const authority = await open();
  const { certificate, serial } = await authority.issue(CLIENT, await request());
  expect(authority.isRevoked(serial)).toBe(false);
  await authority.revoke(serial);
  await authority.revoke(serial);
  for (const each of [authority, await open()]) {
    expect(each.isRevoked(serial)).toBe(true);
    expect(each.isInOrder(certificate)).toBe(false);
  }
});

test('a certificate of another authority, or one that ends soon, is not in order', async () => {
  const other = join(folder.path, 'other');
  const stranger = await (await openCertificateAuthority(other, NAMES)).issue(CLIENT, await request());
  const authority = await open();
  expect(authority.isInOrder(stranger.certificate)).toBe(false);
  expect(authority.isInOrder('nonsense')).toBe(false);
  const own = await authority.issue(CLIENT, await request());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 280 * 86_400_000 });
  expect(authority.isInOrder(own.certificate)).toBe(false);
});

test('the registry hands out what an agent needs, and cuts the connection of a revoked one', async () => {
  const authority = await open();
  const cut: string[] = [];
  const registry = localAgentRegistry(authority, 'local', {
    url: 'mqtts://192.168.7.2:8883',
    disconnect: (client) => cut.push(client),
    async publish() {},
  });
  const identity = await registry.enrol('home:attic', await request());
  expect(identity).toMatchObject({
    stage: 'local',
    authority: authority.certificate,
    broker: 'mqtts://192.168.7.2:8883',
  });
  await registry.revoke('home:attic', identity.certificateId);
  expect(cut).toEqual([CLIENT]);
  expect(authority.isRevoked(new X509Certificate(identity.certificate).serialNumber)).toBe(true);
});

test('agents get an address that they can reach', () => {
  expect(addressForAgents('192.168.7.2')).toBe('192.168.7.2');
  expect(addressForAgents('0.0.0.0')).not.toBe('0.0.0.0');
  expect(namesOfHost('lan-host')).toEqual(['localhost', '127.0.0.1', '::1', hostname(), 'lan-host']);
  expect(namesOfHost('0.0.0.0')).toContain(addressForAgents('0.0.0.0'));
});

test.each([
  ['damaged', () => writeFileSync(join(folder.path, 'authority.pem'), 'x'), false],
  ['damaged', () => truncateSync(join(folder.path, 'authority.pem'), 0), false],
  ['missing', () => rmSync(join(folder.path, 'authority.pem')), true],
])('an authority that is %s, but existed, is an error, and is not replaced', async (state, lose, hadOne) => {
  await open();
  lose();
  const what = `The certificate authority ${join(folder.path, 'authority.pem')} is ${state}. Put a copy of it back`;
  await expect(openCertificateAuthority(folder.path, NAMES, { hadOne })).rejects.toThrow(what);
});
