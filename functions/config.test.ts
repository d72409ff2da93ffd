import { expect, test } from 'vitest';
import { ConfigError, readConfig, readCredentials, readMailConfig, readSignInConfig } from './config.ts';
import { devicesKeptIn } from './devices/collection/snapshots.ts';

const LAMBDA = {
  TABLE_NAME: 'LanReach-Table-1A2B',
  STAGE: 'prod',
  IOT_ENDPOINT: 'abc123-ats.iot.eu-central-1.amazonaws.com',
  AGENT_BROKER: 'mqtts://abc123-ats.iot.eu-central-1.amazonaws.com:8883',
  AGENT_POLICY: 'AgentPolicy_XYZ',
  TASK_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/LanReach-Tasks',
  VERSION: '0.1.0',
  AWS_REGION: 'eu-central-1',
};

test('a function keeps as many devices in memory as fit into what it has', () => {
  const kept = (memory: string) =>
    devicesKeptIn(readConfig({ ...LAMBDA, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory }).memoryMb);
  // 40 MB for each 50,000, measured with 4,000 sites of 100 devices.
  for (const memory of ['512', '1024']) expect((kept(memory) / 50_000) * 40).toBeLessThan(Number(memory) / 3);
  expect(kept('512')).toBeGreaterThan(190_000);
});

test('how people sign in: nothing without a provider, and the secret only by where it is', () => {
  expect(readSignInConfig(LAMBDA)).toEqual({ secretArn: null });
  const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:lanreach-oidc-AbCdEf';
  const OIDC = { OIDC_ISSUER: 'https://login.example.org', OIDC_CLIENT_ID: 'lanreach', OIDC_CLIENT_SECRET_ARN: arn };
  const rules = [{ claim: 'groups', value: 'netops', role: 'viewer', sites: '*' }];
  expect(readSignInConfig({ ...LAMBDA, ...OIDC, OIDC_ROLES: JSON.stringify(rules), SESSION_HOURS: '8' })).toEqual({
    ...{ OIDC_ISSUER: OIDC.OIDC_ISSUER, OIDC_CLIENT_ID: 'lanreach', secretArn: arn },
    ...{ OIDC_ROLES: rules, SESSION_HOURS: 8 },
  });
  for (const [name, value] of Object.entries({
    OIDC_ISSUER: 'login',
    OIDC_CLIENT_SECRET_ARN: 'word',
    OIDC_ROLES: '{}',
  }))
    expect(() => readSignInConfig({ ...LAMBDA, [name]: value })).toThrow(name);
});

test('e-mail: nothing without a server, and the password only by where it is', () => {
  expect(readMailConfig(LAMBDA)).toEqual({ passwordArn: null });
  const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:lanreach-smtp-AbCdEf';
  const SMTP = { SMTP_URL: 'smtps://email-smtp.eu-central-1.amazonaws.com', SMTP_FROM: 'lan@example.org' };
  const login = { SMTP_USER: 'AKIDEXAMPLE', SMTP_PASSWORD_ARN: arn };
  expect(readMailConfig({ ...LAMBDA, ...SMTP, ...login })).toEqual({
    ...SMTP,
    SMTP_USER: 'AKIDEXAMPLE',
    passwordArn: arn,
  });
  for (const wrong of [
    { SMTP_FROM: '' },
    { SMTP_PASSWORD_ARN: '' },
    { SMTP_USER: '' },
    { SMTP_URL: 'mail.example.org' },
  ])
    expect(() => readMailConfig({ ...LAMBDA, ...SMTP, ...login, ...wrong })).toThrow(/^SMTP_/);
});

test('origins are separated by commas; an empty variable is one that is not set; the API has no slash at its end', () => {
  const given = { CORS_ORIGINS: 'https://a.example, https://b.example', DYNAMODB_ENDPOINT: '' };
  const config = readConfig({ ...LAMBDA, ...given, API_URL: 'https://lan.example.org/' });
  expect(config.corsOrigins).toEqual(['https://a.example', 'https://b.example']);
  expect([config.dynamodbEndpoint, config.apiUrl]).toEqual([null, 'https://lan.example.org']);
});

test.each(['eu-central-1', 'us-gov-west-1', 'eusc-de-east-1', 'eu-isoe-west-1'])('%s is a region', (region) => {
  expect(readConfig({ ...LAMBDA, AWS_REGION: region }).region).toBe(region);
});

test.each([
  ['TABLE_NAME', ''],
  ['STAGE', 'Prod'],
  ['IOT_ENDPOINT', 'https://abc123-ats.iot.eu-central-1.amazonaws.com'],
  ['AGENT_BROKER', 'broker.example.org'],
  ['DYNAMODB_ENDPOINT', 'localhost:8000'],
  ['CORS_ORIGINS', 'https://a.example/page'],
  ['TOKEN_REQUESTS_PER_MINUTE', 'none'],
  ['LONGEST_WAIT', '281'],
  ['AWS_REGION', 'Frankfurt'],
  ['AWS_LAMBDA_FUNCTION_MEMORY_SIZE', 'much'],
])('a bad %s stops the start and is named', (name, value) => {
  expect(() => readConfig({ ...LAMBDA, [name]: value })).toThrow(ConfigError);
  expect(() => readConfig({ ...LAMBDA, [name]: value })).toThrow(name);
});

test('every variable that is wrong is named at once', () => {
  expect(() => readConfig({ AWS_REGION: 'eu-central-1', AGENT_BROKER: 'x' })).toThrow(
    new ConfigError(
      'TABLE_NAME is not set\nSTAGE is not set\nIOT_ENDPOINT is not set\nAGENT_BROKER: expected mqtts://<host>:<port>\nAGENT_POLICY is not set\nTASK_QUEUE_URL is not set',
    ),
  );
});

test('credentials are those in the environment now, with or without a session', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
  expect(readCredentials(keys).sessionToken).toBeNull();
  expect(readCredentials({ ...keys, AWS_SESSION_TOKEN: 'session' })).toEqual({
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'secret',
    sessionToken: 'session',
  });
  expect(() => readCredentials({ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE' })).toThrow('AWS_SECRET_ACCESS_KEY is not set');
});
