import { expect, test } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import type { RunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { checkPrograms, checkRawSockets, checkSystem } from './host.ts';
import { checkStateDirectory } from './state.ts';

/** A host on which each program prints this; the others are not installed. */
function hostWith(printed: Readonly<Record<string, string>>): RunProcess {
  return async (program) => {
    const stdout = printed[program];
    if (stdout === undefined) throw new ToolFailure('tool_missing', `${program} is not installed on the agent's host`);
    return { stdout, stderr: '', code: 0, signal: null, timedOut: false, aborted: false, truncated: false };
  };
}

test('what has never been run on a system is called unproven there', () => {
  expect(checkSystem('linux')).toBeNull();
  expect(checkSystem('windows')).toMatchObject({ state: 'warning', message: expect.stringContaining('unproven') });
  expect(checkSystem('macos')).toMatchObject({ state: 'warning', message: expect.stringContaining('discovery') });
});

test('Windows is asked for its own programs, and nobody is told to use apt', async () => {
  const host = hostWith({ ping: 'Syntax: ping', powershell: '5.1.19041.4522\r\n' });
  expect(await checkPrograms(host, 'windows')).toEqual([
    { check: 'nmap', state: 'warning', message: 'nmap is not installed, or not found', hint: null },
    { check: 'ping', state: 'ok', message: 'ping unknown version', hint: null },
    { check: 'tracert', state: 'warning', message: 'tracert is not installed, or not found', hint: null },
    { check: 'powershell', state: 'ok', message: 'powershell 5.1.19041.4522', hint: null },
  ]);
  expect(checkRawSockets(false, 'windows').state).toBe('ok');
});

test('on Windows, the rights of the state directory are looked at', async () => {
  await using folder = makeTestFolder();
  const [own, everyone] = ['S-1-5-21-1-2-3-1001', 'D:(A;OICI;FA;;;WD)(A;OICI;FA;;;SY)'];
  const stateOf = (powershell: string) => checkStateDirectory(folder.path, 'windows', hostWith({ powershell }));
  expect(await stateOf(`D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;${own})\r\n${own}\r\n`)).toMatchObject({ state: 'ok' });
  expect(await stateOf(`${everyone}\r\n${own}\r\n`)).toMatchObject({
    state: 'problem',
    message: expect.stringContaining('is open to others (WD)'),
    hint: expect.stringContaining('icacls'),
  });
  expect(await stateOf('')).toMatchObject({ state: 'problem', message: expect.stringContaining('does not say') });
});
