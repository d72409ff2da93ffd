import { X509Certificate } from 'node:crypto';
import * as sdk from '@aws-sdk/client-iot';
import {
  DeleteConnectionCommand,
  IoTDataPlaneClient,
  ResourceNotFoundException as NotConnectedException,
  PublishCommand,
} from '@aws-sdk/client-iot-data-plane';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import { topics } from '../../../shared/agent/topics.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import { amazonRoots, openIotCoreRegistry } from './iot-core-registry.ts';

const AGENT = 'home:attic';
const CLIENT = 'prod:home:attic';
const CSR = '-----BEGIN CERTIFICATE REQUEST-----';
const ARN = 'arn:aws:iot:eu-central-1:123456789012:cert/c0ffee';
const failure = { message: 'refused', $metadata: {} };

const iot = mockClient(sdk.IoTClient);
const data = mockClient(IoTDataPlaneClient);
const logged: { level: string; message: string }[] = [];
const note = (level: string) => (_: object, message: string) => logged.push({ level, message });
const log: Log = { info: note('info'), warn: note('warn'), error: note('error') };
const registry = openIotCoreRegistry(
  {
    stage: 'prod',
    agentPolicy: 'AgentPolicy',
    agentBroker: 'mqtts://abc-ats.iot.eu-central-1.amazonaws.com:8883',
    iotEndpoint: 'abc-ats',
  },
  log,
);

// Other files of unit tests share the classes.
afterAll(() => {
  iot.restore();
  data.restore();
});
beforeEach(() => {
  iot.reset();
  data.reset();
  logged.length = 0;
  iot.onAnyCommand().resolves({});
  data.onAnyCommand().resolves({});
  iot
    .on(sdk.CreateCertificateFromCsrCommand)
    .resolves({ certificateId: 'c0ffee', certificateArn: ARN, certificatePem: '-----BEGIN CERTIFICATE-----' });
  iot.on(sdk.DescribeCertificateCommand).resolves({ certificateDescription: { certificateArn: ARN } });
  iot.on(sdk.ListThingPrincipalsCommand).resolves({ principals: [] });
});

/** The calls that were made, in order, as `CreateThing prod:home:attic`. */
function calls(): string[] {
  const inOrder = [...iot.calls(), ...data.calls()].sort((a, b) => (a.calledBefore(b) ? -1 : 1));
  return inOrder.map(({ args: [command] }) => {
    const input = command.input as Record<string, unknown>;
    const about = input.newStatus ?? input.policyName ?? input.thingName ?? input.clientId ?? input.certificateId ?? '';
    return `${command.constructor.name.replace(/Command$/, '')} ${about}`.trim();
  });
}

test('an enrolment ends with the activation of a certificate that is already bound to its thing', async () => {
  const identity = await registry.enrol(AGENT, CSR);
  expect(identity).toEqual({
    stage: 'prod',
    certificate: '-----BEGIN CERTIFICATE-----',
    certificateId: 'c0ffee',
    authority: amazonRoots(),
    broker: 'mqtts://abc-ats.iot.eu-central-1.amazonaws.com:8883',
  });
  expect(calls()).toEqual([
    'CreateThing prod:home:attic',
    'CreateCertificateFromCsr',
    'AttachThingPrincipal prod:home:attic',
    'AttachPolicy AgentPolicy',
    'UpdateCertificate ACTIVE',
  ]);
  expect(iot.commandCalls(sdk.CreateCertificateFromCsrCommand)[0]?.args[0].input).toEqual({
    certificateSigningRequest: CSR,
    setAsActive: false,
  });
  expect(iot.commandCalls(sdk.AttachThingPrincipalCommand)[0]?.args[0].input).toEqual({
    thingName: CLIENT,
    principal: ARN,
    thingPrincipalType: 'EXCLUSIVE_THING',
  });
});

const undoThing = ['ListThingPrincipals prod:home:attic', 'DeleteThing prod:home:attic'];
const undoCertificate = [
  'UpdateCertificate INACTIVE',
  'DetachPolicy AgentPolicy',
  'DetachThingPrincipal prod:home:attic',
  'DeleteCertificate c0ffee',
];

test.each([
  ['CreateThing', () => iot.on(sdk.CreateThingCommand), undoThing],
  ['CreateCertificateFromCsr', () => iot.on(sdk.CreateCertificateFromCsrCommand), undoThing],
  ['AttachThingPrincipal', () => iot.on(sdk.AttachThingPrincipalCommand), [...undoCertificate, ...undoThing]],
  ['AttachPolicy', () => iot.on(sdk.AttachPolicyCommand), [...undoCertificate, ...undoThing]],
  ['UpdateCertificate', () => iot.on(sdk.UpdateCertificateCommand), [...undoCertificate, ...undoThing]],
])('nothing usable is left when %s fails', async (step, call, undo) => {
  call().rejectsOnce(new sdk.InternalFailureException(failure)).resolves({});
  await expect(registry.enrol(AGENT, CSR)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 2 });
  const made = calls();
  const failedAt = made.findIndex((call) => call.startsWith(step));
  expect(made.slice(failedAt + 1)).toEqual(undo);
  expect(logged).toEqual([]);
});

test('the thing stays when another certificate of the agent is attached to it', async () => {
  iot.on(sdk.AttachPolicyCommand).rejects(new sdk.ThrottlingException(failure));
  iot.on(sdk.ListThingPrincipalsCommand).resolves({ principals: [`${ARN}2`] });
  await expect(registry.enrol(AGENT, CSR)).rejects.toMatchObject({ code: 'unavailable' });
  expect(iot.commandCalls(sdk.DeleteThingCommand)).toHaveLength(0);
  expect(iot.commandCalls(sdk.DeleteCertificateCommand)).toHaveLength(1);
});

test('a roll-back continues after a failed step, and the first failure is the one that is reported', async () => {
  iot.on(sdk.AttachPolicyCommand).rejects(new sdk.InternalFailureException(failure));
  iot.on(sdk.DetachPolicyCommand).rejects(new sdk.ThrottlingException(failure));
  iot.on(sdk.DetachThingPrincipalCommand).rejects(new sdk.ResourceNotFoundException(failure));
  await expect(registry.enrol(AGENT, CSR)).rejects.toMatchObject({ cause: { name: 'InternalFailureException' } });
  expect(iot.commandCalls(sdk.DeleteCertificateCommand)).toHaveLength(1);
  expect(logged).toEqual([{ level: 'warn', message: 'cannot delete a certificate that has been deactivated' }]);
});

test('a certificate that cannot be switched off is an error in the log', async () => {
  iot.on(sdk.UpdateCertificateCommand).rejects(new sdk.InternalFailureException(failure));
  await expect(registry.enrol(AGENT, CSR)).rejects.toMatchObject({ code: 'unavailable' });
  expect(logged).toEqual([{ level: 'error', message: 'cannot deactivate the certificate of a failed enrolment' }]);
});

test('a request that IoT Core does not accept is the fault of the caller', async () => {
  iot
    .on(sdk.CreateCertificateFromCsrCommand)
    .rejects(new sdk.InvalidRequestException({ ...failure, message: 'bad CSR' }));
  await expect(registry.enrol(AGENT, CSR)).rejects.toMatchObject({
    code: 'validation_failed',
    fields: [{ path: 'csr', message: 'the certificate request is refused: bad CSR' }],
  });
});

test('a defect, such as a missing right, is not reported as an outage', async () => {
  const denied = Object.assign(new Error('not allowed'), { name: 'AccessDeniedException', $fault: 'client' });
  iot.on(sdk.CreateThingCommand).rejects(denied);
  await expect(registry.enrol(AGENT, CSR)).rejects.toBe(denied);
});

test('a thing that an operator has given attributes can be enrolled', async () => {
  iot.on(sdk.CreateThingCommand).rejects(new sdk.ResourceAlreadyExistsException(failure));
  expect((await registry.enrol(AGENT, CSR)).certificateId).toBe('c0ffee');
});

test('a further certificate is recorded when it is bound, and before it can be used', async () => {
  const order: string[] = [];
  iot.on(sdk.AttachPolicyCommand).callsFake(() => void order.push('attached'));
  iot.on(sdk.UpdateCertificateCommand).callsFake(({ newStatus }) => void order.push(newStatus));
  await registry.enrol(AGENT, CSR, async (noted) => {
    expect(noted).toEqual({ certificateId: 'c0ffee', certificate: '-----BEGIN CERTIFICATE-----' });
    order.push('noted');
  });
  expect(order).toEqual(['attached', 'noted', 'ACTIVE']);
});

test('a certificate that cannot be recorded is discarded, and the failure to record it is reported', async () => {
  iot.on(sdk.ListThingPrincipalsCommand).resolves({ principals: [`${ARN}2`] });
  const refusal = new ServiceError('conflict', 'changed in the meantime');
  await expect(registry.enrol(AGENT, CSR, () => Promise.reject(refusal))).rejects.toBe(refusal);
  expect(iot.commandCalls(sdk.UpdateCertificateCommand).map(({ args }) => args[0].input.newStatus)).toEqual([
    'INACTIVE',
  ]);
  expect(calls().slice(-5)).toEqual([...undoCertificate, 'ListThingPrincipals prod:home:attic']);
});

test('a retired certificate loses its rights and itself, and no connection is cut', async () => {
  await registry.retire(AGENT, 'c0ffee');
  expect(calls()).toEqual(['DescribeCertificate c0ffee', ...undoCertificate]);
});

test('a certificate is active by the word of IoT Core alone', async () => {
  for (const status of ['ACTIVE', 'INACTIVE', 'REVOKED'] as const) {
    iot.on(sdk.DescribeCertificateCommand).resolves({ certificateDescription: { certificateArn: ARN, status } });
    expect([status, await registry.isActive('c0ffee')]).toEqual([status, status === 'ACTIVE']);
  }
  iot.on(sdk.DescribeCertificateCommand).rejects(new sdk.ResourceNotFoundException(failure));
  expect(await registry.isActive('c0ffee')).toBe(false);
  iot.on(sdk.DescribeCertificateCommand).rejects(new sdk.ThrottlingException(failure));
  await expect(registry.isActive('c0ffee')).rejects.toMatchObject({ code: 'unavailable' });
});

test.each([
  ['DescribeCertificate', () => iot.on(sdk.DescribeCertificateCommand).rejects(new sdk.ThrottlingException(failure))],
  ['UpdateCertificate', () => iot.on(sdk.UpdateCertificateCommand).rejects(new sdk.InternalFailureException(failure))],
])('a retirement or revocation that fails at %s is reported, so that it is retried', async (_, fail) => {
  fail();
  await expect(registry.retire(AGENT, 'c0ffee')).rejects.toMatchObject({ code: 'unavailable' });
  await expect(registry.revoke(AGENT, 'c0ffee')).rejects.toMatchObject({ code: 'unavailable' });
  expect(iot.commandCalls(sdk.DeleteCertificateCommand)).toHaveLength(0);
});

test('what is left of a certificate that has been switched off does not hold a retirement up', async () => {
  iot.on(sdk.DetachPolicyCommand).rejects(new sdk.ThrottlingException(failure));
  await registry.retire(AGENT, 'c0ffee');
  expect(iot.commandCalls(sdk.DeleteCertificateCommand)).toHaveLength(1);
  expect(logged).toEqual([{ level: 'warn', message: 'cannot delete a certificate that has been deactivated' }]);
});

test('a revoked certificate loses its connection first, also of an agent that has none, then its rights and itself', async () => {
  data.on(DeleteConnectionCommand).rejects(new NotConnectedException(failure));
  await registry.revoke(AGENT, 'c0ffee');
  expect(calls()).toEqual([
    'DescribeCertificate c0ffee',
    'UpdateCertificate REVOKED',
    'DeleteConnection prod:home:attic',
    'DetachPolicy AgentPolicy',
    'DetachThingPrincipal prod:home:attic',
    'DeleteCertificate c0ffee',
    ...undoThing,
  ]);
});

test('all certificates of an agent are revoked, also those that only IoT Core knows of', async () => {
  iot.on(sdk.ListThingPrincipalsCommand).resolves({ principals: [ARN, `${ARN}2`] });
  await registry.revokeAll(AGENT, ['c0ffee', 'facade']);
  const revoked = iot.commandCalls(sdk.UpdateCertificateCommand).map(({ args }) => args[0].input);
  expect(revoked.map(({ certificateId, newStatus }) => `${certificateId} ${newStatus}`)).toEqual([
    'c0ffee REVOKED',
    'facade REVOKED',
    'c0ffee2 REVOKED',
  ]);
  const steps = calls().filter((call) => /^(?:UpdateCertificate|DeleteConnection|DetachPolicy) /.test(call));
  expect(steps.slice(3)).toEqual(['DeleteConnection prod:home:attic', ...Array(3).fill('DetachPolicy AgentPolicy')]);
});

test('an agent without a thing can be revoked, and an outage of the registry is reported', async () => {
  iot.on(sdk.ListThingPrincipalsCommand).rejects(new sdk.ResourceNotFoundException(failure));
  await registry.revokeAll(AGENT, ['c0ffee']);
  expect(iot.commandCalls(sdk.UpdateCertificateCommand)).toHaveLength(1);
  iot.on(sdk.ListThingPrincipalsCommand).rejects(new sdk.ThrottlingException(failure));
  await expect(registry.revokeAll(AGENT, ['c0ffee'])).rejects.toMatchObject({ code: 'unavailable' });
});

test('a certificate that is gone needs not be retired, and leaves only the connection to be cut', async () => {
  iot.on(sdk.DescribeCertificateCommand).rejects(new sdk.ResourceNotFoundException(failure));
  await registry.retire(AGENT, 'c0ffee');
  expect(calls()).toEqual(['DescribeCertificate c0ffee']);
  await registry.revoke(AGENT, 'c0ffee');
  expect(data.commandCalls(DeleteConnectionCommand)).toHaveLength(1);
  expect(iot.commandCalls(sdk.UpdateCertificateCommand)).toHaveLength(0);
});

test('a certificate that IoT Core has not let go of yet is deleted a little later', async () => {
  iot.on(sdk.DeleteCertificateCommand).rejectsOnce(new sdk.DeleteConflictException(failure)).resolves({});
  await registry.revoke(AGENT, 'c0ffee');
  expect(iot.commandCalls(sdk.DeleteCertificateCommand)).toHaveLength(2);
  expect(logged).toEqual([]);
});

test('agents trust the four roots of Amazon', () => {
  const pems = amazonRoots().match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  const prints = pems.map((pem) => new X509Certificate(pem).fingerprint256.slice(0, 23));
  expect(prints).toEqual([
    '8E:CD:E6:88:4F:3D:87:B1',
    '1B:A5:B2:AA:8C:65:40:1A',
    '18:CE:6C:FE:7B:F1:4E:60',
    'E3:5D:28:41:9E:D0:20:25',
  ]);
});

test('a message to an agent is published on its control topic; an outage is reported as one', async () => {
  const message = { v: PROTOCOL_VERSION, t: 'sighted', epoch: 1, n: 2 } as const;
  await registry.publish(AGENT, message);
  const [call] = data.commandCalls(PublishCommand);
  expect(call?.args[0].input).toEqual({
    topic: topics.control(CLIENT),
    qos: 1,
    payload: Buffer.from(JSON.stringify(message)),
  });
  data.on(PublishCommand).rejects(new sdk.ThrottlingException(failure));
  await expect(registry.publish(AGENT, message)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 2 });
});

test('certificates of a deleted site are out of use, and come back; one that was revoked does not', async () => {
  iot.on(sdk.ListThingPrincipalsCommand).resolves({ principals: [ARN] });
  const is = (status: 'ACTIVE' | 'INACTIVE' | 'REVOKED') =>
    iot.on(sdk.DescribeCertificateCommand).resolves({ certificateDescription: { certificateArn: ARN, status } });
  const changes = () => iot.commandCalls(sdk.UpdateCertificateCommand).map(({ args: [{ input }] }) => input);
  is('ACTIVE');
  await registry.suspend(AGENT, ['beef']);
  const off = (certificateId: string) => ({ certificateId, newStatus: 'INACTIVE' });
  expect(changes()).toEqual([off('beef'), off('c0ffee')]);
  expect(data.commandCalls(DeleteConnectionCommand)).toHaveLength(1);
  expect(iot.commandCalls(sdk.DeleteCertificateCommand)).toEqual([]);

  is('INACTIVE');
  await registry.suspend(AGENT, ['beef']);
  expect(changes()).toHaveLength(2);
  await registry.resume(AGENT, ['beef']);
  expect(changes()[2]).toEqual({ certificateId: 'beef', newStatus: 'ACTIVE' });
  is('REVOKED');
  await registry.resume(AGENT, ['beef']);
  await registry.suspend(AGENT, ['beef']);
  expect(changes()).toHaveLength(3);

  // The agent is away, and the broker.
  is('ACTIVE');
  data.on(DeleteConnectionCommand).rejects(new NotConnectedException(failure));
  await registry.suspend(AGENT, ['beef']);
  iot.on(sdk.UpdateCertificateCommand).rejects(new sdk.InternalFailureException(failure));
  await expect(registry.resume(AGENT, ['beef'])).resolves.toBeUndefined(); // It is in use.
  await expect(registry.suspend(AGENT, ['beef'])).rejects.toMatchObject({ code: 'unavailable' });
});
