import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { readSettings } from './settings.ts';
import { describeSettings, lostSettings, readSettingsFile, SETTINGS_FILE } from './settings-file.ts';

const read = readSettings;
const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef';

test('nothing has to be chosen, and what is kept outlives the stack', () => {
  expect(read({})).toEqual({
    stage: 'prod',
    corsOrigins: [],
    requestsPerSecond: 50,
    burst: 100,
    tokenRequestsPerMinute: 600,
    longestWait: 25,
    keepData: true,
    terminationProtection: false,
    agentsGone: 1,
    logRetentionDays: 30,
  });
});

const TYPED = { keepData: false, burst: 20, logRetentionDays: 90 };

// As text from the command line, and typed from the file.
test.each<[given: Record<string, unknown>, meant: object]>([
  [
    { keepData: 'no', burst: '20', logRetentionDays: '90', stage: 'test2' },
    { ...TYPED, stage: 'test2' },
  ],
  [TYPED, TYPED],
  [{ corsOrigins: 'https://a.ex, http://localhost:1' }, { corsOrigins: ['https://a.ex', 'http://localhost:1'] }],
  [{ corsOrigins: '*' }, { corsOrigins: ['*'] }],
  [{ corsOrigins: '' }, { corsOrigins: [] }],
  [{ tags: 'team=network, cost center=4711,note=' }, { tags: { team: 'network', 'cost center': '4711', note: '' } }],
])('%j means %j', (given, meant) => {
  expect(read(given)).toEqual({ ...read({}), ...meant });
});

test('agents do not connect to the name of the API', () => {
  const names = { domainName: 'lan.example.org', certificateArn: CERTIFICATE, brokerCertificateArn: CERTIFICATE };
  expect(read({ ...names, brokerDomain: 'agents.example.org' })).toMatchObject({ brokerDomain: 'agents.example.org' });
  expect(() => read({ ...names, brokerDomain: 'lan.example.org' })).toThrow('-c brokerDomain: expected another name');
});

/** Values that are refused, by setting. */
const WRONG = {
  stage: ['My-Stage', ''],
  region: ['Frankfurt'],
  requestsPerSecond: ['many'],
  burst: ['0'],
  tokenRequestsPerMinute: ['0'],
  longestWait: ['281'],
  waitingCalls: ['0'],
  reservedConcurrency: ['1'],
  hookConcurrency: ['1'],
  keepData: ['perhaps'],
  corsOrigins: ['https://a.example/', 'https://a.example,'],
  tableName: ['arn:aws:dynamodb:eu-central-1:123456789012:table/kept'],
  domainName: ['https://lan.example.org', 'Lan.example.org', 'localhost'],
  certificateArn: ['arn:aws:iam::123456789012:server-certificate/lan'],
  hostedZoneId: ['/hostedzone/Z0123456789ABC'],
  terminationProtection: ['on'],
  tags: [
    ...['team', 'team=network,', 'team=network,team=other', 'aws:team=network', 'team=a,b=<c>'],
    Array.from({ length: 51 }, (_, index) => `t${index}=x`).join(','),
  ],
  kmsKeyArn: ['arn:aws:kms:eu-central-1:123456789012:alias/lanreach', '01234567-89ab-cdef-0123-456789abcdef'],
  brokerDomain: ['mqtts://agents.example.org'],
  brokerCertificateArn: ['arn:aws:iam::123456789012:server-certificate/lan'],
  alarmEmail: ['ops'],
  oidcIssuer: ['http://login.example.org', 'https://login.example.org/.well-known/openid-configuration'],
  oidcClientSecretArn: ['the secret itself'],
  oidcScopes: ['email profile'],
  oidcRoles: ['netops'],
  sessionHours: ['0'],
  smtpUrl: ['mail.example.org', 'smtp://user:word@mail.example.org', 'https://mail.example.org'],
  smtpFrom: ['LanReach <lan@example.org>', 'lan'],
  smtpPasswordSecretArn: ['the password itself'],
  agentsGone: ['0'],
  monthlyBudget: ['10 USD'],
  logRetentionDays: ['31', '9999', 'month'],
};

test.each(Object.entries(WRONG).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
  'a bad %s (%s) is named',
  (name, value) => {
    // Of a list, with the place of what is wrong.
    const where = name === 'corsOrigins' ? String.raw`\[\d\]: ` : '';
    expect(() => read({ [name]: value })).toThrow(new RegExp(`-c ${name}: ${where}expected`));
  },
);

test.each([
  ['certificateArn', { domainName: 'lan.example.org' }],
  ['domainName', { certificateArn: CERTIFICATE }],
  ['domainName', { hostedZoneId: 'Z0123456789ABC' }],
  ['brokerCertificateArn', { brokerDomain: 'agents.example.org' }],
  ['brokerDomain', { brokerCertificateArn: CERTIFICATE }],
  ['alarmEmail', { monthlyBudget: '20' }],
])('%s is missed when the others are given', (missing, given) => {
  expect(() => read(given)).toThrow(new RegExp(`^-c ${missing}: required together with ${Object.keys(given)[0]}$`));
});

test('what becomes variables of a function is no longer than Lambda takes', () => {
  const signIn = { oidcIssuer: 'https://login.example.org', oidcClientId: 'lanreach' };
  const value = 'b7c1f0de-5b0e-4c6e-9a53-0d6f3a2e8c11';
  const rule = { claim: 'groups', value, role: 'operator', sites: ['tag:customers'] };
  const rules = (count: number) => ({ ...signIn, oidcRoles: JSON.stringify(Array(count).fill(rule)) });
  expect(read(rules(20)).oidcRoles).toHaveLength(20);
  expect(() => read(rules(30))).toThrow(/^-c oidcRoles: expected less: .* 3\d{3} bytes, and Lambda takes 3000$/);
  const corsOrigins = Array.from({ length: 100 }, (_, i) => `https://dashboard-${i}.example.org`).join(',');
  expect(() => read({ corsOrigins })).toThrow('-c corsOrigins: expected less');
});

test('a table that is given belongs to one stage: its name holds that of the stage', () => {
  const given = { tableName: 'LanReach-prod-Table9E9F7B7C-1A2B' };
  expect(read(given).tableName).toBe(given.tableName);
  for (const stage of ['preview', 'pro', 'table9e9f7b7c']) {
    expect(() => read({ ...given, stage })).toThrow(`-c tableName: expected a name with "${stage}"`);
  }
});

test('a name that is none of a setting is refused; what the CDK keeps beside them is not looked at', () => {
  expect(() => read({ alarmMail: 'ops@example.org' })).toThrow(
    /-c alarmMail: unknown setting; expected one of .*alarmEmail/,
  );
  expect(() => read({ alarmMail: 'ops@example.org', burst: '0' })).toThrow(/burst.*\n.*alarmMail/);
  const others = { '@aws-cdk/core:x': true, 'aws:cdk:bundling-stacks': [], 'availability-zones:account=1': ['a'] };
  expect(read(others)).toEqual(read({}));
});

describe('the file', () => {
  const roles = { oidcRoles: [{ claim: 'c'.repeat(200) }] };
  const given = { alarmEmail: 'you@example.org', monthlyBudget: 20, ...roles, '@cdk:x': 1 };

  test('is optional, and refused when it is not JSON of names and values', () => {
    using folder = makeTestFolder();
    expect(readSettingsFile(folder.path)).toEqual({});
    writeFileSync(join(folder.path, SETTINGS_FILE), JSON.stringify(given));
    expect(readSettingsFile(folder.path)).toEqual(given);
    for (const text of ['', '[]', '{"alarmEmail": you@example.org}']) {
      writeFileSync(join(folder.path, SETTINGS_FILE), text);
      expect(() => readSettingsFile(folder.path)).toThrow(`${SETTINGS_FILE}: expected a JSON object`);
    }
  });

  test('loses no setting of a deployment without notice; null leaves one out on purpose', () => {
    const deployed = describeSettings(given);
    expect(deployed.length).toBeLessThan(200);
    expect(lostSettings(deployed, given)).toEqual([]);
    expect(lostSettings(deployed, { alarmEmail: 'other@example.org', oidcRoles: null })).toEqual([
      ['monthlyBudget', '20'],
    ]);
    expect(lostSettings(deployed, {}).map(([name]) => name)).toEqual(['alarmEmail', 'monthlyBudget', 'oidcRoles']);
    expect(read({ alarmEmail: null, stage: null })).toEqual(read({}));
  });
});
