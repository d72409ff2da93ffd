/** Recovery after a start and before the agent connects: ends the commands that its last run left unfinished. */
import { mkdir, rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { PROTOCOL_VERSION, type Result } from '../../shared/agent/messages.ts';
import { killGroup } from '../host/process-identity.ts';
import type { UpstreamLog } from '../upstream/upstream-log.ts';
import type { Journal, Unfinished } from './journal.ts';
import { keepResult } from './outbox.ts';

/**
 * Gives each request that was accepted and did not end the result `interrupted`, after killing those of its processes
 * that still run. Nothing is run again, because half of the command may have happened already. Must be complete before
 * the agent connects, or a redelivered request would be taken for one from before the start.
 */
export async function recover(
  journal: Journal,
  upstream: UpstreamLog,
  log: Logger,
  now: () => number = Date.now,
): Promise<void> {
  for (const request of journal.unfinished()) {
    const { id, replyTo, processes } = request;
    for (const process of processes) {
      if (killGroup(process))
        log.warn({ jobId: id, pid: process.pid }, 'killed a process that was left over from the last run');
    }
    try {
      // The agent may have stopped between writing the result and recording the end.
      const { isKept } = await keepResult(upstream, { replyTo, result: interrupted(request, now()) });
      // Otherwise the request stays in the journal, so it will not run again, and the next start tries once more.
      if (isKept) await journal.done(id);
      log.warn({ jobId: id }, 'a request was interrupted by the end of the last run');
    } catch (error) {
      log.error({ jobId: id, err: error }, 'the end of an interrupted request cannot be recorded');
    }
  }
}

/**
 * Creates the directory for the temporary files of commands, without the files of commands that were killed with the
 * agent. It is inside the state directory, where nobody else may write and which no other agent uses.
 */
export async function clearScratch(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { mode: 0o700 });
}

function interrupted({ id, acceptedAt, planned, processes }: Unfinished, now: number): Result {
  return {
    v: PROTOCOL_VERSION,
    id,
    t: 'result',
    state: 'interrupted',
    reason: 'agent_restarted',
    message: 'The agent stopped before the command had ended',
    output: '',
    truncated: false,
    result: null,
    startedAt: processes.length > 0 ? acceptedAt : null,
    endedAt: now,
    ...(planned === undefined ? {} : { planned }),
  };
}
