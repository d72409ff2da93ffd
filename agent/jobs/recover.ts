/** What an agent does first after a start, before it connects: it ends what its last run has left undone. */
import { mkdir, rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { PROTOCOL_VERSION, type Result } from '../../shared/agent/messages.ts';
import { killGroup } from '../host/process-identity.ts';
import type { Journal, Unfinished } from './journal.ts';
import type { Spool } from './spool.ts';

/**
 * Gives every request that was accepted and never ended the result `interrupted`, after killing what still runs of it.
 * Nothing is run again: half of the command may have happened already. Must be over before the link is opened, or a
 * request that the broker delivers again would be taken for one from before the start.
 */
export async function recover(
  journal: Journal,
  spool: Spool,
  log: Logger,
  now: () => number = Date.now,
): Promise<void> {
  for (const request of journal.unfinished()) {
    const { id, replyTo, processes } = request;
    for (const process of processes) {
      if (killGroup(process)) log.warn({ id, pid: process.pid }, 'a command left over from the last run was killed');
    }
    try {
      // The agent may have died between writing the result and noting the end.
      if ((await spool.get(id)) === null) await spool.put({ replyTo, result: interrupted(request, now()) });
      await journal.done(id);
      log.warn({ id }, 'a request did not end in the last run');
    } catch (error) {
      // It stays in the journal, so it will not run again, and the next start tries once more.
      log.error({ id, err: error }, 'the end of an interrupted request cannot be written down');
    }
  }
}

/**
 * Makes the directory for the files of running commands, without those of commands that were killed with the agent.
 * It lies in the state directory, which nobody else may write to and no other agent uses.
 */
export async function clearScratch(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { mode: 0o700 });
}

function interrupted({ id, acceptedAt, processes }: Unfinished, now: number): Result {
  return {
    v: PROTOCOL_VERSION,
    id,
    t: 'result',
    state: 'interrupted',
    reason: 'agent_restarted',
    message: 'The agent went down before the command had ended',
    output: '',
    truncated: false,
    result: null,
    startedAt: processes.length > 0 ? acceptedAt : null,
    endedAt: now,
  };
}
