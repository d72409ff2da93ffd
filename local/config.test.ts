import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { range } from '../shared/network.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { ConfigError, readConfig } from './config.ts';

test('without any variable everything has its default', () => {
  expect(readConfig({})).toEqual({
    port: 8787,
    host: '127.0.0.1',
    mqttPort: null,
    apiToken: null,
    dataFolder: './.lanreach',
    dynamodbEndpoint: null,
    discover: null,
    awsRegion: 'local',
    hasAwsCredentials: false,
    internetInfoUrl: null,
    speedtestServer: null,
    corsOrigins: [],
    tokenRequestsPerMinute: 6_000,
    longestWaitS: 280,
    trustedProxies: [],
    hooksAllowPrivate: 'lan',
    allowedHosts: [],
    releasesFolder: null,
    publicUrl: null,
    signIn: null,
    mail: null,
    installPrograms: true,
    logLevel: 'warn',
    isStartedByNpm: false,
    childEnvironment: {},
  });
});

test('an empty variable counts as one that is not set', () => {
  expect(readConfig({ PORT: '', HOST: '', API_TOKEN: '' })).toEqual(readConfig({}));
});

test.each<[variable: string, text: string, read: Partial<ReturnType<typeof readConfig>>]>([
  ['PORT', '0', { port: 0 }],
  ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
  ['MQTT_PORT', '18883', { mqttPort: 18_883 }],
  ['API_TOKEN', 'correct-horse-battery', { apiToken: 'correct-horse-battery' }],
  ['LANREACH_DATA', '/srv/lanreach', { dataFolder: '/srv/lanreach' }],
  ['DYNAMODB_ENDPOINT', 'http://127.0.0.1:8000', { dynamodbEndpoint: 'http://127.0.0.1:8000' }],
  ['INTERNET_INFO_URL', 'https://info.example.org/json', { internetInfoUrl: 'https://info.example.org/json' }],
  ['SPEEDTEST_SERVER', 'http://speed.example.org/backend', { speedtestServer: 'http://speed.example.org/backend' }],
  ['DISCOVER', 'auto', { discover: 'auto' }],
  ['DISCOVER', 'off', { discover: 'off' }],
  ['DISCOVER', '192.168.1.0/24, 10.0.5.9/22', { discover: ['192.168.1.0/24', '10.0.4.0/22'] }],
  [
    'CORS_ORIGINS',
    'https://a.example, http://localhost:1',
    { corsOrigins: ['https://a.example', 'http://localhost:1'] },
  ],
  ['TOKEN_REQUESTS_PER_MINUTE', '120', { tokenRequestsPerMinute: 120 }],
  ['TOKEN_REQUESTS_PER_MINUTE', 'off', { tokenRequestsPerMinute: null }],
  ['LONGEST_WAIT', '25', { longestWaitS: 25 }],
  ['TRUSTED_PROXIES', '10.0.0.2, fd00::/64', { trustedProxies: [range('10.0.0.2'), range('fd00::/64')] }],
  ['HOOKS_ALLOW_PRIVATE', 'yes', { hooksAllowPrivate: true }],
  ['PUBLIC_URL', 'https://lan.example.org/', { publicUrl: 'https://lan.example.org' }],
  ['LANREACH_INSTALL', 'no', { installPrograms: false }],
  ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
  ['npm_lifecycle_event', 'start', { isStartedByNpm: true }],
])('%s=%s is read', (variable, text, read) => {
  expect(readConfig({ [variable]: text })).toEqual({ ...readConfig({}), ...read });
});

test('e-mail as it is set: TLS unless it is switched off, and no password in a message or in clear', async () => {
  expect(readConfig({}).mail).toBeNull();
  const SMTP = { SMTP_URL: 'smtp://mail.example.org', SMTP_FROM: 'lan@Example.org' };
  const login = { SMTP_USER: 'lan', SMTP_PASSWORD: 'word' };
  const { mail } = readConfig({ ...SMTP, ...login });
  const server = { host: 'mail.example.org', port: 587, isSecure: false, needsTls: true };
  expect(mail).toMatchObject({ ...server, from: 'lan@example.org' });
  expect(await mail?.password()).toBe('word');
  expect(readConfig({ ...SMTP, SMTP_URL: 'smtps://[fd00::1]:4650/' }).mail).toMatchObject({
    ...{ host: 'fd00::1', port: 4650, isSecure: true, user: null },
  });
  for (const [wrong, message] of [
    [{ SMTP_FROM: undefined }, 'SMTP_FROM: required together with SMTP_URL'],
    [{ SMTP_FROM: 'lan@example.org,b@example.org' }, 'SMTP_FROM: expected one e-mail address'],
    [{ SMTP_PASSWORD: undefined }, 'SMTP_PASSWORD: required together with SMTP_USER'],
    [{ SMTP_TLS: 'off' }, 'SMTP_TLS: expected required: without TLS the password'],
    [{ SMTP_URL: 'smtp://lan:secretword@mail.example.org' }, 'SMTP_URL: expected smtps://<host>'],
    [{ SMTP_PASSWORD_FILE: '/nonexistent' }, 'SMTP_PASSWORD_FILE: cannot be read'],
  ] as const) {
    const reading = () => readConfig({ ...SMTP, ...login, ...wrong });
    expect(reading).toThrow(message);
    expect(reading).not.toThrow('secretword');
  }
});

test('people sign in as it is set; the secret is read when it is needed, and is in no message', async () => {
  expect(readConfig({}).signIn).toBeNull();
  const OIDC = { OIDC_ISSUER: 'https://login.example.org', OIDC_CLIENT_ID: 'lanreach' };
  const usual = readConfig(OIDC).signIn;
  const scopes = 'openid email profile';
  expect(usual).toMatchObject({ name: 'login.example.org', scopes, rules: [], sessionHours: 12 });
  expect(await usual?.clientSecret()).toBeNull();
  expect(await readConfig({ ...OIDC, OIDC_CLIENT_SECRET: 'word' }).signIn?.clientSecret()).toBe('word');

  await using folder = makeTestFolder();
  const file = join(folder.path, 'secret');
  const withFile = () => readConfig({ ...OIDC, OIDC_CLIENT_SECRET_FILE: file });
  expect(withFile).toThrow('OIDC_CLIENT_SECRET_FILE: cannot be read: ENOENT');
  await writeFile(file, 'before\n');
  const { signIn } = withFile();
  await writeFile(file, 'of the file\n');
  expect(await signIn?.clientSecret()).toBe('of the file');

  const rules = JSON.stringify([{ claim: 'groups', value: 'netops', role: 'owner', sites: '*' }]);
  for (const [wrong, message] of [
    [{ OIDC_CLIENT_ID: undefined }, 'OIDC_CLIENT_ID: required together with OIDC_ISSUER'],
    [{ OIDC_ISSUER: undefined }, 'OIDC_ISSUER: required'],
    [{ OIDC_ROLES: rules }, /^OIDC_ROLES: \[0\]\.role: /],
    [{ OIDC_ISSUER: 'http://login.example.org' }, 'http:// is only for'],
    [{ OIDC_CLIENT_SECRET: 'a secret that is too long '.repeat(50) }, /^OIDC_CLIENT_SECRET: (?!.*too long)/],
  ] as const) {
    expect(() => readConfig({ ...OIDC, ...wrong })).toThrow(message);
  }
});

test('what cannot be watched for devices is refused with what can', () => {
  expect(() => readConfig({ DISCOVER: '10.0.0.0/8' })).toThrow(
    'DISCOVER: expected auto, off, or 1 to 32 IPv4 networks such as 192.168.1.0/24 (/20 or longer), separated by commas (it is "10.0.0.0/8")',
  );
});

/** Values that stop the start, by variable. */
const WRONG = {
  PORT: ['65536', 'http', '80.5'],
  HOST: ['my host'],
  MQTT_PORT: ['-1'],
  API_TOKEN: ['short', 'with a blank in the middle', 'lr_looks-like-ours-but-is-not'],
  OIDC_ISSUER: ['http://login.example.org'],
  OIDC_SCOPES: ['email'],
  OIDC_ROLES: ['netops'],
  SESSION_HOURS: ['0'],
  PUBLIC_URL: ['lan.example.org'],
  DYNAMODB_ENDPOINT: ['localhost:8000'],
  INTERNET_INFO_URL: ['ftp://example.org'],
  SPEEDTEST_SERVER: ['example.org'],
  CORS_ORIGINS: ['https://dash.example.org/path', 'dash.example.org'],
  DISCOVER: ['yes', '10.0.0.0/8', '192.168.1.0/24,', 'fd00::/64', Array(33).fill('192.168.1.0/24').join()],
  HOOKS_ALLOW_PRIVATE: ['sometimes'],
  LANREACH_INSTALL: ['maybe'],
  LOG_LEVEL: ['loud'],
};

test.each(Object.entries(WRONG).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
  '%s=%s stops the start, and the message names the variable',
  (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name}: `));
  },
);

test('every bad variable is named, but a token is not shown', () => {
  const read = () => readConfig({ PORT: 'x', API_TOKEN: 'secret', HOST: '127.0.0.1' });
  expect(read).toThrow(/PORT: .*\(it is "x"\)\nAPI_TOKEN: expected/);
  expect(read).not.toThrow(/"secret"/);
});

test('children learn where programs are, and none of our secrets', () => {
  const open = { PATH: '/bin', LC_ALL: 'C', https_proxy: 'http://proxy:3128' };
  const secret = { API_TOKEN: 'correct-horse-battery', AWS_SECRET_ACCESS_KEY: 'x', NODE_OPTIONS: '--inspect' };
  expect(readConfig({ ...open, ...secret }).childEnvironment).toEqual(open);
});

test('a limit of requests is a number, or off; trusted proxies are addresses', () => {
  for (const text of ['0', '-1', '1.5', 'none', '1000001']) {
    expect(() => readConfig({ TOKEN_REQUESTS_PER_MINUTE: text })).toThrow(/expected a whole number .* or off/);
  }
  for (const text of ['proxy.lan', '10.0.0.2,', '10.0.0.0/33']) {
    expect(() => readConfig({ TRUSTED_PROXIES: text })).toThrow(/TRUSTED_PROXIES: expected addresses or networks/);
  }
});
