/** What the agent does for one command, counted: processes and writes that wait for the disk are most of its price. */
import * as childProcess from 'node:child_process';
import * as fs from 'node:fs';
import { expect, test, vi } from 'vitest';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import type { Command } from '../../shared/tools/list.ts';
import { requestFor, startTestBroker } from '../support/agent/broker.ts';
import { startTestAgent } from '../support/agent/test-agent.ts';
import { makeTestFolder } from '../support/test-folder.ts';

vi.mock('node:child_process', { spy: true });
// Of these alone: a spy in place of a class of Node.js keeps the agent from starting.
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return { ...real, fsync: vi.fn(real.fsync), fdatasync: vi.fn(real.fdatasync) };
});

function counts() {
  return {
    processes: vi.mocked(childProcess.spawn).mock.calls.length,
    syncedFiles: vi.mocked(fs.fdatasync).mock.calls.length,
    syncedFolders: vi.mocked(fs.fsync).mock.calls.length,
  };
}

test('a command starts one process, and waits for the disk twice: for the journal and for the result', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker();
  const agent = await startTestAgent(folder.path, broker.port);
  await broker.presence('online');
  const command: Command = { tool: 'interfaces' };
  const carryOut = async () => {
    const request = requestFor(command);
    await broker.send('req', request);
    const { state } = await broker.reply('result', request.id);
    await broker.send('ctl', { v: PROTOCOL_VERSION, id: request.id, t: 'stored' });
    return { state, id: request.id };
  };
  await carryOut(); // The first one also looks for the program.
  const before = counts();
  const said = broker.replies.length;
  const { state, id } = await carryOut();
  const after = counts();
  expect(state).toBe('succeeded');
  expect({
    processes: after.processes - before.processes,
    syncedFiles: after.syncedFiles - before.syncedFiles,
    syncedFolders: after.syncedFolders - before.syncedFolders,
  }).toEqual({ processes: 1, syncedFiles: 2, syncedFolders: 0 });
  // On a slow machine the acknowledgement of a short command may come before its result.
  expect(broker.replies.slice(said).filter(({ t }) => t !== 'ack')).toMatchObject([{ t: 'result', id }]);
  await agent.stop(0);
});
