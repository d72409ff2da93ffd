import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { FORMAT } from '../../shared/format.ts';
import { LOCAL_STAGE } from '../../shared/identity.ts';
import { DAY_MS } from '../../shared/time.ts';
import { AGENT_PROGRAM, startAgentProcess } from '../../test/support/agent/agent-process.ts';
import { AGENT, CLIENT, startTestBroker } from '../../test/support/agent/broker.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { closeServer, listenOnLoopback } from '../../test/support/loopback.ts';
import { makeTestAuthority, type TestAuthority } from '../../test/support/test-authority.ts';
import { readConfig } from '../config.ts';
import { createRunProcess } from '../host/run-process.ts';
import { certificateRequest } from '../identity/certificate-request.ts';
import { type Identity, writeIdentity } from '../identity/identity.ts';
import { describePolicy, parsePolicy } from '../jobs/policy.ts';
import { endpointOf } from '../link/session.ts';
import { lockDirectory } from '../state/lock.ts';
import { checkBroker } from './broker.ts';
import { checkClock } from './clock.ts';
import { examine } from './doctor.ts';
import type { Finding } from './finding.ts';
import { checkNetworks, checkNode, checkPrograms, checkRawSockets } from './host.ts';
import { checkCertificate, checkIdentity, checkPolicy, checkSnmp, checkStateDirectory } from './state.ts';

const folder = folderOfEachTest();

const HOLDS = (text: string) => expect.stringContaining(text);

let authority: TestAuthority;
beforeAll(async () => {
  authority = await makeTestAuthority();
});

/** What an enrolment with an authority leaves. */
async function newIdentity(port = 1, by = authority): Promise<Identity> {
  const { key, csr } = await certificateRequest();
  const certificate = await by.certify(csr, AGENT);
  const place = { broker: `mqtts://127.0.0.1:${port}`, api: 'http://127.0.0.1:1', authority: by.certificate };
  return { agent: AGENT, stage: LOCAL_STAGE, ...place, key, certificate };
}

async function stepsTo(identity: Identity): Promise<Finding[]> {
  const findings = [];
  for await (const finding of checkBroker(identity, endpointOf(identity), false)) findings.push(finding);
  return findings;
}

test('Node.js: new enough or not', () => {
  const states = ['20.19.0', '24.0.1', '20.18.9', '18.20.4'].map((version) => checkNode(version, '>=20.19.0').state);
  expect([...states, checkNode().state]).toEqual(['ok', 'ok', 'problem', 'problem', 'ok']);
  expect(checkNode('20.18.9', '>=20.19.0').message).toContain('>=20.19.0');
});

test('programs: what is missing is named with its package', async () => {
  const findings = await checkPrograms(createRunProcess({ path: folder.path }));
  expect(findings.map(({ check, state, hint }) => [check, state, hint])).toEqual([
    ['traceroute', 'problem', 'sudo apt install traceroute'],
    ['nmap', 'problem', 'sudo apt install nmap'],
    ['ip', 'problem', 'sudo apt install iproute2'],
    // Discovery has others to fall back to.
    ['arp-scan', 'warning', 'sudo apt install arp-scan'],
    ['tcpdump', 'warning', 'sudo apt install tcpdump'],
    ['ping', 'warning', 'sudo apt install iputils-ping'],
  ]);
});

test('raw sockets and networks', () => {
  expect(checkRawSockets(true)).toMatchObject({ state: 'ok' });
  expect(checkRawSockets(false)).toMatchObject({ state: 'warning', hint: HOLDS('CAP_NET_RAW') });
  expect(checkNetworks([])).toMatchObject({ state: 'warning' });
  expect(checkNetworks(['192.168.1.0/24', 'fe80::/64']).message).toBe('192.168.1.0/24, fe80::/64');
  expect(checkNetworks([...Array(9).keys()].map((n) => `10.0.${n}.0/24`)).message).toMatch(/ and 3 more$/);
});

test('state directory: missing, no directory, open to others, a key open to others', async () => {
  const state = join(folder.path, 'state');
  expect(await checkStateDirectory(state)).toMatchObject({ state: 'problem', hint: HOLDS('enrol') });
  await writeFile(state, '');
  expect(await checkStateDirectory(state)).toMatchObject({ state: 'problem', message: HOLDS('not a directory') });
  await rm(state);
  await mkdir(state, { mode: 0o755 });
  expect(await checkStateDirectory(state)).toMatchObject({ state: 'problem', hint: `chmod 700 ${state}` });
  await chmod(state, 0o700);
  expect(await checkStateDirectory(state)).toMatchObject({ state: 'ok' });
  await writeFile(join(state, 'identity.json'), 'x', { mode: 0o644 });
  expect(await checkStateDirectory(state)).toMatchObject({ state: 'problem', message: HOLDS('no format number') });
  await writeFile(join(state, 'format'), `${FORMAT}\n`);
  const open = { state: 'problem', message: HOLDS('0644'), hint: `chmod 600 ${join(state, 'identity.json')}` };
  expect(await checkStateDirectory(state)).toMatchObject(open);
});

test('state directory: no line to be pasted is made of names that the agent does not give, or of links', async () => {
  await writeFile(join(folder.path, 'x;reboot;'), 'x', { mode: 0o644 });
  await symlink('/etc/passwd', join(folder.path, 'identity.json'));
  await writeFile(join(folder.path, 'format'), `${FORMAT}\n`);
  expect(await checkStateDirectory(folder.path)).toMatchObject({ state: 'ok', hint: null });
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Only root can give files away: what the doctor says of them is not tested');

test.skipIf(!isRoot)('state directory: a file of another user, which the service could not read', async () => {
  await writeFile(join(folder.path, 'format'), `${FORMAT}\n`);
  await chown(folder.path, 61_234, 61_234);
  expect(await checkStateDirectory(folder.path)).toMatchObject({
    state: 'problem',
    message: HOLDS('belongs to user 0, the directory to user 61234'),
    hint: HOLDS('chown --recursive'),
  });
});

test('identity: missing, spoilt, usable', async () => {
  const state = join(folder.path, 'state');
  expect((await checkIdentity(state)).finding).toMatchObject({ state: 'problem', message: HOLDS('not enrolled') });
  await writeIdentity(state, await newIdentity());
  expect((await checkIdentity(state)).finding).toMatchObject({ state: 'ok', message: HOLDS(AGENT) });
  await writeFile(join(state, 'identity.json'), '{}');
  const finding = { state: 'problem', message: HOLDS('identity.json cannot be used') };
  expect(await checkIdentity(state)).toMatchObject({ finding, identity: null });
});

test('certificate: for another key, not yet valid, nearly over, over, unreadable', async () => {
  const now = Date.now();
  const identity = await newIdentity(1, await makeTestAuthority({ days: 100 })); // From yesterday on.
  expect(checkCertificate(identity, now)).toMatchObject({ state: 'ok' });
  expect(checkCertificate(identity, now - 2 * DAY_MS)).toMatchObject({ state: 'problem', hint: HOLDS('clock') });
  expect(checkCertificate(identity, now + 95 * DAY_MS)).toMatchObject({ state: 'warning' });
  expect(checkCertificate(identity, now + 101 * DAY_MS)).toMatchObject({ state: 'problem', hint: HOLDS('enrol') });
  const { key } = await certificateRequest();
  const other = { state: 'problem', message: HOLDS('does not match the private key') };
  expect(checkCertificate({ ...identity, key }, now)).toMatchObject(other);
  const torn = { ...identity, certificate: identity.certificate.slice(0, 100) };
  expect(checkCertificate(torn, now)).toMatchObject({ state: 'problem', message: HOLDS('cannot be read') });
});

test('policy: what it allows in short; one that cannot be used is a problem that names the field', async () => {
  expect(await checkPolicy(folder.path, null)).toMatchObject({ state: 'ok', message: HOLDS('nmap (local networks') });
  const file = join(folder.path, 'own.json');
  expect(await checkPolicy(folder.path, file)).toMatchObject({ state: 'problem', message: HOLDS(file) });
  await writeFile(file, '{"nmap": {"maxAdresses": 5}}');
  expect(await checkPolicy(folder.path, file)).toMatchObject({ state: 'problem', message: HOLDS('nmap') });
  const off = { enabled: false };
  const nmap = { allow: ['203.0.113.0/24'], deny: ['10.0.0.1', '10.0.0.2'], maxAddresses: 64 };
  const policy = parsePolicy({ wakeonlan: off, speedtest: off, internetinfo: off, nmap });
  expect(describePolicy(policy)).toBe(
    'allows traceroute (anywhere), nslookup (anywhere), ' +
      'nmap (local networks and 1 more but 2, at most 64 addresses), interfaces, arpscan; refuses wakeonlan, speedtest, internetinfo; ' +
      'checks (anywhere); sources (local networks); discovery in attached networks, at most 8192 addresses',
  );
});

test.each([
  [0, 'ok'],
  [2_000, 'ok'],
  [-4_000, 'warning'],
  [-60_000, 'problem'],
  [60_000, 'problem'],
])('clock: %d ms ahead of the API is %s', async (aheadMs, state) => {
  const now = Date.now() - (Date.now() % 1_000); // Whole seconds, as in the header.
  const date = new Date(now).toUTCString();
  const server = createServer((_, response) => response.writeHead(404, { date }).end());
  const port = await listenOnLoopback(server);
  const finding = await checkClock(`http://127.0.0.1:${port}/api`, () => now + aheadMs);
  server.close();
  expect(finding).toMatchObject({ check: 'clock', state });
});

test('clock: an API that cannot be reached, or sends no time, is a warning', async () => {
  const server = createServer((_, response) => {
    response.sendDate = false;
    response.end();
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  expect(await checkClock(url)).toMatchObject({ state: 'warning', message: HOLDS('sends no Date header') });
  await closeServer(server);
  expect(await checkClock(url)).toMatchObject({ state: 'warning', message: HOLDS('cannot be reached') });
});

test('broker: the first step that fails is the last, and says what to look at', async () => {
  await using broker = await startTestBroker(authority.broker);
  const fit = await newIdentity(broker.port);
  const states = async (identity: Identity) => (await stepsTo(identity)).map(({ check, state }) => `${check} ${state}`);
  expect(await states(fit)).toEqual(['broker ok', 'connection ok']);
  expect(broker.connections).toEqual([CLIENT]);

  // The test broker's certificate is for an address and not for this name.
  const byName = await states({ ...fit, broker: `mqtts://localhost:${broker.port}` });
  expect(byName).toEqual(['broker name ok', 'broker problem']);
  // No query leaves this host for a name that cannot exist.
  const nameless = await states({ ...fit, broker: `mqtts://${'x'.repeat(64)}:${broker.port}` });
  expect(nameless).toEqual(['broker name problem']);

  const stranger = await makeTestAuthority();
  const unknown = { state: 'problem', message: HOLDS('TLS handshake fails') };
  expect(await stepsTo({ ...fit, authority: stranger.certificate })).toMatchObject([unknown]);
  const foreign = { ...(await newIdentity(broker.port, stranger)), authority: authority.certificate };
  const refused = { check: 'connection', state: 'problem', hint: HOLDS('enrol') };
  expect((await stepsTo(foreign)).at(-1)).toMatchObject(refused);

  await broker.stop();
  const away = { check: 'broker', state: 'problem', message: HOLDS('cannot be reached') };
  expect(await stepsTo(fit)).toMatchObject([away]);
});

test('an agent that runs is left alone: the doctor stops at TLS', async () => {
  await using broker = await startTestBroker(authority.broker);
  const state = join(folder.path, 'state');
  await writeIdentity(state, await newIdentity(broker.port));
  const config = readConfig({ LANREACH_AGENT_DATA: state, LANREACH_API: 'http://127.0.0.1:1' });
  const all = async () => {
    const findings: Finding[] = [];
    for await (const finding of examine(config, null)) findings.push(finding);
    return findings;
  };
  const lock = await lockDirectory(state, 0);
  lock.setStatus(() => JSON.stringify({ connected: true }));
  expect((await all()).at(-1)).toMatchObject({ check: 'connection', state: 'ok' });
  lock.setStatus(() => JSON.stringify({ connected: false, reason: 'Not\u001bauthorized\n' }));
  const unauthorized = { check: 'connection', state: 'problem', message: HOLDS('Not authorized') };
  expect((await all()).at(-1)).toMatchObject({ ...unauthorized, hint: HOLDS('revoked') });
  lock.setStatus(() => 'something else');
  expect((await all()).at(-1)).toMatchObject({ check: 'broker', state: 'ok' });
  lock.setStatus(() => ''); // An enrolment has nothing to tell.
  const running = await all();
  expect(running.find(({ check }) => check === 'agent')).toMatchObject({ state: 'ok' });
  expect(running.find(({ check }) => check === 'clock')).toMatchObject({ message: HOLDS('http://127.0.0.1:1') });
  expect(running.at(-1)).toMatchObject({ check: 'broker', state: 'ok' });
  expect(broker.connections).toEqual([]);
  lock.release();
  const stopped = await all();
  expect(stopped.find(({ check }) => check === 'agent')).toMatchObject({ state: 'warning', hint: HOLDS('start') });
  expect(stopped.at(-1)).toMatchObject({ check: 'connection', state: 'ok' });
  expect(broker.connections).toEqual([CLIENT]);
  (await lockDirectory(state, 0)).release(); // It holds nothing any more.
});

test('the program tells people in lines, programs in JSON, and scripts by its exit code', async () => {
  await using broker = await startTestBroker(authority.broker);
  const environment = { LANREACH_AGENT_DATA: join(folder.path, 'state') };
  const ask = async (...args: string[]) => {
    const run = startAgentProcess(AGENT_PROGRAM, ['doctor', ...args], environment);
    const { code } = await run.ended;
    return { code, stdout: run.stdout(), stderr: run.stderr() };
  };
  const amiss = await ask();
  expect(amiss).toMatchObject({ code: 1, stderr: '' });
  expect(amiss.stdout).toMatch(/^problem {2}identity: This agent is not enrolled.*$/m);
  expect(amiss.stdout).toMatch(/^ok {7}node: Node\.js \d/m);
  expect(amiss.stdout).toMatch(/^ {9}-> lanreach-agent enrol/m);

  await writeIdentity(environment.LANREACH_AGENT_DATA, await newIdentity(broker.port));
  const fit = await ask('--json');
  expect(fit, fit.stdout).toMatchObject({ code: 0, stderr: '' });
  const { ok, findings } = JSON.parse(fit.stdout);
  const last = { check: 'connection', state: 'ok', message: HOLDS(AGENT), hint: null };
  expect([ok, findings.at(-1)]).toEqual([true, last]);
});

test('snmp: no finding without a file; one that others may read, or that is malformed, is named without what it holds', async () => {
  const file = join(folder.path, 'snmp.json');
  expect(await checkSnmp(file)).toBeNull();
  const credentials = { networks: ['10.0.0.0/24'], version: '2c', community: 'made-up-community' };
  await writeFile(file, JSON.stringify([credentials]), { mode: 0o644 });
  expect(await checkSnmp(file)).toMatchObject({ state: 'warning', message: HOLDS(`chmod 600 ${file}`) });
  await chmod(file, 0o600);
  expect(await checkSnmp(file)).toMatchObject({ state: 'ok', message: `${file}, for 10.0.0.0/24` });
  await writeFile(file, JSON.stringify([{ ...credentials, version: 'made-up-community' }]));
  const malformed = await checkSnmp(file);
  expect(malformed).toMatchObject({ state: 'warning', message: HOLDS('malformed at 0.version') });
  expect(JSON.stringify(malformed)).not.toContain('made-up');
});
