import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { readLaunchConfig } from './launch/config.ts';

test('without any variable everything has a default', () => {
  expect(readConfig({}, true)).toEqual({
    ...{ stateDirectory: '/var/lib/lanreach-agent', broker: null, api: null, policyFile: null, snmpFile: null },
    ...{ internetInfoUrl: null, speedtestServer: null, logLevel: 'info', launch: null },
    ...{ exitWithParent: false, isStartedByNpm: false, isRestarted: false },
  });
});

test('what a launcher of another version has added is no fault, and what is no launch counts as none', () => {
  const launched = (text: string) => readConfig({ LANREACH_LAUNCH: text }, true).launch;
  expect(launched('{"key": "/k.pem", "settleMs": null, "more": 1}')).toEqual({ key: '/k.pem', settleMs: null });
  for (const text of ['', '{', '{}', '{"key": 1, "settleMs": 1}']) expect(launched(text)).toBeNull();
});

test('the launcher finds the state directory where the program does', () => {
  const environments = [{}, { LANREACH_AGENT_DATA: '/state' }, { LANREACH_AGENT_DATA: '' }, { XDG_STATE_HOME: '/xdg' }];
  for (const isRoot of [true, false])
    for (const environment of environments)
      expect(readLaunchConfig(environment, isRoot).stateDirectory).toBe(readConfig(environment, isRoot).stateDirectory);
  expect(readLaunchConfig({ LANREACH_AGENT_DATA: 'relative' }).stateDirectory).toBeNull();
  const times = { LANREACH_TRIAL_SECONDS: '20', LANREACH_SETTLE_SECONDS: 'soon' };
  expect(readLaunchConfig(times)).toMatchObject({ trialMs: 20_000, settleMs: 60_000 });
});

test('who is not root keeps the state where XDG says, else in the home directory', () => {
  expect(readConfig({ XDG_STATE_HOME: '/home/u/state' }, false).stateDirectory).toBe('/home/u/state/lanreach-agent');
  expect(readConfig({}, false).stateDirectory).toMatch(/^\/.*\/\.local\/state\/lanreach-agent$/);
});

test.each([
  ['mqtts://broker.example.org', true],
  ['mqtts://broker.example.org:443', true],
  ['mqtts://[::1]:8883', true],
  ['mqtts://127.0.0.1:8883/', true],
  ['mqtt://broker.example.org', false],
  ['mqtts://user:secret@broker.example.org', false],
  ['mqtts://broker.example.org:99999', false],
  ['broker.example.org', false],
])('LANREACH_BROKER=%s: usable is %s', (url, usable) => {
  const read = () => readConfig({ LANREACH_BROKER: url }, true).broker;
  if (usable) expect(read()).toBe(url);
  else expect(read).toThrow(/^LANREACH_BROKER: expected mqtts:/);
});

test('all variables with bad values are named, each once', () => {
  const urls = { LANREACH_API: 'mqtts://x', INTERNET_INFO_URL: 'ftp://x' };
  const words = { LANREACH_AGENT_DATA: 'relative', LANREACH_LOG_LEVEL: 'loud', LANREACH_EXIT_WITH_PARENT: 'yes' };
  const read = () => readConfig({ ...urls, ...words }, true);
  expect(read).toThrow(ConfigError);
  const ours = ['LANREACH_AGENT_DATA', 'LANREACH_API', 'LANREACH_LOG_LEVEL', 'LANREACH_EXIT_WITH_PARENT'];
  const lines = [...ours, 'INTERNET_INFO_URL'].map((name) => `${name}: .*`);
  expect(read).toThrow(new RegExp(`^${lines.join('\n')}$`));
});
