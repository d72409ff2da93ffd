/** Agents that renew their certificates while they are needed, and are killed on the way. */
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import {
  type Identity,
  readIdentities,
  readIdentity,
  writeIdentities,
  writeIdentity,
} from '../../../agent/identity/identity.ts';
import { endpointOf, tryConnection } from '../../../agent/link/session.ts';
import { admin as operations } from '../../../shared/api/admin.ts';
import { clientIdOf } from '../../../shared/identity.ts';
import { makeAgentKey } from '../../agent-key.ts';
import { AGENT_PROGRAM, startAgentProcess } from '../../support/agent/agent-process.ts';
import { bundleProgram } from '../../support/bundle-program.ts';
import {
  becomes,
  type EnrolledAgent,
  enrolAgent,
  type RealAgent,
  startRealAgent,
} from '../../support/enrolled-agent.ts';
import { ownSystem } from '../../support/shared-system.ts';
import { makeTestAuthority } from '../../support/test-authority.ts';
import { makeTestFolder } from '../../support/test-folder.ts';

/** Certificates hold from an hour ago on, so that of these more than two thirds have passed when they are made. */
const HOLD_MS = 10 * 60_000;

const temporary = makeTestFolder();
const programs = temporary.path;
afterAll(() => temporary.remove());
const system = ownSystem({ LOG_LEVEL: 'info' }, { agentCertificatesHoldMs: HOLD_MS });

const brokerPort = () => system.system.parts.broker.port;

/** Whether the broker lets somebody in with this identity. It ends the agent's own connection. */
async function isLetIn(identity: Identity): Promise<boolean> {
  const endpoint = endpointOf(identity, `mqtts://127.0.0.1:${brokerPort()}`);
  return tryConnection(clientIdOf(identity.stage, identity.agent), endpoint, AbortSignal.timeout(60_000)).then(
    () => true,
    () => false,
  );
}

async function renewed(agent: RealAgent): Promise<void> {
  const isDone = () => agent.logged().some(({ msg }) => msg === 'the certificate has been renewed');
  await expect.poll(isDone, { message: agent.stderr() }).toBe(true);
}

test('requests go on at a steady rate while the certificate is renewed: none is lost or run twice, and nobody sees the agent gone', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'busy');
  await using agent = await startRealAgent(system, enrolled, brokerPort());
  let isOver = false;
  /** Where the change of the connection takes long, because the host is busy, the caller is told to try again. */
  const ask = async (): Promise<unknown> => {
    const answer = await system.request('POST', '/nettools/traceroute', { site, body: { devLastIP: '127.0.0.1' } });
    const { status, json } = answer;
    const { code } = json as { code?: string };
    if (code !== 'agent_silent') return code ?? status;
    await sleep(1_000);
    return ask();
  };
  const answers: Promise<unknown>[] = [];
  const states = new Map<string, number>();
  const asking = (async () => {
    while (!isOver) {
      answers.push(ask());
      await sleep(200);
    }
  })();
  const watching = (async () => {
    while (!isOver) {
      const { json } = await system.request('GET', `/sites/${site}/agents`);
      for (const { state } of (json as { agents: { state: string }[] }).agents)
        states.set(state, (states.get(state) ?? 0) + 1);
      await sleep(10);
    }
  })();
  try {
    await renewed(agent);
    await sleep(1_000);
  } finally {
    isOver = true;
    await Promise.allSettled([asking, watching, ...answers]);
  }
  const all = await Promise.all(answers);
  expect(all.filter((status) => status !== 200)).toEqual([]);
  expect(all.length).toBeGreaterThan(20);
  expect([...states.keys()]).toEqual(['online']);
  const commands = agent.logged().filter(({ msg }) => msg === 'command started');
  expect(commands.length).toBeGreaterThanOrEqual(all.length);
  expect(new Set(commands.map(({ jobId }) => jobId)).size).toBe(commands.length);

  const now = await readIdentity(enrolled.folder);
  expect(now.certificate).not.toBe(enrolled.identity.certificate);
  expect(now.key).not.toBe(enrolled.identity.key);
  expect(await isLetIn(enrolled.identity)).toBe(false);
  expect(await isLetIn(now)).toBe(true);
  expect(agent.stderr()).not.toContain(now.key);
  // Between the two there are all the commands of the meantime.
  const { json } = await system.request('GET', '/audit?limit=500', { site });
  const auditEvents = (json as { entries: { actor: string; action: string }[] }).entries.filter(
    ({ actor }) => actor === enrolled.id,
  );
  expect(auditEvents.map(({ action }) => action)).toEqual(['agent.renew']);
});

/** Waits until the agent has a new certificate alone, the service knows that it has it, and the one before is retired. */
async function isSettled({ id, folder, identity }: Omit<EnrolledAgent, keyof AsyncDisposable>): Promise<void> {
  const { certificates } = system.system.parts.context;
  const state = async () => {
    const { current, next } = await readIdentities(folder);
    const row = await certificates.find(id);
    const serial = new X509Certificate(current.certificate).serialNumber;
    return {
      isKnown: row?.next?.certificateId === serial,
      isAlone: row?.retired === row?.certificateId,
      hasNext: next !== null,
      isNew: current.certificate !== identity.certificate,
    };
  };
  await expect.poll(state).toEqual({ isKnown: true, isAlone: true, hasNext: false, isNew: true });
}

test('an agent that is killed at any step of a renewal has a certificate that is good, and a new one after its next start', async () => {
  const program = await bundleProgram(join(import.meta.dirname, 'dying-renewal-main.ts'), programs);
  const site = await system.addSite();
  let deaths = 0;
  let hasLived = false;
  for (let from = 1; !hasLived; from += AT_ONCE) {
    const steps = Array.from({ length: AT_ONCE }, (_, i) => from + i);
    await Promise.all(
      steps.map(async (step) => {
        await using enrolled = await enrolAgent(system, site, `step-${step}`);
        await using dying = startAgentProcess(program, [String(step)], {
          LANREACH_AGENT_DATA: enrolled.folder,
          LANREACH_BROKER: `mqtts://127.0.0.1:${brokerPort()}`,
        });
        const lives = () => dying.stderr().includes('the certificate has been renewed') || dying.child.signalCode;
        await expect.poll(lives).toBeTruthy();
        if (dying.child.signalCode === null) hasLived = true;
        else deaths++;
        await dying[Symbol.asyncDispose]();
        const { current, next } = await readIdentities(enrolled.folder);
        const isGood = (await isLetIn(current)) || (next !== null && (await isLetIn(next)));
        expect([step, isGood]).toEqual([step, true]);
        await using agent = await startRealAgent(system, enrolled, brokerPort());
        await isSettled(enrolled);
        expect([step, await isLetIn(enrolled.identity)]).toEqual([step, false]);
        await becomes(system, enrolled.id, 'online');
        expect(agent.logged().filter(({ level }) => level >= 50)).toEqual([]);
      }),
    );
  }
  expect(deaths).toBeGreaterThanOrEqual(8);
  const { status } = await system.request('POST', '/nettools/traceroute', { body: { devLastIP: '127.0.0.1' } });
  expect(status).toBe(200);
});

/** Agents that are killed at the same time. */
const AT_ONCE = 8;

test('a further certificate that the broker does not take: the agent goes on with the one before, and gets another one', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'refused');
  const { key, csr } = await makeAgentKey();
  // It is tried again the sooner the less of it is left.
  const stranger = await makeTestAuthority({ days: 1 / 1_440 });
  const certificate = await stranger.certify(csr, enrolled.id);
  const { identity } = enrolled;
  await writeIdentities(enrolled.folder, { current: identity, next: { ...identity, key, certificate } });
  await using agent = await startRealAgent(system, enrolled, brokerPort());
  const { status } = await system.request('GET', '/nettools/interfaces', { site });
  expect(status).toBe(200);
  await renewed(agent);
  await isSettled(enrolled);
  const failures = agent.logged().filter(({ msg }) => msg === 'the certificate cannot be renewed');
  expect(failures.length).toBeGreaterThanOrEqual(3);
});

test.each([
  { moment: 'before its renewal', hasNext: false },
  { moment: 'in the middle of its renewal', hasNext: true },
])(
  'an agent that was switched off $moment, until nothing it has is valid any more, comes back',
  async ({ hasNext }) => {
    const site = await system.addSite();
    const [first, second] = [await makeAgentKey(), await makeAgentKey()];
    const { json } = await system.request('POST', `/sites/${site}/agents`, { body: { name: 'away' } });
    const { code } = json as { code: string };
    const answer = await system.request('POST', '/enrol', { body: { code, csr: first.csr } });
    const { agent: id, stage, broker, authority } = operations.enrolAgent.response.parse(answer.json);
    const passed = await makeTestAuthority({ days: -0.5 });
    const expired = async ({ key, csr }: typeof first): Promise<Identity> => {
      return { agent: id, stage, api: system.url, broker, authority, key, certificate: await passed.certify(csr, id) };
    };
    const identity = await expired(first);
    const folder = makeTestFolder(programs).path;
    await writeIdentity(folder, identity);
    if (hasNext) {
      const renewal = await system.request('POST', '/enrol/renew', { body: first.renewal(id, second.csr) });
      expect(renewal.status).toBe(201);
      await writeIdentities(folder, { current: identity, next: await expired(second) });
    }
    await using _agent = startAgentProcess(AGENT_PROGRAM, [], {
      LANREACH_AGENT_DATA: folder,
      LANREACH_BROKER: `mqtts://127.0.0.1:${brokerPort()}`,
    });
    await isSettled({ id, identity, folder });
  },
);

test('an agent that does not reach the API goes on working, and says until when', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'cut-off');
  await using agent = startAgentProcess(AGENT_PROGRAM, [], {
    LANREACH_AGENT_DATA: enrolled.folder,
    LANREACH_BROKER: `mqtts://127.0.0.1:${brokerPort()}`,
    LANREACH_API: 'http://127.0.0.1:1',
  });
  const failures = () => agent.stderr().match(/^.*the certificate cannot be renewed.*$/gm) ?? [];
  await expect.poll(() => failures().length).toBeGreaterThan(0);
  // Less than a sixth of the certificate's life is left: it holds from an hour ago, for ten minutes more.
  expect(JSON.parse(failures()[0] ?? '')).toMatchObject({
    level: 50,
    err: { message: expect.stringContaining('Cannot reach http://127.0.0.1:1/enrol/renew') },
    validUntil: new Date(new X509Certificate(enrolled.identity.certificate).validTo).toISOString(),
    retryInS: expect.any(Number),
  });
  const { status } = await system.request('GET', '/nettools/interfaces', { site });
  expect(status).toBe(200);
  expect(await readIdentity(enrolled.folder)).toEqual(enrolled.identity);
});
