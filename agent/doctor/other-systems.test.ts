import { expect, test } from 'vitest';
import { FINISHED } from '../../test/support/agent/finished.ts';
import type { RunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { checkPrograms, checkSystem } from './host.ts';

test('what has never been run on a system is called unproven there', () => {
  expect(checkSystem('linux')).toBeNull();
  const message = expect.stringMatching(/^unproven: .*discovery/);
  expect(checkSystem('macos')).toMatchObject({ state: 'warning', message });
});

test('on macOS, the doctor checks the programs of macOS, and recommends no apt', async () => {
  const host: RunProcess = async (program) => {
    if (program !== 'ping') throw new ToolFailure('tool_missing', `${program} is not installed on the agent's host`);
    return { ...FINISHED, stdout: 'usage: ping' };
  };
  const found = await checkPrograms(host, 'macos');
  const missing = { check: 'nmap', state: 'warning', message: 'nmap is not installed, or not found', hint: null };
  const there = { check: 'ping', state: 'ok', message: 'ping unknown version', hint: null };
  expect(found).toEqual(expect.arrayContaining([missing, there]));
});

test('a program that may not be started is not called missing', async () => {
  const message = "ping is installed on the agent's host, but the agent may not start it";
  const run: RunProcess = async () => {
    throw new ToolFailure('tool_failed', message);
  };
  const found = (await checkPrograms(run, 'linux')).find(({ check }) => check === 'ping');
  expect(found).toMatchObject({ state: 'problem', message, hint: expect.stringContaining('--cap-add NET_RAW') });
});
