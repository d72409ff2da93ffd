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

test('npm says that it has started us', () => {
  expect(readConfig({ npm_lifecycle_event: 'start' }).isStartedByNpm).toBe(true);
});

test('an empty variable counts as one that is not set', () => {
  expect(readConfig({ PORT: '', HOST: '', API_TOKEN: '' })).toEqual(readConfig({}));
});

test('every variable is read', () => {
  const config = readConfig({
    PORT: '0',
    HOST: '0.0.0.0',
    MQTT_PORT: '18883',
    API_TOKEN: 'correct-horse-battery',
    LANREACH_DATA: '/srv/lanreach',
    DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000',
    INTERNET_INFO_URL: 'https://info.example.org/json',
    SPEEDTEST_SERVER: 'http://speed.example.org/backend',
    DISCOVER: '192.168.1.0/24, 10.0.5.9/22',
    CORS_ORIGINS: 'https://dash.example.org, http://localhost:3000',
    TOKEN_REQUESTS_PER_MINUTE: '120',
    LONGEST_WAIT: '25',
    TRUSTED_PROXIES: '10.0.0.2, fd00::/64',
    HOOKS_ALLOW_PRIVATE: 'yes',
    LANREACH_INSTALL: 'no',
    LOG_LEVEL: 'debug',
  });
  expect(config).toMatchObject({
    port: 0,
    host: '0.0.0.0',
    mqttPort: 18_883,
    apiToken: 'correct-horse-battery',
    corsOrigins: ['https://dash.example.org', 'http://localhost:3000'],
    discover: ['192.168.1.0/24', '10.0.4.0/22'],
    tokenRequestsPerMinute: 120,
    trustedProxies: [range('10.0.0.2'), range('fd00::/64')],
    hooksAllowPrivate: true,
    installPrograms: false,
    logLevel: 'debug',
  });
});

test('e-mail as it is set: TLS unless it is switched off, and no password in a message or in clear', async () => {
  expect(readConfig({}).mail).toBeNull();
  const SMTP = { SMTP_URL: 'smtp://mail.example.org', SMTP_FROM: 'lan@Example.org' };
  const login = { SMTP_USER: 'lan', SMTP_PASSWORD: 'word' };
  const { mail } = readConfig({ ...SMTP, ...login });
  expect(mail).toMatchObject({
    host: 'mail.example.org',
    port: 587,
    isSecure: false,
    needsTls: true,
    from: 'lan@example.org',
  });
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
  expect(usual).toMatchObject({
    name: 'login.example.org',
    scopes: 'openid email profile',
    rules: [],
    sessionHours: 12,
  });
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

  expect(() => readConfig({ OIDC_ISSUER: OIDC.OIDC_ISSUER })).toThrow(
    'OIDC_CLIENT_ID: required together with OIDC_ISSUER',
  );
  expect(() => readConfig({ OIDC_CLIENT_ID: OIDC.OIDC_CLIENT_ID })).toThrow('OIDC_ISSUER: required');
  const rules = [{ claim: 'groups', value: 'netops', role: 'owner', sites: '*' }];
  expect(() => readConfig({ ...OIDC, OIDC_ROLES: JSON.stringify(rules) })).toThrow(/^OIDC_ROLES: \[0\]\.role: /);
  expect(() => readConfig({ ...OIDC, OIDC_ISSUER: 'http://login.example.org' })).toThrow('http:// is only for');
  const long = 'a secret that is too long '.repeat(50);
  const refusal = () => readConfig({ ...OIDC, OIDC_CLIENT_SECRET: long });
  expect(refusal).toThrow('OIDC_CLIENT_SECRET: ');
  expect(refusal).not.toThrow('too long');
  expect(readConfig({ PUBLIC_URL: 'https://lan.example.org/' }).publicUrl).toBe('https://lan.example.org');
});

test('what is watched for devices can be auto, off, or networks', () => {
  expect(['auto', 'off', '192.168.1.0/24'].map((DISCOVER) => readConfig({ DISCOVER }).discover)).toEqual([
    'auto',
    'off',
    ['192.168.1.0/24'],
  ]);
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
  const environment = {
    PATH: '/bin',
    LC_ALL: 'C',
    https_proxy: 'http://proxy:3128',
    API_TOKEN: 'correct-horse-battery',
    AWS_SECRET_ACCESS_KEY: 'x',
    NODE_OPTIONS: '--inspect',
  };
  expect(readConfig(environment).childEnvironment).toEqual({
    PATH: '/bin',
    LC_ALL: 'C',
    https_proxy: 'http://proxy:3128',
  });
});

test('a limit of requests is a number, or off', () => {
  expect(readConfig({ TOKEN_REQUESTS_PER_MINUTE: 'off' }).tokenRequestsPerMinute).toBeNull();
  for (const text of ['0', '-1', '1.5', 'none', '1000001']) {
    expect(() => readConfig({ TOKEN_REQUESTS_PER_MINUTE: text })).toThrow(/expected a whole number .* or off/);
  }
  for (const text of ['proxy.lan', '10.0.0.2,', '10.0.0.0/33']) {
    expect(() => readConfig({ TRUSTED_PROXIES: text })).toThrow(/TRUSTED_PROXIES: expected addresses or networks/);
  }
});
