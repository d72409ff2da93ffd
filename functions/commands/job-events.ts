/** The progress of a command as a stream of events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type EndedJob, isFinal } from '../../shared/agent/messages.ts';
import { endedAs, type Job } from '../../shared/api/jobs.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { JobId } from '../../shared/identity.ts';
import type { ServerEvent } from '../http/event-stream.ts';
import type { JobHandle } from './agent-dispatcher.ts';
import type { CommandContext } from './context.ts';
import type { JobStore } from './job-store.ts';
import { endOf } from './wait-for-job.ts';

/** How long a stream lasts; the client then comes back and goes on. A function is paid for as long as one is open. */
const STREAM_MS = 120_000;
/** When a client should come back: soon after a whole stream, later where there was no place for it to wait. */
const RETRY_MS = { afterStream: 1_000, withoutPlace: 5_000 };
/** A stream shows in that time what the agent has of the output, also without a place. */
const SHOWN_WITHIN_MS = 1_000;
/** Ingest usually stores a result a few milliseconds after the agent has published it. */
const STORED_WITHIN_MS = 5_000;
const CHECK_INTERVAL_MS = 40;

/**
 * The events of a command until it has ended; then the last one is `result`, with the whole job. The texts of the
 * `output` events add up to the whole output: what the agent did not send while the command ran comes before `result`.
 * When the stream's time is over before, the last event is `end`, with the position at which the next stream goes on;
 * without a place to wait the stream is over as soon as it has shown how far the command is. Stops following when the
 * command ends, or when nobody reads any more; the command itself continues.
 * @param from characters of output that the reader has already
 * @param user who reads
 * @param unread aborted when nobody reads any more
 */
export async function* jobEvents(
  { jobs, waitSlots }: Pick<CommandContext, 'jobs' | 'waitSlots'>,
  followed: JobHandle,
  { from, user }: { from: number; user: string },
  unread: AbortSignal,
  { lastsMs = STREAM_MS } = {},
): AsyncGenerator<ServerEvent> {
  const until = Date.now() + lastsMs;
  const over = endOf(waitSlots, followed, { user, until, gone: unread, withoutPlaceMs: SHOWN_WITHIN_MS });
  over.catch(() => {}); // Awaited below.
  let shown = from;
  const output = (at: number, text: string): ServerEvent => {
    shown = at + text.length;
    return { event: 'output', id: String(shown), data: { at, text } };
  };
  try {
    for await (const event of followed.events(from, over)) {
      if (event.type === 'accepted') {
        const { state, position } = event;
        yield { event: 'accepted', data: { id: followed.id, state, ...(position === null ? {} : { position }) } };
      } else if (event.type === 'output') {
        yield output(event.at, event.text);
      } else {
        const { phase, percent } = event;
        yield { event: 'progress', data: { phase, percent } };
      }
    }
    if (unread.aborted) return;
    const ended = await over;
    if (ended === null) {
      const retry = Date.now() < until ? RETRY_MS.withoutPlace : RETRY_MS.afterStream;
      return yield { event: 'end', id: String(shown), retry, data: {} };
    }
    const job = await endedJob(jobs, followed.id, ended);
    const rest = (job.output ?? '').slice(shown);
    if (rest !== '') yield output(shown, rest);
    yield { event: 'result', data: job };
  } finally {
    followed.leave();
    await over.catch(() => {}); // In Lambda, nothing may be left to do when the stream has ended.
  }
}

/**
 * The job of a command that has ended, with its result.
 * @throws {ServiceError} `unavailable` when the result is not stored in time
 */
export async function storedJob(jobs: JobStore, id: JobId): Promise<Job> {
  const job = await jobOnceStored(jobs, id);
  if (!isFinal(job.state)) throw new ServiceError('unavailable', `The result of ${id} is not stored yet`);
  return job;
}

/** A job that has ended. Where ingest is delayed, from the agent's own message: the row will have the same content. */
export async function endedJob(jobs: JobStore, id: JobId, ended: EndedJob): Promise<Job> {
  const stored = await jobOnceStored(jobs, id);
  return isFinal(stored.state) ? stored : endedAs(stored, ended);
}

/** The job as soon as its result is stored, or as it is when that takes too long. */
async function jobOnceStored(jobs: JobStore, id: JobId): Promise<Job> {
  const giveUpAt = performance.now() + STORED_WITHIN_MS;
  for (;;) {
    const job = await jobs.find(id);
    if (job === null) throw new ServiceError('not_found', `The job ${id} does not exist`);
    if (isFinal(job.state) || performance.now() > giveUpAt) return job;
    await sleep(CHECK_INTERVAL_MS);
  }
}
