/** Recovery between start and connection: ends the commands that the previous process left unfinished. */
import { mkdir, rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Result } from '../../shared/agent/messages.ts';
import { killGroup } from '../host/process-identity.ts';
import type { UpstreamLog } from '../upstream/upstream-log.ts';
import type { Journal, Unfinished } from './journal.ts';
import { keepResult } from './outbox.ts';
import { base, failed } from './outcomes.ts';

/**
 * Kills the remaining processes of each unfinished request, and gives it the result `interrupted`. Reruns nothing,
 * because half of the command may have happened. Must complete before the agent connects, or a redelivered request would
 * be mistaken for one from before the start.
 */
export async function recover(journal: Journal, upstream: UpstreamLog, log: Logger, now: () => number = Date.now) {
  for (const request of journal.unfinished()) {
    const { id, replyTo, processes } = request;
    for (const process of processes) {
      if (killGroup(process))
        log.warn({ jobId: id, pid: process.pid }, 'killed a process that the previous agent process left running');
    }
    try {
      // The log may hold a result: the agent may have stopped before it recorded the end.
      const { isKept } = await keepResult(upstream, { replyTo, result: interrupted(request, now()) });
      // Otherwise the request stays in the journal, so it cannot rerun, and the next start retries.
      if (isKept) await journal.done(id);
      log.warn({ jobId: id }, 'a request was interrupted by the end of the previous agent process');
    } catch (error) {
      log.error({ jobId: id, err: error }, 'the end of an interrupted request cannot be recorded');
    }
  }
}

/** Empties or creates the directory for temporary files of commands, in the state directory, which only this agent uses. */
export async function clearScratch(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { mode: 0o700 });
}

function interrupted({ id, acceptedAt, planned, processes }: Unfinished, now: number): Result {
  const outcome = failed('agent_restarted', 'The agent stopped before the command had ended');
  const startedAt = processes.length > 0 ? acceptedAt : null;
  const result: Result = { ...base(id), t: 'result', ...outcome, state: 'interrupted', startedAt, endedAt: now };
  return planned === undefined ? result : { ...result, planned };
}
