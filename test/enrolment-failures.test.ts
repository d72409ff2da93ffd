/** Enrolments that fail on their way, with IoT Core as the registry: the code can be used again, and no certificate is left. */
import { rootCertificates } from 'node:tls';
import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
  CreateCertificateFromCsrCommand,
  CreateThingCommand,
  DeleteCertificateCommand,
  DescribeCertificateCommand,
  InternalFailureException,
  IoTClient,
  ListThingPrincipalsCommand,
  UpdateCertificateCommand,
} from '@aws-sdk/client-iot';
import { DeleteConnectionCommand, IoTDataPlaneClient } from '@aws-sdk/client-iot-data-plane';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openTokenWatch } from '../functions/access/token-watch.ts';
import type { AgentDispatcher } from '../functions/commands/agent-dispatcher.ts';
import type { Context } from '../functions/context.ts';
import { accessGroup } from '../functions/groups/access.ts';
import { service } from '../functions/http/service.ts';
import { openWaitSlots } from '../functions/http/wait-slots.ts';
import { openIotCoreRegistry } from '../functions/sites/agents/iot-core-registry.ts';
import { openStores } from '../functions/stores.ts';
import { ServiceError } from '../shared/errors.ts';
import { aroundCalls } from './support/database-calls.ts';
import { SILENT } from './support/ingest-messages.ts';
import { memoryTable } from './test-table.ts';

const failure = new InternalFailureException({ message: 'not now', $metadata: {} });
const iot = mockClient(IoTClient);
const data = mockClient(IoTDataPlaneClient);

/** Of whatever key: nobody connects with it. */
const [certificatePem] = rootCertificates;

const engine = memoryTable();
let agents = 0;

beforeAll(async () => {
  const { sites } = openStores(engine.open(), () => new Date());
  await sites.add({ id: 'home', name: 'Home', createdAt: new Date().toISOString() });
});

beforeEach(() => {
  iot.reset();
  data.reset();
  iot.onAnyCommand().resolves({});
  data.onAnyCommand().resolves({});
  let made = 0;
  iot.on(CreateCertificateFromCsrCommand).callsFake(() => {
    const certificateId = `c${++made}`;
    return { certificateId, certificateArn: `arn:cert/${certificateId}`, certificatePem };
  });
  iot
    .on(DescribeCertificateCommand)
    .callsFake(({ certificateId }) => ({ certificateDescription: { certificateArn: `arn:cert/${certificateId}` } }));
  iot.on(ListThingPrincipalsCommand).resolves({ principals: [] });
});

/** What the function for administration would open, and an agent that nobody has enrolled as. */
function open() {
  const stores = openStores(engine.open(), () => new Date());
  const registry = openIotCoreRegistry(
    { stage: 'prod', agentPolicy: 'AgentPolicy', agentBroker: 'mqtts://iot:8883', iotEndpoint: 'iot' },
    SILENT,
  );
  const context: Context = {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, SILENT),
    registry,
    agents: {} as AgentDispatcher, // Enrolments reach no agent.
    runQueue: { send: async () => {} },
    hookQueue: { send: async () => {} },
    waitSlots: openWaitSlots({ call: 1, stream: 1 }),
    log: SILENT,
    now: () => new Date(),
    settings: { version: 'test', corsOrigins: [] },
  };
  const app = service(context, accessGroup.routes.admin);
  const agent = `home:a${++agents}`;
  async function enrol(code: string) {
    const response = await app.request('/enrol', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, csr: '-----BEGIN CERTIFICATE REQUEST-----' }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  return { context, agent, enrol };
}

/** Of each certificate: `INACTIVE`, `ACTIVE` or `REVOKED` as it was last told, and `deleted` when it was. */
function fateOf(certificateId: string): string {
  const told = iot
    .commandCalls(UpdateCertificateCommand, { certificateId })
    .map(({ args: [{ input }] }) => input.newStatus ?? '');
  const deleted = iot.commandCalls(DeleteCertificateCommand, { certificateId }).length > 0;
  return deleted ? 'deleted' : (told.at(-1) ?? 'INACTIVE');
}

test.each([
  ['CreateThing', () => iot.on(CreateThingCommand).rejectsOnce(failure).resolves({}), 0],
  [
    'CreateCertificateFromCsr',
    () =>
      iot
        .on(CreateCertificateFromCsrCommand)
        .rejectsOnce(failure)
        .resolves({ certificateId: 'c1', certificateArn: 'arn:cert/c1', certificatePem }),
    0,
  ],
  ['AttachThingPrincipal', () => iot.on(AttachThingPrincipalCommand).rejectsOnce(failure).resolves({}), 1],
  ['AttachPolicy', () => iot.on(AttachPolicyCommand).rejectsOnce(failure).resolves({}), 1],
  ['UpdateCertificate', () => iot.on(UpdateCertificateCommand).rejectsOnce(failure).resolves({}), 1],
])('when %s fails, the same code enrols at the next try', async (_step, fail, left) => {
  const { context, agent, enrol } = open();
  const { code } = await context.enrolments.create({ site: 'home', agent, replace: false });
  fail();
  expect(await enrol(code)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  if (left === 1) expect(fateOf('c1')).toBe('deleted');
  expect(await context.sites.agents('home')).not.toContainEqual(expect.objectContaining({ id: agent }));
  expect(await enrol(code)).toMatchObject({ status: 201, body: { agent } });
  expect(fateOf(`c${left + 1}`)).toBe('ACTIVE');
  expect((await enrol(code)).status).toBe(403);
});

test('when the certificate cannot be noted, it is revoked, and the same code enrols at the next try', async () => {
  const { context, agent, enrol } = open();
  const { code } = await context.enrolments.create({ site: 'home', agent, replace: false });
  let failed = 0;
  aroundCalls(context.table, ({ method }, pass) => {
    if (method === 'transact' && failed++ === 0) throw new ServiceError('unavailable', 'not now', { retryAfter: 2 });
    return pass();
  });
  expect(await enrol(code)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(fateOf('c1')).toBe('deleted');
  expect(await enrol(code)).toMatchObject({ status: 201, body: { agent } });
  expect(fateOf('c2')).toBe('ACTIVE');
});

test('a code that does not hold any more is refused before anything is made', async () => {
  const { context, agent, enrol } = open();
  const [first, second, third] = await Promise.all(
    [false, false, true].map((replace) => context.enrolments.create({ site: 'home', agent, replace })),
  );
  expect((await enrol(first!.code)).status).toBe(201);
  expect(await enrol(second!.code)).toMatchObject({
    status: 403,
    body: { code: 'enrolment_refused', message: expect.stringContaining('which this enrolment code does not replace') },
  });
  expect(iot.commandCalls(CreateCertificateFromCsrCommand)).toHaveLength(1);
  expect(data.commandCalls(DeleteConnectionCommand)).toHaveLength(0);
  expect((await enrol(third!.code)).status).toBe(201);
  expect([fateOf('c1'), fateOf('c2')]).toEqual(['deleted', 'ACTIVE']);
});

test('when the agent that is replaced cannot be cut off, nobody takes its place, and the same code does at the next try', async () => {
  const { context, agent, enrol } = open();
  const first = await context.enrolments.create({ site: 'home', agent, replace: false });
  const second = await context.enrolments.create({ site: 'home', agent, replace: true });
  expect((await enrol(first.code)).status).toBe(201);
  iot.on(UpdateCertificateCommand, { certificateId: 'c1', newStatus: 'REVOKED' }).rejectsOnce(failure).resolves({});
  expect(await enrol(second.code)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect([fateOf('c1'), fateOf('c2')]).toEqual(['REVOKED', 'deleted']); // It was told so, and refused.
  expect(iot.commandCalls(DeleteCertificateCommand, { certificateId: 'c1' })).toHaveLength(0);
  expect((await enrol(second.code)).status).toBe(201);
  expect([fateOf('c1'), fateOf('c3')]).toEqual(['deleted', 'ACTIVE']);
});
